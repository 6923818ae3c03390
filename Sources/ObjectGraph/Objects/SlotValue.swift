import RowMemory
import Schema

/// The value of a slot, except that of a to-many relationship.
enum SlotValue: Equatable {
    case value(PropertyValue)
    case reference(ObjectReference?)
}

extension RowCells {
    func slotValue(_ slot: RowSlot) -> SlotValue {
        slot.kind == .toOne ? .reference(reference(slot)) : .value(value(slot))
    }

    /// Moves the value out of the slot, which is empty afterwards.
    @inline(__always) func moveSlotValue(_ slot: RowSlot) -> SlotValue {
        if slot.kind != .toOne { return .value(moveValue(slot)) }
        let reference = reference(slot)
        clear(slot)
        return .reference(reference)
    }

    /// Whether a slot has a value. The most frequent types are compared without a copy.
    func has(_ value: SlotValue, _ slot: RowSlot) -> Bool {
        switch (value, slot.kind) {
        case (.value(.int(let value)), .int): load(slot, as: Int64.self) == value
        case (.value(.bool(let value)), .bool): load(slot, as: Bool.self) == value
        case (.value(.string(let value)), .string): load(slot, as: String.self) == value
        case (.value(.null), _): slot.kind != .toOne && !hasValue(slot)
        default: slotValue(slot) == value
        }
    }

    func setSlotValue(_ value: SlotValue, _ slot: RowSlot) {
        switch value {
        case .value(let value):
            let fits = setValue(value, slot)
            assert(fits, "A value goes back to the slot that it came from")
        case .reference(let reference?): store(reference, slot)
        case .reference(nil): clear(slot)
        }
    }
}

extension Row {
    func slotValue(_ slot: RowSlot) -> SlotValue { cells.slotValue(slot) }
    func setSlotValue(_ value: SlotValue, _ slot: RowSlot) { cells.setSlotValue(value, slot) }
}
