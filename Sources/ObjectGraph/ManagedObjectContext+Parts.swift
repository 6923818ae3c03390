// Who does what: the context is what applications see, and each of these does one thing for it. None has state of its own.
extension ManagedObjectContext {
    var fetching: FetchExecutor { FetchExecutor(self) }
    var members: MemberLoader { MemberLoader(self) }
    var deletions: DeletionPropagation { DeletionPropagation(self) }
    var validator: ChangeValidator { ChangeValidator(self) }
    var keys: KeyAssignment { KeyAssignment(self) }
    var outcome: SaveOutcome { SaveOutcome(self) }
    var settler: ConflictSettler { ConflictSettler(self) }
    var merging: ObjectMerging { ObjectMerging(self) }
}
