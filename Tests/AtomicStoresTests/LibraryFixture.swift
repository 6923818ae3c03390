import AtomicStores
import Foundation
import ModelFiles
import Query
import RowMemory
import Schema
import Storage
import TestSupport

/// A store of books and authors on a file.
final class LibraryFixture {
    enum Format: String, CaseIterable {
        case xml, binary

        var factory: StoreFactory {
            switch self {
            case .xml: AtomicPersistentStore.xmlFactory
            case .binary:
                AtomicPersistentStore.binaryFactory(
                    ModelCoding(encode: { try ModelCache.encode($0) }, decode: { try ModelCache.decode($0) }))
            }
        }
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Author",
                    attributes: [.init("fullName", .string), .init("born", .date), .init("isAlive", .boolean)],
                    relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
                EntityDefinition(
                    "Book",
                    attributes: [
                        .init("pages", .integer16), .init("price", .decimal), .init("title", .string),
                        .init("cover", .binary, allowsExternalBinaryDataStorage: true),
                    ], relationships: [.init("author", to: "Author", inverse: "books")]),
            ], versionIdentifiers: ["1"])
    }

    let format: Format
    let url: URL
    let model: ManagedObjectModel
    var store: any StoreBackend

    init(_ format: Format, in folder: URL) throws {
        self.format = format
        url = folder.appendingPathComponent("Library.\(format.rawValue)")
        model = try Self.model()
        store = try format.factory.open(PersistentStoreDescription(url: url, type: format.factory.type), model)
    }

    static func run(_ format: Format, _ body: (LibraryFixture) throws -> Void) throws {
        try withTemporaryDirectory { try body(LibraryFixture(format, in: $0)) }
    }

    func open(at url: URL? = nil, timeout: Double = 2) throws -> any StoreBackend {
        var description = PersistentStoreDescription(url: url ?? self.url, type: format.factory.type)
        description.createsIfMissing = false
        description.timeout = timeout
        return try format.factory.open(description, model)
    }

    private var author: EntityDescription { model.entities[0] }
    private var book: EntityDescription { model.entities[1] }

    func slot(_ entity: EntityDescription, _ name: String) -> RowSlot {
        guard let property = entity.property(named: name) else { preconditionFailure("no \(name)") }
        return store.layouts[entity.index].slots[property.index]
    }

    /// One author with a book each time.
    func changes(_ title: String) -> ChangeSet {
        var authors = RowBatch(), books = RowBatch()
        let a = authors.appendRow(store.layouts[author.index], key: -1, version: 0)
        a.setString("\(title)'s author", slot(author, "fullName"))
        a.setDouble(445_103_622.25, slot(author, "born"))
        a.setBool(true, slot(author, "isAlive"))
        let b = books.appendRow(store.layouts[book.index], key: -2, version: 0)
        b.setString(title, slot(book, "title"))
        b.setInt(412, slot(book, "pages"))
        b.setDecimal(Decimal(string: "9.5") ?? 0, slot(book, "price"))
        b.setLarge(LargeValue(Data([0, 1, 2, 255])), slot(book, "cover"))
        b.setReference(ObjectReference(key: -1, entityIndex: author.index), slot(book, "author"))
        var changes = ChangeSet()
        changes.insertions = [
            .init(entityIndex: author.index, rows: authors), .init(entityIndex: book.index, rows: books),
        ]
        return changes
    }

    func titles(in store: (any StoreBackend)? = nil) throws -> [String] {
        let rows = try (store ?? self.store).rows(RowRequest(entityIndex: book.index))
        return (0..<rows.count).map { rows[$0].string(slot(book, "title")) ?? "" }
    }
}
