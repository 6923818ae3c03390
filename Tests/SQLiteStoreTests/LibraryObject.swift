import Foundation
import Query
import Schema

/// An object of the library model in memory.
final class LibraryObject: QueryObject {
    let queryID: ManagedObjectID
    var values: [String: PropertyValue] = [:]
    var toOne: [String: LibraryObject] = [:]
    var toMany: [String: [LibraryObject]] = [:]

    init(_ id: ManagedObjectID) {
        queryID = id
    }

    func queryValue(forKey key: String) throws -> QueryValue {
        guard let property = queryID.entity.property(named: key) else { throw QueryError(.unknownKey, "no \(key)") }
        if property.attribute != nil { return .scalar(values[key] ?? .null) }
        if !property.isToMany { return toOne[key].map(QueryValue.object) ?? .null }
        return .collection(
            (toMany[key] ?? []).map(QueryValue.object), isOrdered: property.relationship?.isOrdered ?? false)
    }

    func queryValue(at propertyIndex: Int) throws -> QueryValue {
        try queryValue(forKey: queryID.entity.properties[propertyIndex].name)
    }
}

/// A small generator of random numbers whose seed gives the same numbers everywhere (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
