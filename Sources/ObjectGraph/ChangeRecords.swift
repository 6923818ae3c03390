import RowMemory
import Schema
import Storage

/// A value as it stood in a slot that is not a to-many.
enum SlotValue: Equatable {
    case value(PropertyValue)
    case reference(ObjectReference?)
}

extension Row {
    func slotValue(_ slot: RowSlot) -> SlotValue {
        slot.kind == .toOne ? .reference(reference(slot)) : .value(value(slot))
    }

    /// Takes the value out; the slot has none afterwards.
    func moveSlotValue(_ slot: RowSlot) -> SlotValue {
        if slot.kind != .toOne { return .value(moveValue(slot)) }
        let reference = reference(slot)
        clear(slot)
        return .reference(reference)
    }

    /// Whether a slot has a value. Those that are compared most are not copied for it.
    func has(_ value: SlotValue, _ slot: RowSlot) -> Bool {
        switch (value, slot.kind) {
        case (.value(.int(let value)), .int): int(slot) == value
        case (.value(.bool(let value)), .bool): bool(slot) == value
        case (.value(.string(let value)), .string): string(slot) == value
        case (.value(.null), _): slot.kind != .toOne && !hasValue(slot)
        default: slotValue(slot) == value
        }
    }

    func setSlotValue(_ value: SlotValue, _ slot: RowSlot) {
        switch value {
        case .value(let value):
            let fits = setValue(value, slot)
            assert(fits, "A value goes back to the slot that it came from")
        case .reference(let reference?): setReference(reference, slot)
        case .reference(nil): clear(slot)
        }
    }
}

/// One object with changes, since the last save and in this event.
struct ChangeRecord {
    /// Held until saved; nil once the object is taken out of the changes again.
    var object: ManagedObject?
    /// Properties that were set since the last save; not kept for new objects in the event that inserted them.
    var changed = PropertySet()
    /// Properties that were set in this event.
    var event = PropertySet()
    /// The first of the object's saved values, a place in `ChangeRecords.saved`, −1 for none.
    var firstSaved: Int32 = -1
}

/// All objects with changes.
///
/// Invariants:
/// 1. `object.recordIndex` is the place of an object's record, −1 without one.
/// 2. For a saved object, the saved value of each changed property but to-manys is in its chain of `saved`, once.
/// 3. Records from `eventStart` on are of this event; older ones that it touched are in `touched`, once.
/// 4. `noted` has the low 64 of the properties that are in both `changed` and `event` of each record.
@usableFromInline
struct ChangeRecords {
    struct SavedValue {
        var value: SlotValue
        let property: Int32
        let next: Int32
    }

    var records: ContiguousArray<ChangeRecord> = []
    var saved: ContiguousArray<SavedValue> = []
    /// What was set in this event and noted: whatever the old value is needed for has it. Beside the records, and of plain words, since every setting of a value asks.
    @usableFromInline private(set) var noted: ContiguousArray<UInt64> = []
    private(set) var eventStart = 0
    private(set) var touched: ContiguousArray<Int32> = []
    /// Records that have an object.
    private(set) var count = 0

    mutating func insert(_ object: ManagedObject) {
        object.recordIndex = Int32(records.count)
        records.append(ChangeRecord(object: object))
        noted.append(0)
        count += 1
    }

    mutating func remove(_ object: ManagedObject) {
        guard object.recordIndex >= 0 else { return }
        records[Int(object.recordIndex)] = ChangeRecord(object: nil)
        noted[Int(object.recordIndex)] = 0
        object.recordIndex = -1
        count -= 1
    }

    /// Notes that a property changes, and says whether it is the first time since the save and in this event.
    mutating func touch(_ index: Int, property: Int) -> (sinceSave: Bool, inEvent: Bool) {
        let isFirstTouch = index < eventStart && records[index].event.isEmpty
        if isFirstTouch { touched.append(Int32(index)) }
        let isFirst = (records[index].changed.insertNew(property), records[index].event.insertNew(property))
        if property < 64 { noted[index] |= 1 << UInt64(property) }
        return isFirst
    }

    mutating func keepSaved(_ value: SlotValue, of index: Int, property: Int) {
        saved.append(SavedValue(value: value, property: Int32(property), next: records[index].firstSaved))
        records[index].firstSaved = Int32(saved.count - 1)
    }

    func savedValue(of index: Int, property: Int) -> SlotValue? {
        var place = records[index].firstSaved
        while place >= 0 {
            let entry = saved[Int(place)]
            if entry.property == property { return entry.value }
            place = entry.next
        }
        return nil
    }

    /// Whether a slot of a row has the value that was saved; false where none was kept.
    func isSaved(_ row: Row, _ slot: RowSlot, of index: Int, property: Int) -> Bool {
        var place = records[index].firstSaved
        while place >= 0 {
            if saved[Int(place)].property == property { return row.has(saved[Int(place)].value, slot) }
            place = saved[Int(place)].next
        }
        return false
    }

    /// Whether a slot of a row has another value than the one that was saved; false where none was kept.
    func differs(_ row: Row, _ slot: RowSlot, of index: Int, property: Int) -> Bool {
        var place = records[index].firstSaved
        while place >= 0 {
            if saved[Int(place)].property == property { return !row.has(saved[Int(place)].value, slot) }
            place = saved[Int(place)].next
        }
        return false
    }

    /// The places of the saved values of a record.
    func savedPlaces(of index: Int) -> [Int] {
        var places: [Int] = []
        var place = records[index].firstSaved
        while place >= 0 {
            places.append(Int(place))
            place = saved[Int(place)].next
        }
        return places
    }

    mutating func replaceSaved(at place: Int, with value: SlotValue) {
        saved[place].value = value
    }

    /// Calls `body` with each object; a record itself would cost more to copy than all that is done with the object.
    @inline(__always) func forEachObject(_ body: (ManagedObject) -> Void) {
        for index in records.indices { if let object = records[index].object { body(object) } }
    }

    /// Whether anything was touched in this event.
    var hasEvent: Bool { eventStart < records.count || !touched.isEmpty }

    /// Ends the event: new objects are no longer free, and the next change of each property counts as its first.
    mutating func endEvent() {
        for index in eventStart..<records.count {
            if !records[index].event.isEmpty { records[index].event = PropertySet() }
            noted[index] = 0
            records[index].object?.state.remove(.free)
        }
        for index in touched where Int(index) < eventStart {
            records[Int(index)].event = PropertySet()
            noted[Int(index)] = 0
        }
        touched.removeAll(keepingCapacity: true)
        eventStart = records.count
    }

    /// The objects that were touched in this event.
    var eventObjects: ContiguousArray<ManagedObject> {
        var objects: ContiguousArray<ManagedObject> = []
        for index in touched { if let object = records[Int(index)].object { objects.append(object) } }
        for index in eventStart..<records.count { if let object = records[index].object { objects.append(object) } }
        return objects
    }
}
