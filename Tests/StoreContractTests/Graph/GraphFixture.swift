import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// A new store of one kind behind a coordinator, with a model that has every kind of relationship
/// and some unique values.
final class GraphFixture {
    let kind: StoreKind
    let model: ManagedObjectModel
    let description: PersistentStoreDescription
    let coordinator: PersistentStoreCoordinator
    private var openedAgain: [PersistentStoreCoordinator] = []
    /// Held, so that tests can use objects in one expression.
    private var contexts: [ManagedObjectContext] = []
    private let classes: [String: ManagedObject.Type]

    private init(
        _ kind: StoreKind, in folder: URL, classes: [String: ManagedObject.Type], model: ManagedObjectModel?,
        tracksHistory: Bool
    ) throws {
        self.kind = kind
        self.classes = classes
        self.model = try model ?? Self.makeModel()
        var description = PersistentStoreDescription(
            url: folder.appendingPathComponent("Graph.store"), type: kind.factory.type)
        description.tracksHistory = tracksHistory
        self.description = description
        coordinator = PersistentStoreCoordinator(managedObjectModel: self.model, classes: classes)
        coordinator.registerSamples()
        try coordinator.addPersistentStore(description)
    }

    static func run(
        _ kind: StoreKind, classes: [String: ManagedObject.Type] = [:], model: ManagedObjectModel? = nil,
        tracksHistory: Bool = false,
        _ body: (GraphFixture) throws -> Void
    ) throws {
        try withTemporaryDirectory { folder in
            let fixture = try GraphFixture(
                kind, in: folder, classes: classes, model: model, tracksHistory: tracksHistory)
            try body(fixture)
            for coordinator in fixture.openedAgain + [fixture.coordinator] { try coordinator.removePersistentStores() }
        }
    }

    /// A context on the store.
    func context(_ policy: MergePolicy = .error) -> ManagedObjectContext {
        let context = ManagedObjectContext(coordinator)
        context.mergePolicy = policy
        contexts.append(context)
        return context
    }

    /// A context on the store as it stands in its file; on the same store where it has no file.
    func reopened() throws -> ManagedObjectContext {
        guard kind.hasFile else { return context() }
        let other = PersistentStoreCoordinator(managedObjectModel: model, classes: classes)
        other.registerSamples()
        try other.addPersistentStore(description)
        openedAgain.append(other)
        let context = ManagedObjectContext(other)
        contexts.append(context)
        return context
    }

    static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person", managedObjectClassName: "Person",
                attributes: [
                    .init("name", .string), .init("email", .string), .init("age", .integer16),
                    .init("scratch", .string, isTransient: true),
                ],
                relationships: [
                    .init("accounts", to: "Account", inverse: "owner", maxCount: 0, deleteRule: .cascade),
                    .init("friends", to: "Person", inverse: "friends", maxCount: 0),
                    .init("mentor", to: "Person", inverse: "pupils"),
                    .init("pupils", to: "Person", inverse: "mentor", maxCount: 0),
                    .init("card", to: "Card", inverse: "person", deleteRule: .cascade),
                ], uniquenessConstraints: [["email"]]),
            EntityDefinition(
                "Account", managedObjectClassName: "Account",
                attributes: [
                    .init("title", .string), .init("balance", .integer64, defaultValue: .int(0)),
                    .init("note", .string), .init("color", .string),
                    .init("opened", .date),
                ],
                relationships: [
                    .init("owner", to: "Person", inverse: "accounts"),
                    .init("tags", to: "Tag", inverse: "accounts", maxCount: 0),
                    .init(
                        "entries", to: "Entry", inverse: "account", maxCount: 0, isOrdered: true, deleteRule: .cascade),
                ]),
            EntityDefinition(
                "Savings", managedObjectClassName: "Account", superentityName: "Account",
                attributes: [.init("rate", .double)]),
            EntityDefinition(
                "Tag", attributes: [.init("word", .string), .init("weight", .integer32), .init("comment", .string)],
                relationships: [.init("accounts", to: "Account", inverse: "tags", maxCount: 0)],
                uniquenessConstraints: [["word"]]),
            EntityDefinition(
                "Entry", attributes: [.init("text", .string)],
                relationships: [.init("account", to: "Account", inverse: "entries")]),
            EntityDefinition(
                "Card", attributes: [.init("bank", .string), .init("number", .integer32)],
                relationships: [.init("person", to: "Person", inverse: "card")],
                uniquenessConstraints: [["bank", "number"]]),
        ])
    }
}

/// A coordinator with an empty store in memory, for tests that suspend.
func inMemoryCoordinator(_ model: ManagedObjectModel) throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
        PersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"), type: .inMemory))
    return coordinator
}

/// Runs `body` with a context that is held meanwhile: its objects can be used in one expression.
func withContext(_ coordinator: PersistentStoreCoordinator, _ body: (ManagedObjectContext) throws -> Void) throws {
    let context = ManagedObjectContext(coordinator)
    try withExtendedLifetime(context) { try body(context) }
}

extension ManagedObjectContext {
    /// Inserts an object with values.
    @discardableResult
    func make(_ entity: String, _ values: [String: Any?]) throws -> ManagedObject {
        let object = try insert(entity)
        for (key, value) in values { object[key] = value }
        return object
    }

    func all(_ entity: String, _ format: String? = nil) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try format.map { try FetchPredicate(format: $0) }
        return try fetch(request)
    }

    /// The only object that matches.
    func one(_ entity: String, _ format: String? = nil) throws -> ManagedObject {
        let found = try all(entity, format)
        return try #require(found.count == 1 ? found[0] : nil, "\(found.count) objects of \(entity)")
    }

    /// This context's object for one of another context.
    func same(_ object: ManagedObject) throws -> ManagedObject { try existingObject(with: object.objectID) }
}

extension ManagedObject {
    func text(_ key: String) -> String? { self[key] as? String }
    func number(_ key: String) -> Int? { self[key] as? Int }
    func target(_ key: String) -> ManagedObject? { self[key] as? ManagedObject }

    /// The texts of a relationship's objects: in order for an ordered one, sorted otherwise.
    func texts(_ key: String, _ name: String) -> [String] {
        if let set = self[key] as? Set<ManagedObject> { return set.map { $0.text(name) ?? "–" }.sorted() }
        return (self[key] as? [ManagedObject] ?? []).map { $0.text(name) ?? "–" }
    }
}
