import RowMemory

/// What an event did, in order. Whoever takes it back takes it out: an action of undo is run once.
final class ChangeLog {
    var changes: GrowingList<Change>

    init(_ changes: GrowingList<Change>) { self.changes = changes }
}
