import RowMemory
import Schema
import Storage

/// The first half of a save: processes and validates the changes, and converts them into a change
/// set.
struct SavePreparation {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    func throwLoadError() throws {
        guard let error = context.nextSave.loadError else { return }
        context.nextSave.loadError = nil
        // A value that could not be set is told as one that is not valid.
        if error is ValidationError { throw error }
        throw GraphError(
            .loadFailed, "A value could not be read when it was used, so nothing was saved: \(error)", underlying: error
        )
    }

    /// Processes changes and calls `willSave`, until no object changes any more.
    func collectChanges() throws {
        context.events.process(propagatesDeletes: true, endsStep: true)
        if context.observers.isObserved(.willSave) { context.observers.post(ContextNotification(.willSave, context)) }
        context.events.process(propagatesDeletes: true, endsStep: true)
        // Objects that `willSave` adds to the changes are part of the event; the loop below calls
        // them.
        for index in 0..<(context.registry.isPlain.contains(false) ? context.changes.indices.count : 0) {
            context.changes.object(at: index)?.willSave()
        }
        var rounds = 0
        // If the store can't be read, deletions stay pending; the error is thrown next.
        while context.nextSave.loadError == nil, context.changes.hasEvent || context.pendingDeletions.arePending {
            rounds += 1
            if rounds > 1000 {
                throw GraphError(
                    .recursiveDirtying,
                    "Pending changes can't be processed: every round of willSave changes objects again. Set a value only where it differs"
                )
            }
            let objects = context.changes.eventObjects
            context.events.process(propagatesDeletes: true, endsStep: true)
            for object in objects where object.registryReference != nil { object.willSave() }
        }
    }

    private func makePlan() -> SavePlan {
        context.nextSave.lastNumber += 1
        var plan = SavePlan(context, number: context.nextSave.lastNumber)
        plan.collect()
        return plan
    }

    func beginSave(validates: Bool, metadata: [String: MetadataValue?], attempt: Int) -> PreparedSave? {
        var plan = makePlan()
        plan.setMetadata(metadata, origin: ChangeOrigin(author: context.transactionAuthor, contextName: context.name))
        context.outcome.begin(plan)
        if plan.changes.isEmpty,
            context.parent != nil || context.persistentStoreCoordinator.union?.pendingMetadata.isEmpty != false
        {
            // The changes cancel out: the objects are clean, and the store has nothing to write.
            context.outcome.accept(SaveReceipt(keys: []))
            return nil
        }
        return PreparedSave(changes: plan.changes, number: plan.underWay.number, validates: validates, attempt: attempt)
    }
}
