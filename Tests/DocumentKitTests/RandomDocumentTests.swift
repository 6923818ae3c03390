import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// Random sequences of all that can be done with a document, against a plain value: after each step
/// the document shows what the value says, and in the end every file holds what it was left with.
///
/// `FOLIO_RANDOM_SEEDS` says how many seeds each form runs, `FOLIO_RANDOM_FIRST` which comes first.
@Suite(.serialized) struct RandomDocumentTests {
    static let forms: [DocumentForm] = [.package, .archive, .store, .binaryStore, .xmlStore]

    static var seeds: [Int] {
        func variable(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
        let first = variable("FOLIO_RANDOM_FIRST") ?? 1
        return Array(first..<(first + (variable("FOLIO_RANDOM_SEEDS") ?? sweep(3, all: 20))))
    }

    @Test(arguments: seeds, forms) func documentsDoWhatPlainValuesDo(seed: Int, form: DocumentForm) async throws {
        try await withFolder { folder in
            let run = try await DocumentProgram(in: folder, form, seed: UInt64(seed))
            do { try await run.go(25) } catch {
                Issue.record("seed \(seed), \(form): \(error)\n\(run.trace.joined(separator: "; "))")
            }
        }
    }
}

/// What a document of the library holds.
struct LibraryState: Equatable {
    struct Book: Equatable {
        var pages: Int?
        var cover: Int?
        var tags: Set<String> = []
    }

    var books: [String: Book] = [:]
    /// The books of each author, in order.
    var authors: [String: [String]] = [:]

    init() {}

    init(_ context: ManagedObjectContext) throws {
        for book in try context.all("Book") {
            let title = book["title"] as? String ?? "nil"
            guard books[title] == nil else { throw DocumentProgram.Deviation(description: "\(title) is there twice") }
            books[title] = Book(
                pages: book["pages"] as? Int, cover: try (book["cover"] as? LargeValue).map { try Self.number(of: $0) },
                tags: Set((book["tags"] as? Set<ManagedObject> ?? []).map { $0["name"] as? String ?? "nil" }))
        }
        for author in try context.all("Author") {
            let name = author[Self.nameKey(author)] as? String ?? "nil"
            authors[name] = (author["books"] as? [ManagedObject] ?? []).map { $0["title"] as? String ?? "nil" }
        }
        for book in try context.all("Book") {
            let title = book["title"] as? String ?? "nil"
            let name = (book["author"] as? ManagedObject).map { $0[Self.nameKey($0)] as? String ?? "nil" }
            guard name == authors.first(where: { $0.value.contains(title) })?.key else {
                throw DocumentProgram.Deviation(description: "\(title) and its author disagree")
            }
        }
    }

    static func nameKey(_ author: ManagedObject) -> String {
        author.entity.property(named: "name") == nil ? "fullName" : "name"
    }

    static func cover(_ number: Int) -> Data {
        var data = Data(repeating: UInt8(truncatingIfNeeded: number), count: number.isMultiple(of: 2) ? 150_000 : 500)
        withUnsafeBytes(of: Int32(number).littleEndian) { data.replaceSubrange(0..<4, with: $0) }
        return data
    }

    private static func number(of value: LargeValue) throws -> Int {
        let data = try value.data()
        let number = data.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard data == cover(number) else { throw DocumentProgram.Deviation(description: "a cover has other bytes") }
        return number
    }

    func author(of title: String) -> String? { authors.first { $0.value.contains(title) }?.key }

    mutating func setAuthor(_ name: String?, of title: String) {
        guard author(of: title) != name else { return }
        for author in authors.keys { authors[author]?.removeAll { $0 == title } }
        if let name { authors[name]?.append(title) }
    }

    mutating func removeBook(_ title: String) {
        setAuthor(nil, of: title)
        books[title] = nil
    }
}
