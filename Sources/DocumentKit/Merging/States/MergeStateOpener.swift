internal import DocumentFiles
internal import Foundation
internal import Schema

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
        let session = try DocumentSession.read(path, state, model: choice)
        do {
            if model.isCompatible(withVersionHashes: session.model.versionHashesByEntityName) {
                try session.hold()
                return session
            }
        } catch {
            try? session.close()
            throw error
        }
        try session.close()
        return try openMigrated(path, state)
    }

    func needsMigration(_ path: String) -> Bool {
        guard let session = try? DocumentSession.read(path, model: choice) else { return false }
        defer { try? session.close() }
        return !model.isCompatible(withVersionHashes: session.model.versionHashesByEntityName)
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
                stage: .opening, hint: "migrate “\(self.path)” to the model of “\(path)” first")
        }
        return try migrator.view(of: state)
    }
}
