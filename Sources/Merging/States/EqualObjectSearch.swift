internal import DocumentFiles
internal import Foundation
internal import RowMemory
internal import Schema
internal import Storage

/// Searches a document for objects that may be equal to new ones: those with the same attributes,
/// by their hashes.
struct EqualObjectSearch {
    private let schema: MergeSchema
    /// Of the new objects, by the number of the entity.
    private var hashes: [Int: Set<Int>] = [:]

    init(_ objects: MergeSide, _ schema: MergeSchema) {
        self.schema = schema
        var rest = objects[...]
        while let entity = rest.first?.name.entity {
            // Objects are in the order of their entities.
            let some = rest.prefix { $0.name.entity == entity }
            let attributes = schema.comparedAttributes(of: entity).map(\.number)
            var found = Set<Int>(minimumCapacity: some.count)
            for (_, change) in some { found.insert(Self.hash(attributes) { change.new[$0]?.attribute ?? .null }) }
            hashes[entity] = found
            rest = rest[some.endIndex...]
        }
    }

    /// Whether an object may have the same attributes as a new one of its entity. Never false if
    /// there is one.
    ///
    /// Reads the rows of the entities that have new objects, without relationships.
    func mayFind(in store: any StoreBackend) throws -> Bool {
        for (number, known) in hashes {
            guard let entity = store.identity.model.entity(named: schema[number].name) else { continue }
            let layout = store.layouts[entity.index]
            let slots = schema.comparedAttributes(of: number).map { layout.slots[$0.index] }
            let cursor = DocumentFiles.RowCursor(store, store.identity, entity, members: [])
            try cursor.advance()
            while cursor.key != nil {
                try WorkProgress.check()
                let row = cursor.row
                if known.contains(Self.hash(slots, row.value)) { return true }
                try cursor.advance()
            }
        }
        return false
    }

    private static func hash<Place>(_ places: [Place], _ value: (Place) -> PropertyValue) -> Int {
        var hasher = Hasher()
        for place in places { value(place).hashAtHand(into: &hasher) }
        return hasher.finalize()
    }
}

extension MergeSchema {
    /// The attributes that comparisons of documents read, with their indexes in the entity.
    fileprivate func comparedAttributes(of entity: Int) -> [(number: Int, index: Int)] {
        let properties = model.entities[self[entity].index].properties
        return zip(self[entity].attributes, self[entity].attributeIndexes).map { ($0, $1) }.filter {
            let type = properties[$0.1].attribute?.type
            return type != .undefined && type != .objectID
        }
    }
}

extension PropertyValue {
    /// Hashes a value, as far as that takes no more than its row: what `isSame` says is the same
    /// has the same hash.
    fileprivate func hashAtHand(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? 0 : value)
        case .date(let value):
            let seconds = value.timeIntervalSinceReferenceDate
            hasher.combine(seconds.isNaN ? 0 : seconds)
        case .string(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        default: hasher.combine(1)
        }
    }
}
