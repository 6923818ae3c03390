/// Values of an object, by the numbers of their properties in the ``MergeSchema`` and in ascending
/// order of these.
package struct ObjectValues: Sendable {
    fileprivate struct Entry: Sendable {
        // The number follows the value, and takes no memory of its own there.
        var value: MergeValue
        let property: Int32
    }

    private var entries: [Entry] = []

    package init() {}

    package subscript(property: Int) -> MergeValue? {
        get {
            let place = place(property)
            return isPlace(place, of: property) ? entries[place].value : nil
        }
        set {
            let place = place(property)
            switch (isPlace(place, of: property), newValue) {
            case (true, let value?): entries[place].value = value
            case (true, nil): entries.remove(at: place)
            case (false, let value?): entries.insert(Entry(value: value, property: Int32(property)), at: place)
            case (false, nil): break
            }
        }
    }

    func has(_ property: Int) -> Bool { isPlace(place(property), of: property) }

    mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    /// Adds the value of a property whose number is greater than all others.
    mutating func append(_ property: Int, _ value: MergeValue) {
        assert(entries.last.map { Int($0.property) < property } ?? true)
        entries.append(Entry(value: value, property: Int32(property)))
    }

    /// The values of some properties.
    func part(where isIncluded: (Int) -> Bool) -> ObjectValues {
        var part = self
        part.entries.removeAll { !isIncluded(Int($0.property)) }
        return part
    }

    /// Replaces the values that a function gives another for.
    mutating func replace(_ other: (MergeValue) throws -> MergeValue?) rethrows {
        for place in entries.indices {
            if let value = try other(entries[place].value) { entries[place].value = value }
        }
    }

    private func isPlace(_ place: Int, of property: Int) -> Bool {
        place < entries.count && entries[place].property == property
    }

    /// Where a property is or would be. An object with all values has each at its own number.
    private func place(_ property: Int) -> Int {
        var place = Swift.min(property, entries.count)
        while place > 0, entries[place - 1].property >= property { place -= 1 }
        return place
    }
}

extension ObjectValues: Sequence {
    package struct Iterator: IteratorProtocol {
        private var entries: [Entry].Iterator

        fileprivate init(_ entries: [Entry]) { self.entries = entries.makeIterator() }

        package mutating func next() -> (property: Int, value: MergeValue)? {
            entries.next().map { (Int($0.property), $0.value) }
        }
    }

    package func makeIterator() -> Iterator { Iterator(entries) }
    package var underestimatedCount: Int { entries.count }

    var count: Int { entries.count }
}
