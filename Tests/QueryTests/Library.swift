import Foundation
import Query
import Schema

/// A small model and objects of it, for tests that run predicates.
struct Library {
    let model: ManagedObjectModel
    let store: StoreIdentity

    init() throws {
        var description = ManagedObjectModel.Definition()
        description.composites = [
            CompositeDescription("Place", attributes: [.init("city", .string), .init("zip", .integer32)])
        ]
        description.entities = [
            EntityDefinition(
                "Author", attributes: [.init("name", .string), .init("born", .date)],
                relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
            EntityDefinition(
                "Book",
                attributes: [
                    .init("title", .string), .init("year", .integer16), .init("price", .decimal),
                    .init("rating", .double), .init("weight", .float),
                    .init("isRead", .boolean), .init("published", .date), .init("isbn", .uuid), .init("link", .uri),
                    .init("cover", .binary, allowsExternalBinaryDataStorage: true), .init("digest", .binary),
                    .init("meta", .transformable),
                    .init("note", .string, isTransient: true), .init("place", .composite, compositeName: "Place"),
                ],
                relationships: [
                    .init("author", to: "Author", inverse: "books"),
                    .init("tags", to: "Tag", inverse: "books", maxCount: 0),
                    .init("chapters", to: "Chapter", inverse: "book", maxCount: 0, isOrdered: true),
                ],
                fetchedProperties: [
                    FetchedPropertyDescription(
                        "similar", fetchRequest: FetchRequestTemplate("similar", entityName: "Book"))
                ]),
            EntityDefinition("Novel", superentityName: "Book", attributes: [.init("genre", .string)]),
            EntityDefinition(
                "Chapter", attributes: [.init("title", .string), .init("pages", .integer32)],
                relationships: [.init("book", to: "Book", inverse: "chapters")]),
            EntityDefinition(
                "Tag", attributes: [.init("name", .string)],
                relationships: [.init("books", to: "Book", inverse: "tags", maxCount: 0)]),
        ]
        model = try ManagedObjectModel(description)
        store = StoreIdentity(uuid: "6F0C0000-0000-4000-8000-000000000001", model: model)
    }

    func entity(_ name: String) throws -> EntityDescription {
        guard let entity = model.entity(named: name) else { throw QueryError(.unknownKey, "no entity \(name)") }
        return entity
    }

    func object(_ entityName: String, _ key: Int64, _ values: [String: PropertyValue] = [:]) throws -> TestObject {
        let entity = try entity(entityName)
        let object = TestObject(entity, ManagedObjectID(store: store, entityIndex: entity.index, key: key))
        for (key, value) in values { object.values[key] = .scalar(value) }
        return object
    }

    /// The predicate validated and compiled for objects of an entity.
    func compile(_ format: String, _ entityName: String, _ arguments: (any PredicateArgument)?...) throws
        -> CompiledPredicate
    {
        let entity = try entity(entityName)
        let predicate = try FetchPredicate(format: format, arguments: arguments).validated(
            against: entity, in: model, store: store)
        return try CompiledPredicate(predicate, entity: entity, model: model)
    }

    /// Whether an object matches: the same answer whether the predicate was validated or run as it
    /// was written.
    func matches(_ format: String, _ object: TestObject, _ arguments: (any PredicateArgument)?...) throws -> Bool {
        let predicate = try FetchPredicate(format: format, arguments: arguments)
        let validated = try predicate.validated(against: object.entity, in: model, store: store)
        let result = try CompiledPredicate(validated, entity: object.entity, model: model).matches(object)
        let complement = try CompiledPredicate(.not(validated), entity: object.entity, model: model).matches(object)
        if result == complement { throw QueryError(.type, "NOT is no complement of \(format)") }
        return result
    }
}

final class TestObject: QueryObject {
    let entity: EntityDescription
    let queryID: ManagedObjectID
    var values: [String: QueryValue] = [:]

    init(_ entity: EntityDescription, _ id: ManagedObjectID) {
        self.entity = entity
        queryID = id
    }

    func queryValue(forKey key: String) throws -> QueryValue {
        guard let property = entity.property(named: key) else {
            throw QueryError(.unknownKey, "no \(key)", entity: entity.name, key: key)
        }
        if let value = values[key] { return value }
        return property.isToMany ? .collection([], isOrdered: property.relationship?.isOrdered ?? false) : .null
    }

    func queryValue(at propertyIndex: Int) throws -> QueryValue {
        try queryValue(forKey: entity.properties[propertyIndex].name)
    }

    func set(_ key: String, _ objects: [TestObject], isOrdered: Bool = false) {
        values[key] = .collection(objects.map(QueryValue.object), isOrdered: isOrdered)
    }

    func set(_ key: String, _ object: TestObject) {
        values[key] = .object(object)
    }
}
