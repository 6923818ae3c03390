internal import DocumentFiles
internal import FileMigration
internal import Foundation
internal import Schema
internal import Storage

/// Opens states of documents for a merge: for reading, and in the model of ours, to which others
/// are migrated in temporary copies.
struct MergeStateOpener {
    let choice: ModelChoice
    private let model: ManagedObjectModel
    private let path: String

    init(_ ours: MergeTarget, _ choice: ModelChoice) {
        model = ours.model
        path = ours.path
        if case .own = choice { self.choice = .fitting([ours.model]) } else { self.choice = choice }
    }

    /// - Throws: `DocumentError` with code `modelMismatch` for a state that is newer than ours, or
    ///   that no inferred migration brings to the model of ours.
    func open(_ path: String, _ state: DocumentState) throws -> DocumentSession {
        try openWithModel(path, state).session
    }

    /// Opens a state as ``open(_:_:)`` does; together with its own model.
    func openWithModel(_ path: String, _ state: DocumentState) throws -> (
        session: DocumentSession, model: ManagedObjectModel
    ) {
        let session = try DocumentSession.read(path, state, model: choice)
        do {
            // What a store lacks would seem to be deleted in it.
            if let part = session.store.missingParts.first {
                throw DocumentError(
                    .malformed, "its store is not complete, and can't be merged: \(part)", path: path, stage: .opening)
            }
            if model.isCompatible(withVersionHashes: session.model.versionHashesByEntityName) {
                try session.hold()
                return (session, session.model)
            }
        } catch {
            try? session.close()
            throw error
        }
        try session.close()
        return (try openMigrated(path, state), session.model)
    }

    func needsMigration(_ path: String) -> Bool {
        guard let session = try? DocumentSession.read(path, model: choice) else { return false }
        defer { try? session.close() }
        return !model.isCompatible(withVersionHashes: session.model.versionHashesByEntityName)
    }

    /// Checks that a state in a model of its own could have all that the base has: what the model
    /// has no place for would seem to be deleted in it.
    ///
    /// - Throws: `DocumentError` with code `modelMismatch`.
    func check(_ model: ManagedObjectModel, of path: String, hasPlaceFor base: MergePlace) throws {
        func refusal(_ reason: String, _ underlying: (any Error)? = nil) -> DocumentError {
            DocumentError(
                .modelMismatch, "its model has no place for what the common state has: \(reason)", path: path,
                stage: .opening, hint: "merge it as a document that never was one with this: --base none",
                underlying: underlying)
        }
        var migrator = DocumentMigrator(path: base.path, model: model)
        migrator.sourceModel = choice
        let losses: [DocumentMigration.Loss]
        do { losses = try migrator.preview(of: base.state).losses } catch { throw refusal("\(error)", error) }
        if let loss = losses.first(where: { $0.count > 0 }) { throw refusal("\(loss)") }
    }

    private func openMigrated(_ path: String, _ state: DocumentState) throws -> DocumentSession {
        var migrator = DocumentMigrator(path: path, model: model)
        migrator.sourceModel = choice
        let preview: DocumentMigration
        do {
            preview = try migrator.preview(of: state)
        } catch {
            throw DocumentError(
                .modelMismatch,
                "it is of another version of the model, and can't be brought to that of “\(self.path)”: \(error)",
                path: path, stage: .opening, hint: "migrate the older of the two first", underlying: error)
        }
        if let loss = preview.losses.first(where: { $0.count > 0 }) {
            throw DocumentError(
                .modelMismatch, "the version of the model of “\(self.path)” has no place for \(loss)", path: path,
                stage: .opening,
                hint: "migrate the one that has the older version of the model to that of the other first")
        }
        return try migrator.view(of: state)
    }
}
