internal import DocumentFiles
internal import Schema
internal import Storage

extension DocumentSession {
    /// The model with the version identifiers that the store records. Models inferred from old
    /// stores don't contain them, and a copy has to record the same identifiers.
    func modelOfCopy() throws -> ManagedObjectModel {
        guard case .array(let recorded) = try store.metadata()["NSStoreModelVersionIdentifiers"] else { return model }
        let identifiers = recorded.compactMap { if case .string(let identifier) = $0 { identifier } else { nil } }
        guard identifiers != model.definition.versionIdentifiers else { return model }
        var description = model.definition
        description.versionIdentifiers = identifiers
        return try ManagedObjectModel(description)
    }

    /// Closes the session after the document was saved at another location. The old document stays
    /// in its last saved state.
    func closeAfterSaveAs() throws {
        guard isEditing else { return try close() }
        if let finding = try? trace?.look(), finding != .same { return try closeLeavingPlace() }
        if hasAutosavedWork { try closeGivingUpWork() } else { try close() }
    }

    /// Closes the session and discards its autosaved work.
    func closeGivingUpWork() throws {
        defer { unlock() }
        try closeDiscardingAutosavedWork()
        try workingSet?.remove()
    }
}
