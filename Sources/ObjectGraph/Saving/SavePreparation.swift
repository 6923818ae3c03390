import RowMemory
import Schema
import Storage

/// The first half of a save: changes are processed and checked, and become what the store is to
/// write.
struct SavePreparation {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    func throwLoadError() throws {
        guard let error = context.loadError else { return }
        context.loadError = nil
        throw GraphError(
            .loadFailed, "A value could not be read when it was used, so nothing was saved: \(error)", underlying: error
        )
    }

    /// Processes changes and lets objects take part, until none of them changes anything any more.
    func collectChanges() throws {
        context.processPendingChanges()
        if context.observers.isObserved(.willSave) { context.observers.post(ContextNotification(.willSave, context)) }
        context.processPendingChanges()
        // Objects that this brings have an event of their own: the rounds below send it to them.
        for index in 0..<(context.registry.isPlain.contains(false) ? context.changes.indices.count : 0) {
            context.changes.object(at: index)?.willSave()
        }
        var rounds = 0
        // Deletions wait where the store can't be read; that is thrown next.
        while context.loadError == nil, context.changes.hasEvent || context.pendingDeletions.arePending {
            rounds += 1
            if rounds > 1000 {
                throw GraphError(
                    .recursiveDirtying,
                    "Pending changes can't be processed: every round of willSave changes objects again. Set a value only where it differs"
                )
            }
            let objects = context.changes.eventObjects
            context.processPendingChanges()
            for object in objects where object.registryReference != nil { object.willSave() }
        }
    }

    private func makePlan() -> SavePlan {
        context.lastSaveNumber += 1
        var plan = SavePlan(context, number: context.lastSaveNumber)
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
            // Changes that come to nothing: the objects are clean, and the store has nothing to do.
            context.outcome.accept(SaveReceipt(keys: []))
            return nil
        }
        return PreparedSave(changes: plan.changes, number: plan.underWay.number, validates: validates, attempt: attempt)
    }
}
