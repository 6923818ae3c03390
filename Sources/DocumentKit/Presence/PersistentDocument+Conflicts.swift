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
    ///   Then the conflict stays.
    @discardableResult
    public func resolveConflict(_ resolution: ConflictResolution) async throws -> ResolvedConflict {
        try await exclusively {
            guard isOpen, outsideChange == .conflict else { throw DocumentError(.usage, "there is no conflict to resolve", path: openPath) }
            return try await resolveNow(resolution)
        }
    }

    func resolveNow(_ resolution: ConflictResolution) async throws -> ResolvedConflict {
        switch resolution {
        case .keepMineAsCopy(let url):
            let target = try url ?? freeURL(tag: "conflict")
            try await writeCopy(to: target)
            try reloadTheirs()
            return ResolvedConflict(copy: target)
        case .takeTheirs:
            guard try await away({ try $0.canKeepAside() }) else {
                try reloadTheirs()
                return ResolvedConflict()
            }
            return try await withCopyOfMine { mine in
                let version = try await away { try $0.keepAside(mine) }
                try reloadTheirs()
                return ResolvedConflict(version: version)
            }
        case .merge(let policy):
            return try await withCopyOfMine { mine in
                let plan = try await away { try $0.mergePlan(mine, policy) }
                let version = try await away { try $0.canKeepAside() ? $0.keepAside(mine) : nil }
                try reloadTheirs()
                do {
                    try MergedEdits(plan, context).apply()
                } catch {
                    context.rollback()
                    throw try await kept(mine, version, error)
                }
                return ResolvedConflict(version: version, clashes: plan.clashes)
            }
        }
    }

    /// The edits are not in the document any more, and not in it again either: where no version keeps them they get a place of their own.
    private func kept(_ mine: String, _ version: DocumentVersion?, _ error: any Error) async throws -> any Error {
        guard version == nil else { return error }
        let url = try freeURL(tag: "conflict")
        let copy = try await PersistentDocument.open(URL(fileURLWithPath: mine), mode: .reading)
        try await copy.write(to: url, form: form)
        try await copy.close()
        return DocumentError(.changed, "the edits could not be merged: \(error)", path: openPath, hint: "they are in \(url.path)", underlying: error)
    }

    /// Writes what is open here, valid or not, into a package that is gone when `body` ends.
    private func withCopyOfMine<Result>(_ body: (_ package: String) async throws -> Result) async throws -> Result {
        let folder = try StateFolder.makeTemporary()
        defer { try? Disk.removeTree(folder) }
        let mine = FilePath.join(folder, "mine.folio")
        try await writeCopy(to: URL(fileURLWithPath: mine), form: .package)
        return try await body(mine)
    }

    private func reloadTheirs() throws {
        if case .unreadable(let error)? = reload() { throw error }
    }
}
