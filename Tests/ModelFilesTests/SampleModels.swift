import Foundation
import Schema

/// A model that uses everything a model can have.
enum SampleModels {
    static func everything() throws -> ManagedObjectModel {
        var description = ManagedObjectModel.Definition()
        description.versionIdentifiers = ["1", "b"]
        description.extraMarkup = ["sourceLanguage": "Swift", "usedWithCloudKit": "false"]
        description.composites = [
            CompositeDescription(
                "Point",
                attributes: [
                    AttributeDescription("x", .double, defaultValue: .double(0.5)), AttributeDescription("y", .double),
                ]),
            CompositeDescription(
                "Line", attributes: [AttributeDescription("from", .composite, compositeName: "Point")]),
        ]
        description.entities = [
            thing(),
            EntityDefinition("Part", superentityName: "Thing", attributes: [AttributeDescription("weight", .double)]),
            owner(),
        ]
        description.configurations = ["Local": ["Part", "Thing"], "Cloud": ["Owner"]]
        description.fetchRequestTemplates = [
            FetchRequestTemplate(
                "named", entityName: "Thing",
                predicateFormat: "name == $name AND (size > 3 OR NOT kind IN {\"a\", \"b\"})", fetchLimit: 10,
                fetchBatchSize: 5,
                includesSubentities: false, includesPropertyValues: false, returnsObjectsAsFaults: false,
                returnsDistinctResults: true, resultType: 2),
            FetchRequestTemplate("all", entityName: "Owner"),
        ]
        description.diagram = [["name": "Thing", "positionX": "1", "positionY": "-2", "width": "128", "height": "60"]]
        return try ManagedObjectModel(description)
    }

    private static func thing() -> EntityDefinition {
        var entity = EntityDefinition("Thing", managedObjectClassName: "Shop.Thing", isAbstract: true)
        let date = Date(timeIntervalSinceReferenceDate: 388_411_200)
        entity.attributes = [
            AttributeDescription(
                "name", .string, isOptional: false, defaultValue: .string(""), minimumValue: .int(3),
                maximumValue: .int(40), regularExpression: "[a-z]+\\d*"),
            AttributeDescription(
                "kind", .string, defaultValue: .string("<\"a\" & 'b'>\n\tü"), renamingIdentifier: "sort",
                versionHashModifier: "2"),
            AttributeDescription(
                "size", .integer16, defaultValue: .int(-3), minimumValue: .int(-5), maximumValue: .int(5),
                usesScalarValueType: true),
            AttributeDescription("count32", .integer32, isIndexed: true),
            AttributeDescription("count64", .integer64, defaultValue: .int(.min)),
            AttributeDescription(
                "price", .decimal, defaultValue: .decimal(Decimal(string: "10.110000000000000000001") ?? 0),
                minimumValue: .decimal(0)),
            AttributeDescription("ratio", .float, defaultValue: .float(0.1), maximumValue: .float(2.5)),
            AttributeDescription("amount", .double, defaultValue: .double(1e-7)),
            AttributeDescription("flag", .boolean, defaultValue: .bool(true)),
            AttributeDescription(
                "made", .date, defaultValue: .date(date), minimumValue: .date(date.addingTimeInterval(-0.25)),
                maximumValue: .date(date + 9)),
            AttributeDescription(
                "blob", .binary, allowsExternalBinaryDataStorage: true, userInfo: ["a": "b \"c\"", "d": ""]),
            AttributeDescription(
                "key", .uuid, defaultValue: .uuid(UUID(uuidString: "6F0C2C2E-1111-4222-8333-0123456789AB") ?? UUID()),
                preservesValueInHistoryOnDeletion: true),
            AttributeDescription(
                "link", .uri, defaultValue: URL(string: "https://example.com/?a=b&c").map { .uri($0) }),
            AttributeDescription(
                "color", .transformable, valueTransformerName: "ColorTransformer", attributeValueClassName: "[Int64]"),
            AttributeDescription("shown", .undefined, isTransient: true),
            AttributeDescription("place", .composite, compositeName: "Line"),
            AttributeDescription("total", .integer64, derivationExpression: "parts.@count"),
            AttributeDescription("plain", .string, derivationExpression: "canonical:(name)"),
            AttributeDescription(
                "secret", .string, isIndexedBySpotlight: true, allowsCloudEncryption: true,
                extraMarkup: ["syncable": "YES"]),
        ]
        entity.relationships = [
            RelationshipDescription(
                "owner", to: "Owner", inverse: "things", isOptional: false, deleteRule: .deny, isIndexed: true,
                renamingIdentifier: "holder"),
            RelationshipDescription(
                "parts", to: "Part", inverse: "whole", maxCount: -1, isOrdered: true, deleteRule: .cascade),
            RelationshipDescription(
                "whole", to: "Thing", inverse: "parts", deleteRule: .noAction, userInfo: ["x": "y"]),
        ]
        entity.relationships[1].destinationEntityName = "Thing"
        entity.uniquenessConstraints = [["name", "kind"], ["key"]]
        entity.compoundIndexes = [["name", "size"]]
        entity.indexes = [
            FetchIndexDescription(
                "byName",
                elements: [.init(propertyName: "name"), .init(propertyName: "size", kind: .rTree, isAscending: false)],
                partialIndexPredicate: "size > 0"),
            FetchIndexDescription(
                "byText",
                elements: [
                    .init(propertyName: nil, expression: "lowercase:(name)", extraMarkup: ["expressionType": "String"])
                ]),
        ]
        entity.renamingIdentifier = "Object"
        entity.versionHashModifier = "7"
        entity.userInfo = ["key with.dots…": "value"]
        entity.extraMarkup = ["syncable": "YES", "codeGenerationType": "class"]
        return entity
    }

    private static func owner() -> EntityDefinition {
        EntityDefinition(
            "Owner", attributes: [AttributeDescription("name", .string)],
            relationships: [RelationshipDescription("things", to: "Thing", inverse: "owner", minCount: 1, maxCount: 9)],
            fetchedProperties: [
                FetchedPropertyDescription(
                    "big",
                    fetchRequest: FetchRequestTemplate(
                        "fetchedPropertyFetchRequest", entityName: "Thing",
                        predicateFormat: "size > $FETCH_SOURCE.limit.x"))
            ])
    }
}
