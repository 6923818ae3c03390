// Who does what: the context is what applications see, and each of these does one thing for it. But for the registry they have no state of their own.
extension ManagedObjectContext {
    var fetching: FetchExecutor { FetchExecutor(self) }
    var members: MemberLoader { MemberLoader(self) }
    var deletions: DeletionPropagation { DeletionPropagation(self) }
    var validator: ChangeValidator { ChangeValidator(self) }
    var keys: KeyAssignment { KeyAssignment(self) }
    var outcome: SaveOutcome { SaveOutcome(self) }
    var settler: ConflictSettler { ConflictSettler(self) }
    var merging: ObjectMerging { ObjectMerging(self) }
    var relationships: RelationshipEditor { RelationshipEditor(self) }
    var recorder: ChangeRecorder { ChangeRecorder(self) }
    var preparation: SavePreparation { SavePreparation(self) }
    var faults: FaultHandling { FaultHandling(self) }
}
