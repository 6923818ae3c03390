import RowMemory

/// One step that can be taken back. What an event did, in order, is what undo keeps.
enum Change {
    /// A property but a to-many had this value.
    case value(ManagedObject, property: Int, SlotValue)
    case memberAdded(ManagedObject, property: Int, ManagedObject)
    case memberRemoved(ManagedObject, property: Int, ManagedObject, index: Int)
    /// The members of an ordered relationship stood in this order.
    case reordered(ManagedObject, property: Int, ContiguousArray<ManagedObject>)
    /// The object came to be.
    case inserted(ManagedObject)
    /// The object was deleted, or forgotten if it was not saved yet.
    case removed(ManagedObject)
}
