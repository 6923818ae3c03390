// Who does what: the context is what applications see, and each of these does one thing for it, with the state of the parts that the context holds.
extension ManagedObjectContext {
    var fetching: FetchExecutor { FetchExecutor(self) }
    var faults: FaultHandling { FaultHandling(self) }
    var members: MemberLoader { MemberLoader(self) }
    var relationships: RelationshipEditor { RelationshipEditor(self) }
    var deletions: DeletionPropagation { DeletionPropagation(self) }
    var undoReplay: UndoReplay { UndoReplay(self) }
    var saving: SaveExecutor { SaveExecutor(self) }
    var preparation: SavePreparation { SavePreparation(self) }
    var validator: ChangeValidator { ChangeValidator(self) }
    var keys: KeyAssignment { KeyAssignment(self) }
    var outcome: SaveOutcome { SaveOutcome(self) }
    var settler: ConflictSettler { ConflictSettler(self) }
    var merging: ObjectMerging { ObjectMerging(self) }
    var rollbacks: ContextRollback { ContextRollback(self) }
}
