import CoreData

/// Books and their authors.
final class Author: NSManagedObject {
    @Managed var name: String?
    @Managed var books: Set<Book>
    @ManagedAccessor func addToBooks(_ value: Book)
    @ManagedAccessor func removeFromBooks(_ value: Book)
}

@ManagedObjectClass
final class Book: NSManagedObject {
    var title: String?
    var year: Int16
    var isRead: Bool
    var price: NSDecimalNumber?
    var tags: [String]?
    var author: Author?

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("Untitled", forKey: "title")
    }
}

enum Library {
    static func attribute(
        _ name: String, _ type: NSAttributeType, _ configure: (NSAttributeDescription) -> Void = { _ in }
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        configure(attribute)
        return attribute
    }

    static func model() -> NSManagedObjectModel {
        let author = NSEntityDescription()
        author.name = "Author"
        author.managedObjectClassName = NSStringFromClass(Author.self)
        let book = NSEntityDescription()
        book.name = "Book"
        book.managedObjectClassName = NSStringFromClass(Book.self)
        let books = NSRelationshipDescription()
        (books.name, books.destinationEntity, books.deleteRule) = ("books", book, .cascadeDeleteRule)
        let writer = NSRelationshipDescription()
        (writer.name, writer.destinationEntity, writer.maxCount) = ("author", author, 1)
        (books.inverseRelationship, writer.inverseRelationship) = (writer, books)
        author.properties = [attribute("name", .stringAttributeType) { $0.isOptional = false }, books]
        book.properties = [
            attribute("title", .stringAttributeType),
            attribute("year", .integer16AttributeType) { $0.defaultValue = 0 },
            attribute("isRead", .booleanAttributeType) { $0.defaultValue = false },
            attribute("price", .decimalAttributeType), attribute("tags", .transformableAttributeType), writer,
        ]
        let model = NSManagedObjectModel()
        model.entities = [author, book]
        return model
    }

    /// A container with a store in memory.
    static func container() throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model())
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        try load(container)
        return container
    }

    /// A container with a store in a file of a folder of its own.
    static func container(in folder: Folder, _ configure: (NSPersistentStoreDescription) -> Void = { _ in }) throws
        -> NSPersistentContainer
    {
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model())
        let description = NSPersistentStoreDescription(url: folder.url.appendingPathComponent("Library.sqlite"))
        configure(description)
        container.persistentStoreDescriptions = [description]
        try load(container)
        return container
    }

    static func load(_ container: NSPersistentContainer) throws {
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = failure ?? error }
        if let failure { throw failure }
    }
}

/// A folder that goes with the test.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("CoreDataTests-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }
}
