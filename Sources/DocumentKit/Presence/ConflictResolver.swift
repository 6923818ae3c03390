internal import Merging
internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import ObjectGraph
internal import Storage

/// Resolves a conflict: the document takes the other program's state, and the state that was open
/// here is kept or merged into it.
struct ConflictResolver {
    let document: OpenDocument
    let outside: OutsideChanges
    let saver: DocumentSaver
    let copier: DocumentCopier

    /// Resolves the conflict that was found last, as ``PersistentDocument/resolveConflict(_:)``
    /// documents.
    func resolveOpenConflict(_ resolution: ConflictResolution) async throws -> ResolvedConflict {
        guard document.isOpen, document.outsideChange == .conflict else {
            throw DocumentError(.usage, "there is no conflict to resolve", path: document.path)
        }
        do { return try await resolve(resolution) } catch let unmerged as UnmergedEdits {
            throw unmerged.documentError(document.path)
        }
    }

    /// - Throws: The errors of ``PersistentDocument/resolveConflict(_:)``, and `UnmergedEdits` if
    ///   merging failed after the document has taken the other state.
    func resolve(_ resolution: ConflictResolution) async throws -> ResolvedConflict {
        switch resolution {
        case .keepMineAsCopy(let url):
            let target = try url ?? document.state.freeURL(tag: "conflict")
            try await copier.writeCopy(to: target)
            try reloadTheirs()
            return ResolvedConflict(copy: target)
        case .takeTheirs:
            guard try await document.performInBackground({ try $0.canKeepAside() }) else {
                try reloadTheirs()
                return ResolvedConflict()
            }
            return try await withCopyOfMine { mine in
                let version = try await document.performInBackground { try $0.keepAside(mine) }
                try reloadTheirs()
                return ResolvedConflict(version: version)
            }
        case .merge(let policy): return try await withCopyOfMine { mine in try await merge(mine, policy) }
        }
    }

    private func merge(_ mine: String, _ policy: MergePolicyType) async throws -> ResolvedConflict {
        let values = try document.mergeScratch()
        var plan = try await document.performInBackground { try $0.mergePlan(mine, policy, values: values) }
        var kept = ResolvedConflict(
            version: try await document.performInBackground { try $0.canKeepAside() ? $0.keepAside(mine) : nil })
        // Reading the other state discards the edits here, including autosaved ones. If no version
        // keeps them, write a copy until the merged edits are safe again.
        if kept.version == nil { kept.copy = try await copyBesideDocument(mine) }
        do {
            try reloadTheirs()
            do {
                let store = document.state.store
                plan.names.identity = store.identity
                // Nobody else may get the keys of new objects before these are saved.
                if document.state.marker != nil { try plan.names.hold(in: store) }
                var applier = MergeApplier(plan, document.context)
                try applier.apply()
            } catch {
                document.context.rollback()
                throw error
            }
        } catch {
            throw UnmergedEdits(kept: kept, cause: error)
        }
        return ResolvedConflict(copy: await copyStillNeeded(kept.copy), version: kept.version, clashes: plan.clashes)
    }

    private func copyBesideDocument(_ mine: String) async throws -> URL {
        let url = try document.state.freeURL(tag: "conflict"), form = document.state.form
        try await DocumentOpening.withDocument(at: URL(fileURLWithPath: mine)) {
            try await $0.write(to: url, form: form)
        }
        return url
    }

    /// Removes the copy of the edits once the merged edits are autosaved. If that fails, the edits
    /// are safe only in the copy, and its URL is returned.
    private func copyStillNeeded(_ copy: URL?) async -> URL? {
        guard let copy else { return nil }
        do {
            if document.state.marker != nil { try await saver.autosave() }
            try Disk.removeTree(copy.path)
            return nil
        } catch {
            return copy
        }
    }

    /// Writes the state that is open here, valid or not, to a temporary package, which is deleted
    /// when `body` returns.
    private func withCopyOfMine<Result>(_ body: (_ package: String) async throws -> Result) async throws -> Result {
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        let mine = FilePath.join(folder, "mine.folio")
        try await copier.writeCopy(to: URL(fileURLWithPath: mine), form: .package)
        return try await body(mine)
    }

    private func reloadTheirs() throws {
        if case .unreadable(let error)? = outside.reload() { throw error }
    }
}
