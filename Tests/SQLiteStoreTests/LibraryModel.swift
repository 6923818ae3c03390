import Schema

/// A model for predicates: every type of attribute, inheritance, every form of relationship.
enum LibraryModel {
    static func make() throws -> ManagedObjectModel {
        var description = ManagedObjectModel.Definition()
        description.entities = [
            EntityDefinition(
                "Item",
                attributes: [
                    .init("title", .string, isIndexed: true), .init("year", .integer32, isIndexed: true),
                    .init("size", .integer64), .init("rank", .integer16),
                    .init("price", .decimal), .init("rating", .double), .init("weight", .float),
                    .init("isOpen", .boolean), .init("added", .date),
                    .init("code", .uuid), .init("link", .uri), .init("bytes", .binary),
                    .init("place", .composite, compositeName: "Place"),
                    .init("cover", .binary, allowsExternalBinaryDataStorage: true), .init("notes", .transformable),
                    .init("draft", .string, isTransient: true),
                ],
                relationships: [
                    .init("author", to: "Person", inverse: "items"), .init("shelf", to: "Shelf", inverse: "items"),
                    .init("parent", to: "Item", inverse: "children"),
                    .init("children", to: "Item", inverse: "parent", maxCount: 0),
                    .init("tags", to: "Tag", inverse: "items", maxCount: 0, isOrdered: true),
                ]),
            EntityDefinition(
                "Book", superentityName: "Item", attributes: [.init("pages", .integer32), .init("isbn", .string)],
                relationships: [.init("editors", to: "Person", inverse: "edited", maxCount: 0)]),
            EntityDefinition(
                "Disc", superentityName: "Item", attributes: [.init("seconds", .double), .init("isbn", .integer64)]),
            EntityDefinition(
                "Person",
                attributes: [.init("name", .string, isIndexed: true), .init("age", .integer16), .init("born", .date)],
                relationships: [
                    .init("items", to: "Item", inverse: "author", maxCount: 0),
                    .init("edited", to: "Book", inverse: "editors", maxCount: 0),
                    .init("mentor", to: "Person", inverse: "students"),
                    .init("students", to: "Person", inverse: "mentor", maxCount: 0),
                    .init("friends", to: "Person", inverse: "friends", maxCount: 0),
                    .init("follows", to: "Person", inverse: "followers", maxCount: 0),
                    .init("followers", to: "Person", inverse: "follows", maxCount: 0),
                    .init("badges", to: "Badge", maxCount: 0),
                ]),
            EntityDefinition(
                "Shelf", attributes: [.init("name", .string), .init("floor", .integer16)],
                relationships: [.init("items", to: "Item", inverse: "shelf", maxCount: 0, isOrdered: true)]),
            EntityDefinition(
                "Tag", attributes: [.init("word", .string), .init("weight", .double)],
                relationships: [.init("items", to: "Item", inverse: "tags", maxCount: 0)]),
            EntityDefinition("Badge", attributes: [.init("text", .string), .init("worth", .decimal)]),
        ]
        description.composites = [
            CompositeDescription(
                "Place",
                attributes: [
                    .init("floor", .integer16), .init("room", .string),
                    .init("spot", .composite, compositeName: "Spot"),
                ]),
            CompositeDescription("Spot", attributes: [.init("x", .double)]),
        ]
        return try ManagedObjectModel(description)
    }
}
