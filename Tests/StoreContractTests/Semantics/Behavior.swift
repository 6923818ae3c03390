import ObjectGraph
import Query
import Schema
import Testing

/// One behavior that users of Core Data count on, by the numbers of the facts that say so
/// (the page *Core Data's behavior*). Each runs on every kind of store.
struct Behavior: Sendable, CustomTestStringConvertible {
    let facts: String
    let name: String
    let check: @Sendable (GraphFixture) throws -> Void

    init(_ facts: String, _ name: String, _ check: @escaping @Sendable (GraphFixture) throws -> Void) {
        self.facts = facts
        self.name = name
        self.check = check
    }

    var testDescription: String { "\(facts) \(name)" }

    func run(on kind: StoreKind, model: ManagedObjectModel? = nil, classes: [String: ManagedObject.Type] = [:]) throws {
        try GraphFixture.run(kind, classes: classes, model: model) { try check($0) }
    }
}

extension ManagedObjectContext {
    /// Objects of an entity with these texts, saved.
    @discardableResult
    func saved(_ entity: String, _ key: String, _ texts: [String]) throws -> [ManagedObject] {
        let objects = try texts.map { try make(entity, [key: $0]) }
        try save()
        return objects
    }

    func found(
        _ entity: String, _ format: String? = nil, by key: String,
        _ change: (inout FetchRequest<ManagedObject>) throws -> Void = { _ in }
    ) throws -> [String] {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try format.map { try FetchPredicate(format: $0) }
        request.sortDescriptors = [SortKey(key)]
        try change(&request)
        return try fetch(request).map { $0.text(key) ?? $0.number(key).map { "\($0)" } ?? "nil" }
    }
}
