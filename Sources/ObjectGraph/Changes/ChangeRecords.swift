import RowMemory
import Schema
import Storage

/// The record of one object with unsaved changes. It does not contain the object, so that it is
/// trivial to copy.
private struct ChangeRecord {
    /// A bit for each of the first 64 properties that was set since the last save. Not tracked for
    /// a new object during the event that inserted it.
    var changed: UInt64 = 0
    /// The index in `ChangeRecords.saved` of the object's first saved value; −1 for none.
    var firstSaved: Int32 = -1
}

/// The records of all objects with unsaved changes.
///
/// Invariants:
/// 1. `object.recordIndex` is the index of an object's record, −1 without one.
/// 2. For a saved object, `saved` has the saved value of each changed property except to-many
///    relationships exactly once, in the object's chain.
/// 3. Records from `eventStart` on were created in the current event. Older records that the event
///    touched are in `touched`, once each.
/// 4. The properties set in the event are a subset of those set since the last save. Properties
///    beyond the first 64 are in `wide`.
@usableFromInline
struct ChangeRecords {
    struct SavedValue {
        var value: SlotValue
        let property: Int32
        let next: Int32
    }

    /// The changed properties of an object beyond the first 64.
    private struct WideRecord {
        var changed = PropertySet()
        var event = PropertySet()
    }

    /// Retained until the save; nil once the object is removed from the changes.
    private var objects = GrowingList<ManagedObject?>()
    private var records = GrowingList<ChangeRecord>()
    private var wide: [Int: WideRecord] = [:]
    private(set) var saved = GrowingList<SavedValue>()
    /// A bit for each of the first 64 properties that was set in this event. The old value of such
    /// a property is already recorded. Separate from the records, since every assignment of a value
    /// reads it.
    @usableFromInline private(set) var noted: ContiguousArray<UInt64> = []
    private(set) var eventStart = 0
    private(set) var touched: ContiguousArray<Int32> = []
    /// The number of records that have an object.
    private(set) var count = 0

    /// The indexes of all records.
    var indices: Range<Int> { 0..<objects.count }
    /// Whether there is no record, with or without an object.
    var isEmpty: Bool { objects.isEmpty }

    // MARK: Objects

    func object(at index: Int) -> ManagedObject? { objects[index] }

    /// The object of a record, without retaining it: the records do.
    @inline(__always) func unowned(at index: Int) -> Unmanaged<ManagedObject>? { objects.unowned(at: index) }

    /// Calls `body` with each object and the index of its record, without retaining the object.
    @inline(__always) func forEach(_ body: (ManagedObject, Int) throws -> Void) rethrows {
        for index in indices { try unowned(at: index)?._withUnsafeGuaranteedRef { try body($0, index) } }
    }

    /// Calls `body` with the objects of some records.
    @inline(__always) func forEach(at places: ContiguousArray<Int32>, _ body: (ManagedObject) throws -> Void) rethrows {
        for place in places { try unowned(at: Int(place))?._withUnsafeGuaranteedRef { try body($0) } }
    }

    func objects(at places: ContiguousArray<Int32>) -> [ManagedObject] { places.compactMap { objects[Int($0)] } }

    mutating func insert(_ object: ManagedObject) {
        object.recordIndex = Int32(objects.count)
        objects.append(object)
        records.append(ChangeRecord())
        noted.append(0)
        count += 1
    }

    mutating func remove(_ object: ManagedObject) {
        let index = Int(object.recordIndex)
        guard index >= 0 else { return }
        object.recordIndex = -1
        records[index] = ChangeRecord()
        noted[index] = 0
        if !wide.isEmpty { wide[index] = nil }
        count -= 1
        objects[index] = nil
    }

    // MARK: Properties

    /// The properties that were set since the last save.
    func changed(at index: Int) -> PropertySet {
        var changed = PropertySet(low: records[index].changed)
        if let wide = wide[index] { changed.formUnion(wide.changed) }
        return changed
    }

    /// The properties that were set since the last save; nil if any record has properties beyond
    /// the first 64.
    @inline(__always) func narrowChanged(at index: Int) -> UInt64? { wide.isEmpty ? records[index].changed : nil }

    /// The properties that were set in this event.
    func event(at index: Int) -> PropertySet {
        var event = PropertySet(low: noted[index])
        if let wide = wide[index] { event.formUnion(wide.event) }
        return event
    }

    /// Records that a property changes. Returns whether this is its first change since the save,
    /// and its first in this event.
    mutating func touch(_ index: Int, property: Int) -> (sinceSave: Bool, inEvent: Bool) {
        if index < eventStart, noted[index] == 0, wide.isEmpty || wide[index]?.event.isEmpty != false {
            touched.append(Int32(index))
        }
        guard property < 64 else {
            return (
                wide[index, default: WideRecord()].changed.insertNew(property),
                wide[index, default: WideRecord()].event.insertNew(property)
            )
        }
        let bit: UInt64 = 1 << UInt64(property)
        let isFirst = (records[index].changed & bit == 0, noted[index] & bit == 0)
        records[index].changed |= bit
        noted[index] |= bit
        return isFirst
    }

    /// Records that a property changes in an event that ends with ``endQuietEvent()``. Returns
    /// whether this is its first change since the save.
    mutating func touchQuietly(_ index: Int, property: Int) -> Bool {
        guard property < 64 else { return wide[index, default: WideRecord()].changed.insertNew(property) }
        let bit: UInt64 = 1 << UInt64(property)
        defer { records[index].changed |= bit }
        return records[index].changed & bit == 0
    }

    // MARK: Saved values

    mutating func keepSaved(_ value: consuming SlotValue, of index: Int, property: Int) {
        saved.append(SavedValue(value: value, property: Int32(property), next: records[index].firstSaved))
        records[index].firstSaved = Int32(saved.count - 1)
    }

    /// The index in `saved` of a property's value, −1 if none was kept.
    @inline(__always) private func savedPosition(of index: Int, property: Int) -> Int {
        var place = records[index].firstSaved
        while place >= 0, saved[Int(place)].property != property { place = saved[Int(place)].next }
        return Int(place)
    }

    func savedValue(of index: Int, property: Int) -> SlotValue? {
        let place = savedPosition(of: index, property: property)
        return place < 0 ? nil : saved[place].value
    }

    /// Whether a slot of a row has the saved value; false if none was kept.
    func isSaved(_ cells: RowCells, _ slot: RowSlot, of index: Int, property: Int) -> Bool {
        let place = savedPosition(of: index, property: property)
        return place >= 0 && cells.has(saved[place].value, slot)
    }

    /// Whether a slot of a row has another value than the saved one; false if none was kept.
    func differs(_ cells: RowCells, _ slot: RowSlot, of index: Int, property: Int) -> Bool {
        let place = savedPosition(of: index, property: property)
        return place >= 0 && !cells.has(saved[place].value, slot)
    }

    /// Whether all changed properties of an object have their saved values again; nil if to-many
    /// relationships or properties beyond the first 64 were set, which this does not compare.
    @inline(__always) func areSaved(_ cells: RowCells, _ shape: EntityShape, of index: Int) -> Bool? {
        guard var left = narrowChanged(at: index), left & ~shape.values == 0 else { return nil }
        while left != 0 {
            let property = left.trailingZeroBitCount
            left &= left - 1
            if differs(cells, shape.layout.slots[property], of: index, property: property) { return false }
        }
        return true
    }

    /// The same as ``areSaved(_:_:of:)``, but `mutating`: when called on a property of a class, the
    /// records are accessed in place, where a nonmutating method would get a copy.
    mutating func areSavedNow(_ cells: RowCells, _ shape: EntityShape, of index: Int) -> Bool? {
        areSaved(cells, shape, of: index)
    }

    /// The indexes in `saved` of the saved values of a record.
    func savedPositions(of index: Int) -> [Int] {
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

    // MARK: The event

    /// Whether anything changed in this event.
    var hasEvent: Bool { eventStart < objects.count || !touched.isEmpty }

    /// Ends the event: objects inserted in it lose the `free` state, and the next change of each
    /// property counts as its first.
    /// The objects with changes that satisfy a condition.
    func objects(where isIncluded: (ManagedObject) -> Bool) -> Set<ManagedObject> {
        var objects: Set<ManagedObject> = []
        forEach { object, _ in
            if isIncluded(object) { objects.insert(object) }
        }
        return objects
    }

    mutating func endEvent() {
        for index in eventStart..<objects.count {
            noted[index] = 0
            _ = unowned(at: index)?._withUnsafeGuaranteedRef { $0.state.remove(.free) }
        }
        for index in touched where Int(index) < eventStart { noted[Int(index)] = 0 }
        for index in wide.keys { wide[index]?.event = PropertySet() }
        touched.removeAll(keepingCapacity: true)
        endQuietEvent()
    }

    /// Ends an event that inserted nothing and in which no property change was recorded.
    mutating func endQuietEvent() {
        if count == 0, !objects.isEmpty { forgetRecords() }
        eventStart = objects.count
    }

    /// Up to this number of records, the memory is kept for the next changes: small saves often
    /// follow one another.
    private static let fewRecords = 64

    /// Removes all records after their changes were saved. Keeps the memory of few records for the
    /// next changes.
    mutating func forgetSaved() {
        guard objects.count <= Self.fewRecords else { return self = ChangeRecords() }
        forgetRecords()
        touched.removeAll(keepingCapacity: true)
        (eventStart, count) = (0, 0)
    }

    /// Removes all records when none has an object. The memory is kept for the next changes.
    private mutating func forgetRecords() {
        objects.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
        saved.removeAll(keepingCapacity: true)
        noted.removeAll(keepingCapacity: true)
        wide = [:]
    }

    /// The indexes of the records that were touched in this event.
    var eventPositions: ContiguousArray<Int32> {
        var places = touched
        places.append(contentsOf: Int32(eventStart)..<Int32(objects.count))
        return places
    }

    /// The objects that were touched in this event.
    var eventObjects: ContiguousArray<ManagedObject> { ContiguousArray(objects(at: eventPositions)) }
}

extension PropertySet {
    /// Inserts an index; returns false if it was contained already.
    fileprivate mutating func insertNew(_ index: Int) -> Bool {
        if contains(index) { return false }
        insert(index)
        return true
    }
}
