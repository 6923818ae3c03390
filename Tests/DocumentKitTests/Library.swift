import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema

/// The model of the tests, and ways to look at documents of it.
enum Library {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Author", attributes: [.init("name", .string, isOptional: false)],
                    relationships: [
                        .init(
                            "books", to: "Book", inverse: "author", maxCount: 0, isOrdered: true, deleteRule: .cascade)
                    ]),
                EntityDefinition(
                    "Book",
                    attributes: [
                        .init("title", .string), .init("pages", .integer64, minimumValue: .int(0)),
                        .init("cover", .binary, allowsExternalBinaryDataStorage: true),
                    ],
                    relationships: [
                        .init("author", to: "Author", inverse: "books"),
                        .init("tags", to: "Tag", inverse: "books", maxCount: 0),
                        .init("similar", to: "Book", inverse: "similar", maxCount: 0),
                    ]),
                EntityDefinition("Novel", superentityName: "Book", attributes: [.init("genre", .string)]),
                EntityDefinition(
                    "Tag", attributes: [.init("name", .string)],
                    relationships: [.init("books", to: "Book", inverse: "tags", maxCount: 0)]),
            ], versionIdentifiers: ["1"])
    }

    static let cover = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    /// An author with two books and a tag.
    static func fill(_ context: ManagedObjectContext) throws {
        let author = try context.insert("Author")
        author["name"] = "Eliot"
        let novel = try context.insert("Novel"), book = try context.insert("Book"), tag = try context.insert("Tag")
        novel["title"] = "Middlemarch"
        novel["genre"] = "study"
        novel["author"] = author
        novel["cover"] = cover
        book["title"] = "Essays"
        book["author"] = author
        tag["name"] = "classic"
        novel["tags"] = Set([tag])
        novel["similar"] = Set([book])
    }

    static func titles(_ document: PersistentDocument) throws -> [String] {
        try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).compactMap {
            $0["title"] as? String
        }.sorted()
    }

    static func insertBook(_ title: String, _ document: PersistentDocument) throws {
        let book = try document.context.insert("Book")
        book["title"] = title
    }
}

/// The files of an open package, without the index that SQLite keeps beside its journal for whoever
/// reads.
func committed(_ package: URL) throws -> [String: [UInt8]] {
    try contents(of: package).filter { !$0.key.hasSuffix("-shm") }
}

/// All files beneath a folder with their bytes.
func contents(of folder: URL) throws -> [String: [UInt8]] {
    var result: [String: [UInt8]] = [:]
    func walk(_ path: String, _ prefix: String) throws {
        for entry in try Disk.list(path) {
            if entry.kind == .directory {
                try walk(path + "/" + entry.name, prefix + entry.name + "/")
            } else {
                result[prefix + entry.name] = try Disk.read(path + "/" + entry.name, limit: 1 << 30)
            }
        }
    }
    try walk(folder.path, "")
    return result
}
