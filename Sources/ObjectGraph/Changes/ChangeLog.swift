import Foundation
import RowMemory
import Schema

/// One change that undo can reverse, other than setting a value (``ValueChange``).
enum Change {
    case memberAdded(ManagedObject, property: Int, ManagedObject)
    case memberRemoved(ManagedObject, property: Int, ManagedObject, index: Int)
    /// The members of an ordered relationship had this order before.
    case reordered(ManagedObject, property: Int, ContiguousArray<ManagedObject>)
    /// The object was inserted.
    case inserted(ManagedObject)
    /// The object was deleted. An object that was never saved was removed from the context.
    case removed(ManagedObject)

    /// The objects whose current state the change is part of.
    var objects: [ManagedObject] {
        switch self {
        case .memberAdded(let owner, _, let member), .memberRemoved(let owner, _, let member, _): [owner, member]
        case .reordered(let owner, _, let members): [owner] + members
        case .inserted(let object), .removed(let object): [object]
        }
    }
}

/// The previous value of an attribute or a to-one relationship.
struct ValueChange {
    let object: ManagedObject
    var value: SlotValue
    let property: Int32
}

/// The changes of one event, in order.
///
/// Changes of values are in a list of their own. Most events consist of them only, and then undo
/// exchanges the old and new values in place.
struct EventLog {
    private struct Step {
        let change: Change
        /// The number of value changes that precede this step.
        let valueCount: Int
    }

    /// The last entry of the log.
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

    /// The approximate number of bytes that the changes take, with the objects and values that they
    /// retain.
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

    /// The approximate size of an object and its row.
    private static let objectSize = 160

    /// Whether any change concerns one of these objects, or has a reference to one of them as its
    /// value.
    func concerns(_ objects: Set<ManagedObject>, _ references: Set<ObjectReference>) -> Bool {
        for index in values.indices {
            let change = values[index]
            if objects.contains(change.object) { return true }
            if case .reference(let reference?) = change.value, references.contains(reference) { return true }
        }
        return steps.indices.contains { index in steps[index].change.objects.contains { objects.contains($0) } }
    }

    /// Whether any change has one of these objects as a member or as its value.
    func leads(to objects: Set<ManagedObject>, _ references: Set<ObjectReference>) -> Bool {
        for index in values.indices {
            if case .reference(let reference?) = values[index].value, references.contains(reference) { return true }
        }
        return steps.indices.contains { index in
            switch steps[index].change {
            case .memberAdded(_, _, let member), .memberRemoved(_, _, let member, _): objects.contains(member)
            case .reordered(_, _, let members): members.contains { objects.contains($0) }
            case .inserted, .removed: false
            }
        }
    }

    /// The members of ordered and unordered relationships before the event, if it consists of few
    /// changes of values and members; nil otherwise.
    ///
    /// - Parameter members: The members of a relationship of an object now; nil if they are not
    ///   known.
    func formerMembers(_ members: (ManagedObject, Int) -> ContiguousArray<ManagedObject>?) -> [MemberState]? {
        guard steps.count <= Self.fewSteps else { return nil }
        var states: [MemberState] = []
        for index in steps.indices.reversed() {
            let step = steps[index].change
            switch step {
            case .inserted, .removed: return nil
            case .memberAdded(let owner, let property, _), .memberRemoved(let owner, let property, _, _),
                .reordered(let owner, let property, _):
                let known = states.firstIndex { $0.owner === owner && $0.property == property }
                if known == nil {
                    guard let now = members(owner, property) else { return nil }
                    states.append(MemberState(owner: owner, property: property, now: now, former: now))
                }
                states[known ?? states.count - 1].takeBack(step)
            }
        }
        return states
    }

    /// An event with more changes of members counts as one with an effect, without looking.
    private static let fewSteps = 32

    /// The members of a relationship of an object, now and before the event.
    struct MemberState {
        let owner: ManagedObject
        let property: Int
        let now: ContiguousArray<ManagedObject>
        fileprivate(set) var former: ContiguousArray<ManagedObject>

        fileprivate mutating func takeBack(_ change: Change) {
            switch change {
            case .memberAdded(_, _, let member): former.removeAll { $0 === member }
            case .memberRemoved(_, _, let member, let index): former.insert(member, at: min(index, former.count))
            case .reordered(_, _, let members): former = members
            case .inserted, .removed: break
            }
        }

        func isSame(inOrder: Bool) -> Bool {
            inOrder ? now.elementsEqual(former, by: ===) : now.count == former.count && Set(now) == Set(former)
        }
    }

    var deletedObjects: [ManagedObject] {
        steps.indices.compactMap { index in if case .removed(let object) = steps[index].change { object } else { nil } }
    }

    /// Removes and returns the last change; nil if the log is empty.
    mutating func popLast() -> Last? {
        if let step = steps.last, step.valueCount == values.count {
            _ = steps.popLast()
            return .change(step.change)
        }
        return values.popLast().map { .value($0) }
    }
}

/// A group of changes for undo to reverse, or for redo to repeat.
final class ChangeLog {
    var event: EventLog
    /// Whether the values are reversed from the first to the last, which is the order after undo
    /// has exchanged them in place.
    var isReversed = false

    init(_ event: EventLog) { self.event = event }
}
