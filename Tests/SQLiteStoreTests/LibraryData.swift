import Foundation
import Query
import SQLiteKit
import SQLiteStore
import Schema

/// Random objects of the library model, in memory and, the same, in a database.
final class LibraryData {
    let model: ManagedObjectModel
    let layout: StoreLayout
    let identity: StoreIdentity
    let connection: Connection
    /// In ascending order of their keys, by the root entity's name.
    private(set) var objects: [String: [LibraryObject]] = [:]

    init(_ random: inout SeededGenerator, size: Int, model: ManagedObjectModel? = nil) throws {
        self.model = try model ?? LibraryModel.make()
        let model = self.model
        layout = try StoreLayout.creating(model, configuration: nil)
        identity = StoreIdentity(uuid: "5F6A2C1E-0000-4000-8000-000000000001", model: model)
        connection = try Connection.inMemory()
        try SQLTranslation.registerFunctions(on: connection)
        for statement in try SQLitePersistentStore.creationStatements(for: model) { try connection.execute(statement) }
        makeObjects(&random, size)
        relate(&random)
        try connection.transaction { try store() }
    }

    /// The objects of an entity and its sub-entities.
    func objects(of entity: EntityDescription) -> [LibraryObject] {
        (objects[model.entities[entity.rootIndex].name] ?? []).filter { $0.queryID.entity.isKind(of: entity) }
    }

    // MARK: Objects

    private func makeObjects(_ random: inout SeededGenerator, _ size: Int) {
        for (root, entities, count) in [
            ("Item", ["Item", "Book", "Book", "Disc"], size), ("Person", ["Person"], size / 2 + 1),
            ("Shelf", ["Shelf"], 4), ("Tag", ["Tag"], 6),
            ("Badge", ["Badge"], 8),
        ] {
            for key in 1...count {
                guard let entity = model.entity(named: random.pick(entities)) else { continue }
                let object = LibraryObject(ManagedObjectID(store: identity, entityIndex: entity.index, key: Int64(key)))
                for attribute in entity.attributes where !attribute.isTransient && !random.chance(20) {
                    object.values[attribute.name] = Self.value(of: attribute.type, &random)
                }
                objects[root, default: []].append(object)
            }
        }
    }

    static let texts = [
        "", "a", "A", "ab", "Ab", "abc", "é", "e\u{301}", "É", "straße", "STRASSE", "a*b", "ab?", "a%_", "x\ny", "日本",
        "😀a", "ı", "I", "Zürich", "10", "9",
    ]
    static let uuids = (0..<4 as Range<UInt8>).map {
        UUID(uuid: ($0, 200, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, $0 ^ 255))
    }
    static let links = ["https://example.org/a", "https://example.org/b?x=1", "file:///tmp/a", "abc"].compactMap {
        URL(string: $0)
    }
    static let decimals = ["0", "1", "10.11", "-3.5", "0.1", "1000000"].compactMap { Decimal(string: $0) }
    static let integers: [Int64] = [-3, -1, 0, 1, 2, 3, 5, 7, 1960, 1961]
    // No -0.0: SQLite keeps it as 0.
    static let doubles: [Double] = [-2.5, 0, 0.1, 0.5, 1, 2, 3, 3.25, 1e10]

    static func value(of type: AttributeType, _ random: inout SeededGenerator) -> PropertyValue {
        switch type {
        case .integer16, .integer32: .int(random.pick(integers))
        case .integer64:
            random.chance(10) ? .int(random.pick([.max, .min, 1 << 53, (1 << 53) + 1])) : .int(random.pick(integers))
        case .boolean: .bool(random.chance(50))
        case .double: .double(random.pick(doubles))
        case .float: .float(Float(random.pick(doubles)))
        case .decimal: .decimal(random.pick(decimals))
        case .date: .date(Date(timeIntervalSinceReferenceDate: random.pick([-86400, 0, 0.5, 1, 86400, 1e8])))
        case .string: .string(random.pick(texts))
        case .uri: .uri(random.pick(links))
        case .uuid: .uuid(random.pick(uuids))
        case .binary, .transformable: .data(Data(random.pick([[], [0], [1, 2], [1, 2, 3], [255]])))
        case .composite: place(&random)
        case .undefined, .objectID: .null
        }
    }

    /// A composite all of whose parts are nil is none.
    private static func place(_ random: inout SeededGenerator) -> PropertyValue {
        let parts: [String: PropertyValue] = [
            "floor": random.chance(40) ? .null : .int(random.pick(integers)),
            "room": random.chance(40) ? .null : .string(random.pick(texts)),
            "spot": random.chance(40) ? .null : .composite(["x": .double(random.pick(doubles))]),
        ]
        return parts.values.allSatisfy(\.isNull) ? .null : .composite(parts)
    }

    // MARK: Relationships

    private func relate(_ random: inout SeededGenerator) {
        func all(_ name: String) -> [LibraryObject] { objects[name] ?? [] }
        for item in all("Item") {
            connect(item, "author", all("Person"), "items", &random)
            connect(item, "shelf", all("Shelf"), "items", &random)
            connect(item, "parent", all("Item"), "children", &random)
            for tag in all("Tag") where random.chance(25) { link(item, "tags", tag, "items") }
            guard item.queryID.entity.name == "Book" else { continue }
            for person in all("Person") where random.chance(10) { link(item, "editors", person, "edited") }
        }
        for person in all("Person") {
            connect(person, "mentor", all("Person"), "students", &random)
            for other in all("Person") {
                if other.queryID.key >= person.queryID.key, random.chance(12) {
                    link(person, "friends", other, other === person ? nil : "friends")
                }
                if random.chance(12) { link(person, "follows", other, "followers") }
            }
        }
        for badge in all("Badge") where random.chance(70) {
            random.pick(all("Person")).toMany["badges", default: []].append(badge)
        }
        for object in ["Item", "Person", "Shelf", "Tag"].flatMap(all) {
            for key in object.toMany.keys.sorted() {
                let isOrdered = object.queryID.entity.property(named: key)?.relationship?.isOrdered == true
                object.toMany[key]?.sort { $0.queryID.key < $1.queryID.key }
                if isOrdered { object.toMany[key]?.shuffle(using: &random) }
            }
        }
    }

    private func connect(
        _ object: LibraryObject, _ key: String, _ candidates: [LibraryObject], _ inverse: String,
        _ random: inout SeededGenerator
    ) {
        guard !random.chance(25) else { return }
        let other = random.pick(candidates)
        object.toOne[key] = other
        other.toMany[inverse, default: []].append(object)
    }

    private func link(_ object: LibraryObject, _ key: String, _ other: LibraryObject, _ inverse: String?) {
        object.toMany[key, default: []].append(other)
        if let inverse { other.toMany[inverse, default: []].append(object) }
    }

    // MARK: Rows

    private func store() throws {
        for object in objects.values.joined() {
            let storage = try layout.storage(of: object.queryID.entityIndex)
            var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
            var values: [SQLiteValue] = [.integer(object.queryID.key), .integer(storage.number), .integer(1)]
            for property in object.queryID.entity.properties {
                switch storage.properties[property.index] {
                case .attribute(let column):
                    columns.append(column.name)
                    values.append(Self.cell(object.values[property.name] ?? .null, column))
                case .composite(let leaves):
                    for leaf in leaves {
                        columns.append(leaf.column.name)
                        values.append(
                            Self.cell(Self.leaf(object.values[property.name] ?? .null, leaf.path), leaf.column))
                    }
                case .toOne(let toOne):
                    guard let other = object.toOne[property.name] else { continue }
                    columns.append(toOne.key)
                    values.append(.integer(other.queryID.key))
                    if let order = toOne.order, let inverse = property.relationship?.inverseName,
                        let index = other.toMany[inverse]?.firstIndex(where: { $0 === object })
                    {
                        columns.append(order)
                        values.append(Self.position(index))
                    }
                    if let entity = toOne.entity {
                        columns.append(entity)
                        values.append(.integer(try layout.storage(of: other.queryID.entityIndex).number))
                    }
                case .none, .toMany, .manyToMany: continue
                }
            }
            try insert(storage.table, columns, values)
        }
        for object in objects.values.joined() { try storeMembers(of: object) }
    }

    private func storeMembers(of object: LibraryObject) throws {
        let storage = try layout.storage(of: object.queryID.entityIndex)
        for property in object.queryID.entity.properties {
            let members = object.toMany[property.name] ?? []
            switch storage.properties[property.index] {
            case .toMany(let key) where key.inverseIndex == nil:
                for member in members {
                    try connection.run(
                        "UPDATE \(key.table) SET \(key.key) = ? WHERE Z_PK = ?",
                        [.integer(object.queryID.key), .integer(member.queryID.key)])
                }
            case .manyToMany(let join):
                for (index, member) in members.enumerated()
                where !join.isReflexive || object.queryID.key <= member.queryID.key {
                    // The ordered side writes the row; the other one finds it there.
                    if join.ownerOrder != nil { continue }
                    let order = join.memberOrder.map { [$0] } ?? []
                    try insert(
                        join.table, [join.ownerColumn, join.memberColumn] + order,
                        [.integer(object.queryID.key), .integer(member.queryID.key)]
                            + order.map { _ in Self.position(index) })
                }
            default: continue
            }
        }
    }

    private func insert(_ table: String, _ columns: [String], _ values: [SQLiteValue]) throws {
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        try connection.run(
            "INSERT OR IGNORE INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))", values)
    }

    private static func position(_ index: Int) -> SQLiteValue { .integer(Int64(2048 + 1024 * index)) }

    private static func leaf(_ value: PropertyValue, _ path: [String]) -> PropertyValue {
        path.reduce(value) { value, name in
            if case .composite(let parts) = value { parts[name] ?? .null } else { .null }
        }
    }

    private static func cell(_ value: PropertyValue, _ column: AttributeColumn) -> SQLiteValue {
        switch value {
        case .int(let number): .integer(number)
        case .bool(let flag): .integer(flag ? 1 : 0)
        case .double(let number): .real(number)
        case .float(let number): .real(Double(number))
        case .decimal: .real(ScalarRules.double(value) ?? 0)
        case .date(let date): .real(date.timeIntervalSinceReferenceDate)
        case .string(let text): .text(text)
        case .uri(let url): .text(url.absoluteString)
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
        case .data(let bytes): .blob((column.hasStoragePrefix ? [1] : []) + bytes)
        case .null, .large, .composite, .object, .list: .null
        }
    }
}
