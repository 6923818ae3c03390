import Schema

extension LibraryModel {
    /// The library with another hierarchy, other types of numbers, orders, indexes and places of
    /// properties.
    static func random(_ random: inout SeededGenerator) throws -> ManagedObjectModel {
        var description = try make().definition
        let isNested = random.chance(30)
        for place in description.entities.indices {
            var entity = description.entities[place]
            if isNested, entity.name == "Disc" {
                entity.superentityName = "Book"
                entity.attributes.removeAll { $0.name == "isbn" }
            }
            for index in entity.attributes.indices {
                if retypedAttributes.contains(entity.attributes[index].name), random.chance(60) {
                    entity.attributes[index].type = random.pick([
                        .integer16, .integer32, .integer64, .decimal, .double, .float,
                    ])
                }
                entity.attributes[index].isIndexed = random.chance(25) && canHaveIndex(entity.attributes[index])
            }
            for index in entity.relationships.indices
            where reorderedRelationships.contains(entity.relationships[index].name) {
                entity.relationships[index].isOrdered = entity.relationships[index].isToMany && random.chance(40)
            }
            entity.attributes.shuffle(using: &random)
            entity.relationships.shuffle(using: &random)
            description.entities[place] = entity
        }
        return try ManagedObjectModel(description)
    }

    private static let retypedAttributes: Set = [
        "size", "rank", "price", "rating", "weight", "pages", "seconds", "age",
    ]
    /// At most one side of each many-to-many relationship, and none that is its own inverse.
    private static let reorderedRelationships: Set = ["children", "students", "edited", "follows", "tags"]

    private static func canHaveIndex(_ attribute: AttributeDescription) -> Bool {
        switch attribute.type {
        case .binary, .transformable, .composite, .undefined, .objectID: false
        default: !attribute.isTransient
        }
    }
}
