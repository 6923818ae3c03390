public import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

extension PersistentDocument {
    /// Writes the document as it is now, unsaved changes included, to another place, in the same or another form. This document stays where and as it is.
    ///
    /// The new document is one of its own: its store has a new UUID, objects keep their entities and numbers. A store that is copied into a package or archive
    /// is written afresh, row by row; between the other forms its pages are copied.
    /// - Parameters:
    ///   - form: Nil for the form of this document.
    ///   - replacing: Whether a document that is there already is replaced, in one step.
    ///   - includingVersions: Whether the earlier versions go along, what is saved now as one of them. They show text that was deleted since. Not into a store by itself.
    ///   - includingHistory: Whether the persistent history of the store goes along, where its pages are copied.
    /// - Throws: `ValidationError` if the changes can't be saved; `DocumentError`: `cannotCreate`, `locked`, `io`…
    public func write(
        to url: URL, form: DocumentForm? = nil, replacing: Bool = false, includingVersions: Bool = false, includingHistory: Bool = true
    ) async throws {
        let prepared = try prepareForWriting()
        do {
            var writer = try writer(to: url, form, replacing)
            if includingVersions, writer.form.bareStoreType != nil {
                throw DocumentError(.usage, "a store by itself keeps no versions", path: url.path, stage: .writing)
            }
            writer.includesVersions = includingVersions
            writer.includesHistory = includingHistory
            _ = try writer.write(.copy(session, prepared?.changes))
        } catch {
            throw prepared.map { context.failSave($0, error) } ?? error
        }
        // Nothing was saved here: the changes go on being changes.
        if let prepared { _ = context.failSave(prepared, CancellationError()) }
    }

    /// Writes the document to another place as `write(to:form:replacing:)` does, and goes on as the document there. The old one stays as it was last saved.
    ///
    /// Objects stay the same; their IDs are those of the new store, with the same entities and numbers.
    public func save(as url: URL, form: DocumentForm? = nil, replacing: Bool = false) async throws {
        let old = session, context = self.context
        let prepared = try prepareForWriting()
        do {
            let writer = try writer(to: url, form, replacing)
            let receipt = try writer.write(.copy(old, prepared?.changes))
            let new =
                old.isEditing
                ? try DocumentSession.edit(writer.target, model: { [model] _ in model }, recovery: .refuse)
                : try DocumentSession.read(writer.target, model: { [model] _ in model })
            begin(new)
            if let prepared { context.completeSave(prepared, receipt) }
        } catch {
            throw prepared.map { context.failSave($0, error) } ?? error
        }
        recovered = nil
        // Rows that were written afresh have other versions.
        context.refreshAllObjects()
        // The new document stands; what hinders the old one's closing leaves its autosaved work to be recovered.
        try? Self.closeLeft(old)
    }

    private static func closeLeft(_ session: DocumentSession) throws {
        guard session.isEditing, session.hasAutosavedWork else { return try session.close() }
        defer { session.unlock() }
        try session.closeDiscardingAutosavedWork()
        try session.workingSet?.remove()
    }

    private func writer(to url: URL, _ form: DocumentForm?, _ replacing: Bool) throws -> DocumentWriter {
        let target = LinkResolution.resolve(url.path)
        guard target != session.path else {
            throw DocumentError(.usage, "a document can't be written over itself: save it", path: target, stage: .writing)
        }
        return DocumentWriter(
            target: target, form: form ?? self.form, replaces: replacing, model: try modelOfCopy(),
            modelName: session.manifest?.model.name ?? PackageBuilder.name(for: model))
    }

    /// The model with the version identifiers that the store records: models of old tools don't say them, and a copy has what the original has.
    private func modelOfCopy() throws -> ManagedObjectModel {
        guard case .array(let recorded) = try session.store.metadata()["NSStoreModelVersionIdentifiers"] else { return model }
        let identifiers = recorded.compactMap { if case .string(let identifier) = $0 { identifier } else { nil } }
        guard identifiers != model.description.versionIdentifiers else { return model }
        var description = model.description
        description.versionIdentifiers = identifiers
        return try ManagedObjectModel(description)
    }

    /// The changes that are to be in the new document, as values.
    private func prepareForWriting() throws -> PreparedSave? {
        if session.isEditing { try validateUncheckedObjects() }
        return try context.prepareSave()
    }

    /// The form in which the document is kept.
    private var form: DocumentForm {
        switch kind {
        case .package: .package
        case .archive: .archive
        case .store, .managedDocument:
            switch session.store.description.type {
            case .binary: .binaryStore
            case .xml: .xmlStore
            default: .store
            }
        }
    }
}
