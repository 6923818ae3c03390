import RowMemory

/// What an event did, in order.
///
/// Values stand in a list of their own, since mostly they are all there is: then undo exchanges them where they stand.
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
    /// Whether the values are taken back from the first one to the last, as those that were exchanged are.
    var isReversed = false

    init(_ event: EventLog) { self.event = event }
}
