// The context is the public API. Each of these types implements one part of it, and works with the
// state in the properties of the context.
extension ManagedObjectContext {
    var fetching: FetchExecutor { FetchExecutor(self) }
    var faults: FaultHandling { FaultHandling(self) }
    var members: MemberLoader { MemberLoader(self) }
    var relationships: RelationshipEditor { RelationshipEditor(self) }
    var deletions: DeletionPropagation { DeletionPropagation(self) }
    var undoReplay: UndoReplay { UndoReplay(self) }
    package var saving: SaveExecutor { SaveExecutor(self) }
    var preparation: SavePreparation { SavePreparation(self) }
    var validator: ChangeValidator { ChangeValidator(self) }
    package var keys: KeyAssignment { KeyAssignment(self) }
    var outcome: SaveOutcome { SaveOutcome(self) }
    var settler: ConflictSettler { ConflictSettler(self) }
    package var merging: ObjectMerging { ObjectMerging(self) }
    package var deferral: UniqueValueDeferral { UniqueValueDeferral(self) }
    package var edits: ContextEdits { ContextEdits(self) }
    package var lookup: ObjectLookup { ObjectLookup(self) }
    package var maker: ObjectMaker { ObjectMaker(self) }
    package var assignment: StoreAssignment { StoreAssignment(self) }
    var events: EventProcessor { EventProcessor(self) }
    var rollbacks: ContextRollback { ContextRollback(self) }
}

extension ObjectRegistry {
    /// The context of the registry.
    var context: ManagedObjectContext { withContext { $0 } }

    /// Calls `body` with the context, without retaining it.
    @inline(__always) func withContext<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        guard let owner else {
            preconditionFailure("The context of these objects is gone: keep it as long as you use its objects")
        }
        // Only `ManagedObjectContext.init` opens a registry, and passes itself.
        return try owner._withUnsafeGuaranteedRef { try body(unsafeDowncast($0, to: ManagedObjectContext.self)) }
    }
}
