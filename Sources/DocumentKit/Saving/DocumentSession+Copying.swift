internal import DocumentFiles
internal import Schema
internal import Storage

extension DocumentSession {
    /// The model with the version identifiers that the store records: models of old tools don't say
    /// them, and a copy has what the original has.
    func modelOfCopy() throws -> ManagedObjectModel {
        guard case .array(let recorded) = try store.metadata()["NSStoreModelVersionIdentifiers"] else { return model }
        let identifiers = recorded.compactMap { if case .string(let identifier) = $0 { identifier } else { nil } }
        guard identifiers != model.definition.versionIdentifiers else { return model }
        var description = model.definition
        description.versionIdentifiers = identifiers
        return try ManagedObjectModel(description)
    }

    /// Ends the session of a document that goes on elsewhere: this one stays as it was last saved.
    func closeAfterSaveAs() throws {
        guard isEditing else { return try close() }
        if let finding = try? trace?.look(), finding != .same { return try closeLeavingPlace() }
        if hasAutosavedWork { try closeGivingUpWork() } else { try close() }
    }

    /// Ends the session and gives up its autosaved work.
    func closeGivingUpWork() throws {
        defer { unlock() }
        try closeDiscardingAutosavedWork()
        try workingSet?.remove()
    }
}
