package import Schema
internal import TestSupport

/// Models with all kinds of attributes and relationships, chosen at random.
package struct RandomModel {
    private var random: SplitMix
    private var entities: [EntityDefinition] = []
    private var count = 0

    /// - Throws: `ModelError` if the model is no valid one.
    package static func make(_ seed: UInt64) throws -> ManagedObjectModel {
        var maker = RandomModel(random: SplitMix(state: seed))
        return try maker.model()
    }

    private init(random: SplitMix) { self.random = random }

    private mutating func chance(_ one: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < one }

    private mutating func model() throws -> ManagedObjectModel {
        var definition = ManagedObjectModel.Definition()
        definition.versionIdentifiers = ["1"]
        definition.composites = [
            CompositeDescription("Pair", attributes: [.init("first", .string), .init("second", .string)])
        ]
        let roots = Int.random(in: 2...4, using: &random)
        for index in 0..<roots {
            var entity = EntityDefinition("E\(index)", attributes: attributes())
            if chance(1, of: 3) {
                entity.attributes.append(.init("key\(index)", .string))
                entity.uniquenessConstraints = [["key\(index)"]]
            }
            entities.append(entity)
        }
        if chance(1, of: 2) {
            entities.append(EntityDefinition("Sub", superentityName: "E0", attributes: attributes()))
        }
        for _ in 0..<Int.random(in: 3...7, using: &random) { addRelationship() }
        definition.entities = entities
        return try ManagedObjectModel(definition)
    }

    private mutating func attributes() -> [AttributeDescription] {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            count += 1
            let name = "a\(count)"
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: return .init(name, .string)
            case 2: return .init(name, .string, userInfo: ["folio.merge": "text"])
            case 3: return .init(name, .integer64, userInfo: ["folio.merge": "sum"])
            case 4: return .init(name, .double, userInfo: ["folio.merge": chance(1, of: 2) ? "max" : "min"])
            case 5: return .init(name, .integer64, userInfo: ["folio.merge": chance(1, of: 2) ? "ours" : "theirs"])
            case 6: return .init(name, .decimal)
            case 7: return .init(name, .date)
            case 8: return .init(name, .boolean)
            case 9: return .init(name, .uuid)
            case 10: return .init(name, .composite, compositeName: "Pair")
            default: return .init(name, .binary, allowsExternalBinaryDataStorage: true)
            }
        }
    }

    private mutating func addRelationship() {
        let left = Int.random(in: 0..<entities.count, using: &random),
            right = Int.random(in: 0..<entities.count, using: &random)
        count += 1
        let name = "r\(count)", back = "i\(count)"
        func add(_ relationship: RelationshipDescription, to index: Int) {
            entities[index].relationships.append(relationship)
        }
        let here = entities[left].name, there = entities[right].name
        switch Int.random(in: 0..<10, using: &random) {
        case 0: add(.init(name, to: there), to: left)
        case 1:
            // A symmetric one.
            let isToMany = chance(1, of: 2)
            add(.init(name, to: here, inverse: name, maxCount: isToMany ? 0 : 1), to: left)
        case 2, 3:
            add(.init(name, to: there, inverse: back, deleteRule: chance(1, of: 3) ? .cascade : .nullify), to: left)
            add(.init(back, to: here, inverse: name), to: right)
        case 4, 5, 6:
            let isRequired = chance(1, of: 4)
            let rule: DeleteRule = isRequired ? .cascade : [.nullify, .cascade, .deny][Int(random.next() % 3)]
            add(
                .init(
                    name, to: there, inverse: back, maxCount: chance(1, of: 5) ? 3 : 0, isOrdered: chance(1, of: 2),
                    deleteRule: rule), to: left)
            add(.init(back, to: here, inverse: name, isOptional: !isRequired), to: right)
        default:
            add(.init(name, to: there, inverse: back, maxCount: 0, isOrdered: chance(1, of: 2)), to: left)
            add(.init(back, to: here, inverse: name, maxCount: 0, isOrdered: chance(1, of: 2)), to: right)
        }
    }
}
