import RowMemory

/// One step that can be taken back, other than the setting of a value (``ValueChange``).
enum Change {
    case memberAdded(ManagedObject, property: Int, ManagedObject)
    case memberRemoved(ManagedObject, property: Int, ManagedObject, index: Int)
    /// The members of an ordered relationship stood in this order.
    case reordered(ManagedObject, property: Int, ContiguousArray<ManagedObject>)
    /// The object came to be.
    case inserted(ManagedObject)
    /// The object was deleted, or forgotten if it was not saved yet.
    case removed(ManagedObject)

    /// Those whose present state the change is part of.
    var objects: [ManagedObject] {
        switch self {
        case .memberAdded(let owner, _, let member), .memberRemoved(let owner, _, let member, _): [owner, member]
        case .reordered(let owner, _, let members): [owner] + members
        case .inserted(let object), .removed(let object): [object]
        }
    }
}

/// A property but a to-many had this value.
struct ValueChange {
    let object: ManagedObject
    var value: SlotValue
    let property: Int32
}
