import RowMemory
import Schema
import Storage

/// One object with changes since the last save. Without the object, so that it is trivial to copy.
private struct ChangeRecord {
    /// The low 64 of the properties that were set since the last save; not kept for new objects in
    /// the event that inserted them.
    var changed: UInt64 = 0
    /// The first of the object's saved values, a place in `ChangeRecords.saved`, −1 for none.
    var firstSaved: Int32 = -1
}

/// All objects with changes.
///
/// Invariants:
/// 1. `object.recordIndex` is the place of an object's record, −1 without one.
/// 2. For a saved object, the saved value of each changed property but to-manys is in its chain of
///    `saved`, once.
/// 3. Records from `eventStart` on are of this event; older ones that it touched are in `touched`,
///    once.
/// 4. What was set in an event is part of what was set since the last save. Properties beyond the
///    first 64 are in `wide`.
@usableFromInline
struct ChangeRecords {
    struct SavedValue {
        var value: SlotValue
        let property: Int32
        let next: Int32
    }

    /// What was set of an entity's properties beyond the first 64.
    private struct WideRecord {
        var changed = PropertySet()
        var event = PropertySet()
    }

    /// Held until saved; nil once the object is taken out of the changes again.
    private var objects = GrowingList<ManagedObject?>()
    private var records = GrowingList<ChangeRecord>()
    private var wide: [Int: WideRecord] = [:]
    private(set) var saved = GrowingList<SavedValue>()
    /// The low 64 of the properties that were set in this event: whatever the old value is needed
    /// for has it. Beside the records, since every setting of a value asks.
    @usableFromInline private(set) var noted: ContiguousArray<UInt64> = []
    private(set) var eventStart = 0
    private(set) var touched: ContiguousArray<Int32> = []
    /// Records that have an object.
    private(set) var count = 0

    /// The places of all records.
    var indices: Range<Int> { 0..<objects.count }
    /// Whether there is no record, with or without an object.
    var isEmpty: Bool { objects.isEmpty }

    // MARK: Objects

    func object(at index: Int) -> ManagedObject? { objects[index] }

    /// The object of a record, held by these changes alone.
    @inline(__always) func unowned(at index: Int) -> Unmanaged<ManagedObject>? { objects.unowned(at: index) }

    /// Calls `body` with each object and the place of its record, without holding the object for
    /// it.
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

    /// What was set since the last save.
    func changed(at index: Int) -> PropertySet {
        var changed = PropertySet(low: records[index].changed)
        if let wide = wide[index] { changed.formUnion(wide.changed) }
        return changed
    }

    /// The same where all of it is among the first 64 properties.
    @inline(__always) func narrowChanged(at index: Int) -> UInt64? { wide.isEmpty ? records[index].changed : nil }

    /// What was set in this event.
    func event(at index: Int) -> PropertySet {
        var event = PropertySet(low: noted[index])
        if let wide = wide[index] { event.formUnion(wide.event) }
        return event
    }

    /// Notes that a property changes, and says whether it is the first time since the save and in
    /// this event.
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

    /// Notes that a property changes in an event that is ended by ``endQuietEvent()``, and says
    /// whether it is the first time since the save.
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

    /// The place in `saved` of a property's value, −1 where none was kept.
    @inline(__always) private func savedPosition(of index: Int, property: Int) -> Int {
        var place = records[index].firstSaved
        while place >= 0, saved[Int(place)].property != property { place = saved[Int(place)].next }
        return Int(place)
    }

    func savedValue(of index: Int, property: Int) -> SlotValue? {
        let place = savedPosition(of: index, property: property)
        return place < 0 ? nil : saved[place].value
    }

    /// Whether a slot of a row has the value that was saved; false where none was kept.
    func isSaved(_ cells: RowCells, _ slot: RowSlot, of index: Int, property: Int) -> Bool {
        let place = savedPosition(of: index, property: property)
        return place >= 0 && cells.has(saved[place].value, slot)
    }

    /// Whether a slot of a row has another value than the one that was saved; false where none was
    /// kept.
    func differs(_ cells: RowCells, _ slot: RowSlot, of index: Int, property: Int) -> Bool {
        let place = savedPosition(of: index, property: property)
        return place >= 0 && !cells.has(saved[place].value, slot)
    }

    /// Whether all that was set of an object has the saved values again; nil where to-many
    /// relationships or properties beyond the first 64 were set, which are not looked at here.
    @inline(__always) func areSaved(_ cells: RowCells, _ shape: EntityShape, of index: Int) -> Bool? {
        guard var left = narrowChanged(at: index), left & ~shape.values == 0 else { return nil }
        while left != 0 {
            let property = left.trailingZeroBitCount
            left &= left - 1
            if differs(cells, shape.layout.slots[property], of: index, property: property) { return false }
        }
        return true
    }

    /// The same for changes that are an object's property: a method that may change them is handed
    /// their place, where any other is handed a copy.
    mutating func areSavedNow(_ cells: RowCells, _ shape: EntityShape, of index: Int) -> Bool? {
        areSaved(cells, shape, of: index)
    }

    /// The places of the saved values of a record.
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

    /// Whether anything was touched in this event.
    var hasEvent: Bool { eventStart < objects.count || !touched.isEmpty }

    /// Ends the event: new objects are no longer free, and the next change of each property counts
    /// as its first.
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

    /// Ends an event of which nothing was noted, and that inserted nothing.
    mutating func endQuietEvent() {
        if count == 0, !objects.isEmpty { forgetRecords() }
        eventStart = objects.count
    }

    /// So few changes leave their memory to the next ones: small saves come one after the other.
    private static let fewRecords = 64

    /// Lets go of what was changed, now that it is saved. What is left is for the changes to come,
    /// which find the memory of a few there.
    mutating func forgetSaved() {
        guard objects.count <= Self.fewRecords else { return self = ChangeRecords() }
        forgetRecords()
        touched.removeAll(keepingCapacity: true)
        (eventStart, count) = (0, 0)
    }

    /// Begins anew where no object has a record; the memory stays for the changes to come.
    private mutating func forgetRecords() {
        objects.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
        saved.removeAll(keepingCapacity: true)
        noted.removeAll(keepingCapacity: true)
        wide = [:]
    }

    /// The places of the records that were touched in this event.
    var eventPositions: ContiguousArray<Int32> {
        var places = touched
        places.append(contentsOf: Int32(eventStart)..<Int32(objects.count))
        return places
    }

    /// The objects that were touched in this event.
    var eventObjects: ContiguousArray<ManagedObject> { ContiguousArray(objects(at: eventPositions)) }
}

extension PropertySet {
    /// Adds a place; false if it was there.
    fileprivate mutating func insertNew(_ index: Int) -> Bool {
        if contains(index) { return false }
        insert(index)
        return true
    }
}
