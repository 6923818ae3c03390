import Foundation
import Schema

/// A model that has every feature that the layout of a store depends on.
enum FeatureModel {
    static func make() throws -> ManagedObjectModel {
        var description = ManagedObjectModel.Definition()
        description.entities = [
            EntityDefinition(
                "Item", isAbstract: true,
                attributes: [.init("title", .string), .init("created", .date)],
                relationships: [
                    .init("tags", to: "Tag", inverse: "items", maxCount: 0, isOrdered: true),
                    .init("shelf", to: "Shelf", inverse: "items"),
                ],
                indexes: [.init("byTitle", elements: [.init(propertyName: "title")])]),
            EntityDefinition(
                "Book", superentityName: "Item",
                attributes: [
                    .init("code", .integer64), .init("price", .decimal),
                    .init("cover", .binary, allowsExternalBinaryDataStorage: true),
                    .init("notes", .transformable), .init("kind", .integer16),
                ],
                relationships: [.init("authors", to: "Person", inverse: "books", maxCount: 0)]),
            EntityDefinition(
                "Disc", superentityName: "Item",
                attributes: [
                    .init("code", .string), .init("seconds", .double), .init("gain", .float), .init("isLive", .boolean),
                    .init("cache", .string, isTransient: true),
                ],
                relationships: [.init("code1", to: "Person")]),
            EntityDefinition(
                "Shelf",
                attributes: [
                    .init("name", .string, isOptional: false), .init("place", .composite, compositeName: "Place"),
                ],
                relationships: [
                    .init("items", to: "Item", inverse: "shelf", maxCount: 0, isOrdered: true),
                    .init("featured", to: "Item"),
                ],
                uniquenessConstraints: [["name"]]),
            EntityDefinition(
                "Person",
                attributes: [
                    .init("name", .string), .init("uuid", .uuid), .init("site", .uri), .init("small", .integer32),
                ],
                relationships: [
                    .init("books", to: "Book", inverse: "authors", maxCount: 0),
                    .init("friends", to: "Person", inverse: "friends", maxCount: 0),
                    .init("follows", to: "Person", inverse: "followers", maxCount: 0, isOrdered: true),
                    .init("followers", to: "Person", inverse: "follows", maxCount: 0),
                    .init("badges", to: "Badge", maxCount: 0),
                    .init("spouse", to: "Person", inverse: "spouse"),
                ]),
            EntityDefinition(
                "Tag", attributes: [.init("word", .string)],
                relationships: [.init("items", to: "Item", inverse: "tags", maxCount: 0)]),
            EntityDefinition("Badge", attributes: [.init("text", .string)]),
        ]
        description.composites = [
            CompositeDescription("Place", attributes: [.init("floor", .integer16), .init("room", .string)])
        ]
        description.versionIdentifiers = ["features"]
        return try ManagedObjectModel(description)
    }
}
