/// Deletions that are not completed.
///
/// Invariants:
/// 1. An object is in `pending` from its deletion until its delete rules have run.
/// 2. `memberDeletions` is filled during the preparation of a save that may leave members to the
///    store, and is empty otherwise.
struct PendingDeletions {
    /// Objects whose delete rules have not run yet.
    var pending: ContiguousArray<ManagedObject> = []
    /// Whether a save is being prepared that may leave members of deleted objects to the store.
    private(set) var collectsMemberDeletions = false
    /// The deletions that this save leaves to the store.
    private(set) var memberDeletions: [MemberDeletion] = []
    /// The deletions that a failed save had left to the store: their members have to be read and
    /// deleted.
    private(set) var postponed: [MemberDeletion] = []

    /// Whether ``ManagedObjectContext/processPendingChanges()`` has deletions to process.
    var arePending: Bool { !pending.isEmpty || !postponed.isEmpty }

    mutating func beginCollecting(_ collects: Bool) { collectsMemberDeletions = collects }

    mutating func leaveToStore(_ deletion: MemberDeletion) { memberDeletions.append(deletion) }

    /// Ends the collecting; the collected deletions belong to the save now.
    mutating func endCollecting() { (collectsMemberDeletions, memberDeletions) = (false, []) }

    /// Schedules the deletions that a save did not write, to read and delete the members.
    mutating func postpone(_ deletions: [MemberDeletion]) { postponed += deletions }

    /// Schedules the collected deletions of a save whose preparation failed, to read and delete the
    /// members.
    mutating func postponeCollected() {
        postponed += memberDeletions
        endCollecting()
    }

    /// Removes the last postponed deletion, which is completed.
    mutating func finishPostponed() { postponed.removeLast() }

    /// Discards the deletions, because they are rolled back.
    mutating func clear() {
        pending.removeAll()
        postponed.removeAll()
    }
}
