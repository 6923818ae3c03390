/// Deletions that are not done with.
///
/// Invariants:
/// 1. An object stands in `pending` from its deletion until its delete rules have run.
/// 2. `memberDeletions` is filled while a save that may leave members to the store is prepared, and
///    is empty otherwise.
struct PendingDeletions {
    /// Objects whose delete rules have not run yet.
    var pending: ContiguousArray<ManagedObject> = []
    /// Whether a save is being prepared that may leave members of deleted objects to the store.
    private(set) var collectsMemberDeletions = false
    /// What that save leaves to the store.
    private(set) var memberDeletions: [MemberDeletion] = []
    /// What a save that failed had left to the store: these members have to be deleted one by one.
    private(set) var postponed: [MemberDeletion] = []

    /// Whether there is anything that ``ManagedObjectContext/processPendingChanges()`` has to do.
    var arePending: Bool { !pending.isEmpty || !postponed.isEmpty }

    mutating func beginCollecting(_ collects: Bool) { collectsMemberDeletions = collects }

    mutating func leaveToStore(_ deletion: MemberDeletion) { memberDeletions.append(deletion) }

    /// Ends the collecting: what was left to the store is part of a save from here on.
    mutating func endCollecting() { (collectsMemberDeletions, memberDeletions) = (false, []) }

    /// Has the members deleted one by one, whose deletion a save did not write.
    mutating func postpone(_ deletions: [MemberDeletion]) { postponed += deletions }

    /// Has the members deleted one by one that a save was to leave to the store, which is not
    /// prepared after all.
    mutating func postponeCollected() {
        postponed += memberDeletions
        endCollecting()
    }

    /// Notes that the last of the postponed deletions is done.
    mutating func finishPostponed() { postponed.removeLast() }

    /// Forgets the deletions, which are taken back.
    mutating func clear() {
        pending.removeAll()
        postponed.removeAll()
    }
}
