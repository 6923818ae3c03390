internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import ObjectGraph
internal import Storage

extension PersistentDocument {
    /// Settles a conflict: another program has put another state in the document's place while edits here were unsaved.
    ///
    /// ```swift
    /// let outcome = try await document.resolveConflict(.merge(.mergeByPropertyObjectTrump))
    /// for clash in outcome.clashes { print(clash.object, clash.property ?? "deleted") }
    /// ```
    /// Afterwards the document is the other state, with the edits on top of it that a merge has made, and undo has nothing else to take back. Costs writing a copy of what is open
    /// here, and for a merge reading three states; memory for what differs.
    /// - Returns: What was kept, and what clashed.
    /// - Throws: `DocumentError`: `usage` where there is no conflict; `unsupported` where a merge has nothing to go by, since the other state is another document, or of another
    ///   version of the model, or the last save here can't be had any more, and for SQLite stores by themselves; what writing the copy throws. `GraphError` with code `conflict` and all conflicts for a merge with policy `error`.
    ///   Then the conflict stays. `changed` where the other state was read, but the edits could not be made on it: its hint says where they are kept, a version or a copy beside the document.
    @discardableResult
    public func resolveConflict(_ resolution: ConflictResolution) async throws -> ResolvedConflict {
        try await opened.exclusively {
            guard isOpen, outsideChange == .conflict else { throw DocumentError(.usage, "there is no conflict to resolve", path: opened.path) }
            do { return try await resolveNow(resolution) } catch let unmerged as UnmergedEdits { throw unmerged.documentError(opened.path) }
        }
    }

    /// - Throws: as ``resolveConflict(_:)``, and `UnmergedEdits` where the document is the other state already.
    func resolveNow(_ resolution: ConflictResolution) async throws -> ResolvedConflict {
        switch resolution {
        case .keepMineAsCopy(let url):
            let target = try url ?? freeURL(tag: "conflict")
            try await writeCopy(to: target)
            try reloadTheirs()
            return ResolvedConflict(copy: target)
        case .takeTheirs:
            guard try await opened.performInBackground({ try $0.canKeepAside() }) else {
                try reloadTheirs()
                return ResolvedConflict()
            }
            return try await withCopyOfMine { mine in
                let version = try await opened.performInBackground { try $0.keepAside(mine) }
                try reloadTheirs()
                return ResolvedConflict(version: version)
            }
        case .merge(let policy):
            return try await withCopyOfMine { mine in
                let plan = try await opened.performInBackground { try $0.mergePlan(mine, policy) }
                var kept = ResolvedConflict(version: try await opened.performInBackground { try $0.canKeepAside() ? $0.keepAside(mine) : nil })
                // Reading the other state gives up the edits here, autosaved ones too: where no version keeps them they get a place of their own until they are safe again.
                if kept.version == nil { kept.copy = try await copyBesideDocument(mine) }
                do {
                    try reloadTheirs()
                    do { try MergedEdits(plan, context).apply() } catch {
                        context.rollback()
                        throw error
                    }
                } catch {
                    throw UnmergedEdits(kept: kept, cause: error)
                }
                return ResolvedConflict(copy: await copyStillNeeded(kept.copy), version: kept.version, clashes: plan.clashes)
            }
        }
    }

    private func copyBesideDocument(_ mine: String) async throws -> URL {
        let url = try freeURL(tag: "conflict")
        let copy = try await PersistentDocument.open(URL(fileURLWithPath: mine), mode: .reading)
        do { try await copy.write(to: url, form: form) } catch {
            try? await copy.close()
            throw error
        }
        try await copy.close()
        return url
    }

    /// Removes the copy of edits that are merged, once they are as safe from a crash as they were before; else that is where they are.
    private func copyStillNeeded(_ copy: URL?) async -> URL? {
        guard let copy else { return nil }
        do {
            if state.marker != nil { try await autosaveNow() }
            try Disk.removeTree(copy.path)
            return nil
        } catch {
            return copy
        }
    }

    /// Writes what is open here, valid or not, into a package that is gone when `body` ends.
    private func withCopyOfMine<Result>(_ body: (_ package: String) async throws -> Result) async throws -> Result {
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        let mine = FilePath.join(folder, "mine.folio")
        try await writeCopy(to: URL(fileURLWithPath: mine), form: .package)
        return try await body(mine)
    }

    private func reloadTheirs() throws {
        if case .unreadable(let error)? = reload() { throw error }
    }
}

/// The document is the other state, and the edits of a merge could not be made on it: where they are kept.
struct UnmergedEdits: Error {
    let kept: ResolvedConflict
    let cause: any Error

    func documentError(_ path: String?) -> DocumentError {
        let place = kept.copy.map { "they are in \($0.path)" } ?? kept.version.map { "they are version \($0.generation) of the document" }
        return DocumentError(.changed, "the edits could not be merged: \(cause)", path: path, hint: place, underlying: cause)
    }
}
