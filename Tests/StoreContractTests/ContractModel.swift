import Schema

/// A model with everything that a store has to keep.
enum ContractModel {
    static func make() throws -> ManagedObjectModel {
        var description = ManagedObjectModel.Definition()
        description.entities = [
            EntityDefinition(
                "Item", isAbstract: true,
                attributes: [
                    .init("title", .string), .init("created", .date), .init("scratch", .string, isTransient: true),
                ],
                relationships: [
                    .init("tags", to: "Tag", inverse: "items", maxCount: 0, isOrdered: true),
                    .init("shelf", to: "Shelf", inverse: "items"),
                    .init("owner", to: "Person", inverse: "belongings"),
                ]),
            EntityDefinition(
                "Book", superentityName: "Item",
                attributes: [
                    .init("code", .integer64), .init("price", .decimal),
                    .init("cover", .binary, allowsExternalBinaryDataStorage: true),
                    .init("thumbnail", .binary), .init("notes", .transformable),
                ],
                relationships: [.init("authors", to: "Person", inverse: "books", maxCount: 0)]),
            EntityDefinition("Atlas", superentityName: "Book", attributes: [.init("scale", .integer32)]),
            EntityDefinition(
                "Disc", superentityName: "Item",
                attributes: [
                    .init("code", .string), .init("seconds", .double), .init("gain", .float), .init("isLive", .boolean),
                ],
                relationships: [.init("producer", to: "Person")]),
            EntityDefinition(
                "Shelf", attributes: [.init("name", .string), .init("place", .composite, compositeName: "Place")],
                relationships: [
                    .init("items", to: "Item", inverse: "shelf", maxCount: 0, isOrdered: true),
                    .init("featured", to: "Item"),
                ],
                uniquenessConstraints: [["name"]]),
            EntityDefinition(
                "Person",
                attributes: [
                    .init("name", .string), .init("uuid", .uuid), .init("site", .uri), .init("small", .integer16),
                ],
                relationships: [
                    .init("books", to: "Book", inverse: "authors", maxCount: 0),
                    .init("belongings", to: "Item", inverse: "owner", maxCount: 0),
                    .init("friends", to: "Person", inverse: "friends", maxCount: 0),
                    .init("follows", to: "Person", inverse: "followers", maxCount: 0, isOrdered: true),
                    .init("followers", to: "Person", inverse: "follows", maxCount: 0),
                    .init("badges", to: "Badge", maxCount: 0),
                    .init("spouse", to: "Person", inverse: "spouse"),
                ], uniquenessConstraints: [["name", "small"]]),
            EntityDefinition(
                "Tag", attributes: [.init("word", .string)],
                relationships: [.init("items", to: "Item", inverse: "tags", maxCount: 0)]),
            EntityDefinition("Badge", attributes: [.init("text", .string)]),
        ]
        description.composites = [
            CompositeDescription(
                "Place",
                attributes: [
                    .init("floor", .integer16), .init("room", .string),
                    .init("inner", .composite, compositeName: "Spot"),
                ]),
            CompositeDescription("Spot", attributes: [.init("x", .double), .init("seen", .date)]),
        ]
        description.versionIdentifiers = ["contract"]
        return try ManagedObjectModel(description)
    }
}
