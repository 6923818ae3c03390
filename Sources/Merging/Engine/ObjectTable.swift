/// Something about each of some objects, in ascending order of their names.
package struct ObjectTable<Value: Sendable>: Sendable {
    package private(set) var names: [MergeName] = []
    /// In the order of the names.
    private(set) var values: [Value] = []

    package init() {}

    /// - Parameter entries: In any order, each object once.
    package init(_ entries: [(MergeName, Value)]) {
        let entries = entries.sorted { $0.0 < $1.0 }
        names = entries.map(\.0)
        values = entries.map(\.1)
    }

    /// - Parameter names: In ascending order.
    init(_ names: [MergeName], _ values: [Value]) {
        assert(names.count == values.count)
        self.names = names
        self.values = values
    }

    package subscript(name: MergeName) -> Value? { place(of: name).map { values[$0] } }

    /// The position of an object, found by bisection.
    func place(of name: MergeName) -> Int? {
        var low = 0, high = names.count
        while low < high {
            let middle = (low + high) / 2
            if names[middle] < name { low = middle + 1 } else { high = middle }
        }
        return low < names.count && names[low] == name ? low : nil
    }

    /// Adds an object whose name is greater than all others.
    mutating func append(_ name: MergeName, _ value: Value) {
        assert(names.last.map { $0 < name } ?? true)
        names.append(name)
        values.append(value)
    }

    mutating func update(at place: Int, _ body: (inout Value) -> Void) { body(&values[place]) }

    mutating func update(_ body: (MergeName, inout Value) throws -> Void) rethrows {
        for place in names.indices { try body(names[place], &values[place]) }
    }

    /// The part of the table with some objects.
    func part(where isIncluded: (MergeName, Value) throws -> Bool) rethrows -> ObjectTable {
        var part = ObjectTable()
        for (name, value) in self where try isIncluded(name, value) { part.append(name, value) }
        return part
    }
}

extension ObjectTable: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { names.count }
    package subscript(place: Int) -> (name: MergeName, value: Value) { (names[place], values[place]) }
}

extension ObjectTable: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (MergeName, Value)...) { self.init(elements) }
}
