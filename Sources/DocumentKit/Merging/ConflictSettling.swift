internal import DocumentFiles
internal import ObjectGraph
internal import Schema
internal import Storage

/// Decides conflicts that a document keeps.
struct ConflictSettling {
    let document: OpenDocument

    private var context: ManagedObjectContext { document.context }

    func settle(_ name: String, _ choice: DocumentMerge.Choice) async throws {
        let state = try document.openedState(), before = try await document.readMergeMemory()
        guard let index = before.conflicts.firstIndex(where: { $0.name == name }) else {
            throw DocumentError(.notFound, "there is no conflict \(name)", path: state.path)
        }
        let kept = before.conflicts[index], conflict = kept.conflict(in: state.store.identity)
        var memory = before
        memory.conflicts.remove(at: index)
        context.processPendingChanges()
        let undo = context.undoManager
        undo?.beginUndoGrouping()
        do {
            try settle(conflict, kept, choice)
            context.processPendingChanges()
            document.setMergeMemory(memory, from: before)
            undo?.endUndoGrouping()
        } catch {
            undo?.endUndoGrouping()
            if undo == nil { context.rollback() } else { undo?.undo() }
            throw error
        }
        document.noteChange()
    }

    private func settle(_ conflict: DocumentMerge.Conflict, _ kept: KeptConflict, _ choice: DocumentMerge.Choice) throws
    {
        switch (conflict.kind, choice) {
        case (.deletedChanged, .value):
            throw usage("an object that one side has deleted is kept or deleted: decide it by ours or theirs")
        case (.deletedChanged, let choice):
            let isDeletion = choice == .ours ? conflict.ours.isNull : conflict.theirs.isNull
            if isDeletion, let object = try object(conflict.object) { context.delete(object) }
        case (_, .ours): break
        case (.values, let choice): try set(conflict, kept, choice)
        case (.unique, _), (.rule, _):
            throw DocumentError(
                .unsupported, "what violates a rule can't be decided by taking it", path: document.path,
                hint: "edit the objects, then decide it by ours")
        }
    }

    private func set(_ conflict: DocumentMerge.Conflict, _ kept: KeptConflict, _ choice: DocumentMerge.Choice) throws {
        guard let object = try object(conflict.object) else {
            throw DocumentError(.notFound, "there is no object \(conflict.object) any more", path: document.path)
        }
        let path = (conflict.property ?? "").split(separator: ".").map(String.init)
        guard let name = path.first, let property = object.entity.property(named: name) else {
            throw DocumentError(.notFound, "there is no property \(conflict.name)", path: document.path)
        }
        switch choice {
        case .ours: return
        case .value(let value):
            guard property.attribute != nil else {
                throw usage("\(conflict.name) is a relationship: set it by editing")
            }
            try set(value, path, object)
        case .theirs:
            if case .large(let count) = kept.theirs {
                throw DocumentError(
                    .unsupported, "the other value has \(count) bytes, and is not in the list", path: document.path,
                    hint: "give it from a file, then decide the conflict by ours")
            }
            guard property.attribute == nil else { return try set(conflict.theirs, path, object) }
            guard case .object(let id) = conflict.theirs else {
                object[name] = nil as ManagedObject?
                return
            }
            object[name] = try context.existingObject(with: id)
        }
    }

    private func set(_ value: PropertyValue, _ path: [String], _ object: ManagedObject) throws {
        func replaced(_ old: PropertyValue, _ path: ArraySlice<String>) -> PropertyValue {
            guard let part = path.first else { return value }
            var parts: [String: PropertyValue] = [:]
            if case .composite(let known) = old { parts = known }
            parts[part] = replaced(parts[part] ?? .null, path.dropFirst())
            return .composite(parts)
        }
        let old = path.count > 1 ? try object.propertyValue(forKey: path[0]) : .null
        try object.setPropertyValue(replaced(old, path.dropFirst()), forKey: path[0])
    }

    /// Nil where it is gone.
    private func object(_ text: String) throws -> ManagedObject? {
        guard let id = ManagedObjectID(text: text, store: document.state.store.identity) else { return nil }
        do {
            return try context.existingObject(with: id)
        } catch let error as GraphError where error.code == .objectNotFound {
            return nil
        }
    }

    private func usage(_ message: String) -> DocumentError { DocumentError(.usage, message, path: document.path) }
}
