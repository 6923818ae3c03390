import ObjectGraph
import Schema
import Testing

/// A model with every kind of relationship, and a context on a fresh store.
struct Library {
    let model: ManagedObjectModel
    let store: TestStore
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext

    init(classes: [String: ManagedObject.Type] = [:], model: ManagedObjectModel? = nil) throws {
        let model = try model ?? Library.model()
        self.model = model
        store = TestStore(model)
        coordinator = PersistentStoreCoordinator(managedObjectModel: model, classes: classes, factories: [])
        coordinator.add(store)
        context = ManagedObjectContext(coordinator)
    }

    func anotherContext() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Author", managedObjectClassName: "Author",
                attributes: [
                    .init("name", .string), .init("born", .integer32),
                    .init("rating", .double, defaultValue: .double(2.5)), .init("note", .string, isTransient: true),
                ],
                relationships: [
                    .init("books", to: "Book", inverse: "author", maxCount: 0, deleteRule: .cascade),
                    .init("spouse", to: "Author", inverse: "spouse"),
                    .init("friends", to: "Author", inverse: "friends", maxCount: 0),
                    .init("favourites", to: "Book", maxCount: 0),
                ]),
            EntityDefinition(
                "Book",
                attributes: [
                    .init("title", .string), .init("pages", .integer16), .init("price", .decimal),
                    .init("printed", .date), .init("isbn", .uuid),
                ],
                relationships: [
                    .init("author", to: "Author", inverse: "books"),
                    .init("tags", to: "Tag", inverse: "books", maxCount: 0),
                    .init(
                        "chapters", to: "Chapter", inverse: "book", maxCount: 0, isOrdered: true, deleteRule: .cascade),
                    .init("cover", to: "Cover", inverse: "book", deleteRule: .cascade),
                    .init("shelf", to: "Shelf", inverse: "books"),
                ]),
            EntityDefinition("Novel", superentityName: "Book", attributes: [.init("genre", .string)]),
            EntityDefinition(
                "Tag", attributes: [.init("name", .string)],
                relationships: [.init("books", to: "Book", inverse: "tags", maxCount: 0)]),
            EntityDefinition(
                "Chapter", attributes: [.init("title", .string)],
                relationships: [.init("book", to: "Book", inverse: "chapters")]),
            EntityDefinition(
                "Cover", attributes: [.init("color", .string)],
                relationships: [.init("book", to: "Book", inverse: "cover")]),
            EntityDefinition(
                "Shelf", attributes: [.init("number", .integer64)],
                relationships: [.init("books", to: "Book", inverse: "shelf", maxCount: 0, deleteRule: .deny)]),
        ])
    }

    @discardableResult
    func book(_ title: String, by author: ManagedObject? = nil) throws -> ManagedObject {
        let book = try context.insert("Book")
        book["title"] = title
        book["author"] = author
        return book
    }

    @discardableResult
    func author(_ name: String) throws -> ManagedObject {
        let author = try context.insert("Author")
        author["name"] = name
        return author
    }
}
