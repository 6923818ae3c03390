import Foundation
import RowMemory
import Schema

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

/// What an event did, in order.
///
/// Values stand in a list of their own, since mostly they are all there is: then undo exchanges
/// them where they stand.
struct EventLog {
    private struct Step {
        let change: Change
        /// How many values were set before.
        let valueCount: Int
    }

    /// What stands at the end.
    enum Last {
        case value(ValueChange)
        case change(Change)
    }

    var values = GrowingList<ValueChange>()
    private var steps = GrowingList<Step>()

    var isEmpty: Bool { values.isEmpty && steps.isEmpty }
    var hasValuesOnly: Bool { steps.isEmpty }

    mutating func append(_ change: consuming Change) {
        steps.append(Step(change: change, valueCount: values.count))
    }

    /// About how many bytes the changes take, with the objects and values that they hold.
    var byteCount: Int {
        var count =
            steps.count * (MemoryLayout<Step>.stride + Self.objectSize) + values.count
            * MemoryLayout<ValueChange>.stride
        for index in values.indices {
            switch values[index].value {
            case .value(.string(let text)): count += text.utf8.count
            case .value(.data(let data)): count += data.count
            default: continue
            }
        }
        return count
    }

    /// What an object and its row take, about.
    private static let objectSize = 160

    /// Whether any change is one of these objects, or leads to one of them.
    func concerns(_ objects: Set<ManagedObject>, _ references: Set<ObjectReference>) -> Bool {
        for index in values.indices {
            let change = values[index]
            if objects.contains(change.object) { return true }
            if case .reference(let reference?) = change.value, references.contains(reference) { return true }
        }
        return steps.indices.contains { index in steps[index].change.objects.contains { objects.contains($0) } }
    }

    var deletedObjects: [ManagedObject] {
        steps.indices.compactMap { index in if case .removed(let object) = steps[index].change { object } else { nil } }
    }

    /// Takes the last change out; nil where there is none.
    mutating func popLast() -> Last? {
        if let step = steps.last, step.valueCount == values.count {
            _ = steps.popLast()
            return .change(step.change)
        }
        return values.popLast().map { .value($0) }
    }
}

/// What undo takes back, or redo makes again.
final class ChangeLog {
    var event: EventLog
    /// Whether the values are taken back from the first one to the last, as those that were
    /// exchanged are.
    var isReversed = false

    init(_ event: EventLog) { self.event = event }
}
