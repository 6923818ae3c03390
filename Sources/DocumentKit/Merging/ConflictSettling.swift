internal import Merging
internal import DocumentFiles
internal import ObjectGraph
internal import Schema
internal import Storage

/// Decides conflicts that a document keeps.
struct ConflictSettling {
    let document: OpenDocument

    private var context: ManagedObjectContext { document.context }

    /// What a decision changes.
    private enum Edit {
        case nothing
        case deletion(ManagedObject)
        /// A value at a path of a property and the parts of a composite.
        case value(PropertyValue, ManagedObject, path: [String])
    }

    func undecided() async throws -> [DocumentMerge.Conflict] {
        let store = try document.openedState().store.identity
        return try await document.readMergeMemory().conflicts.map { $0.conflict(in: store) }
    }

    func settle(_ decisions: [String: DocumentMerge.Choice]) async throws {
        let state = try document.openedState(), before = try await document.readMergeMemory()
        var memory = before, edits: [Edit] = [], decided: Set<String> = []
        memory.conflicts = []
        for kept in before.conflicts {
            guard let choice = decisions[kept.name] else {
                memory.conflicts.append(kept)
                continue
            }
            // Whatever can be refused is refused before anything changes.
            edits.append(try edit(kept.conflict(in: state.store.identity), kept, choice))
            decided.insert(kept.name)
        }
        if let unknown = decisions.keys.filter({ !decided.contains($0) }).min() {
            throw DocumentError(.notFound, "there is no conflict \(unknown)", path: state.path)
        }
        guard !decided.isEmpty else { return }
        try context.edits.asOneStep {
            for edit in edits {
                guard case .value(let value, let object, let path) = edit else { continue }
                // The other parts of a composite may have been decided, too.
                let old = path.count > 1 ? try object.propertyValue(forKey: path[0]) : .null
                try object.setPropertyValue(old.replacing(path.dropFirst(), by: value), forKey: path[0])
            }
            for case .deletion(let object) in edits { context.delete(object) }
            context.processPendingChanges()
            document.setMergeMemory(memory, from: before)
        }
        document.noteChange()
    }

    private func edit(
        _ conflict: DocumentMerge.Conflict, _ kept: KeptConflict, _ choice: DocumentMerge.Choice
    ) throws -> Edit {
        if case .value = choice, let objection = conflict.objectionToValue(document.state.model) {
            throw DocumentError(.usage, objection, path: document.path)
        }
        switch (conflict.kind, choice) {
        case (.deletedChanged, let choice):
            let isDeletion = choice == .ours ? conflict.ours.isNull : conflict.theirs.isNull
            return isDeletion ? try object(conflict.object).map { .deletion($0) } ?? .nothing : .nothing
        case (_, .ours): return .nothing
        case (.values, let choice): return try value(conflict, kept, choice)
        case (.unique, _), (.rule, _):
            throw DocumentError(
                .unsupported, "\(conflict.name) violates a rule, and can't be decided by taking it",
                path: document.path,
                hint: "edit the objects, then decide it by ours")
        }
    }

    private func value(
        _ conflict: DocumentMerge.Conflict, _ kept: KeptConflict, _ choice: DocumentMerge.Choice
    ) throws -> Edit {
        guard let object = try object(conflict.object) else {
            throw DocumentError(
                .notFound, "there is no object \(conflict.object) any more", path: document.path,
                hint: "decide \(conflict.name) by ours")
        }
        let path = (conflict.property ?? "").split(separator: ".").map(String.init)
        guard let name = path.first, object.entity.property(named: name) != nil else {
            throw DocumentError(.notFound, "there is no property \(conflict.name)", path: document.path)
        }
        var value = conflict.theirs
        if case .value(let given) = choice {
            value = given
        } else if case .large(let count) = kept.theirs {
            throw DocumentError(
                .unsupported, "the other value of \(conflict.name) has \(count) bytes, and is not in the list",
                path: document.path,
                hint: "give it from a file, then decide the conflict by ours")
        }
        return .value(value, object, path: path)
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
}
