import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Bare stores of one stem have one folder for their large values: nothing in it is removed that
/// another one refers to.
struct SharedSupportFolderTests {
    private func values(_ folder: URL) throws -> [String] {
        try contents(of: folder).keys.filter { $0.hasPrefix(".O_SUPPORT/") }.sorted()
    }

    /// Two stores with one value, of which the second is a copy of the first.
    private func makePair(_ folder: URL, _ second: String = "O.storedata") async throws -> (URL, URL) {
        let first = folder.appendingPathComponent("O.sqlite"), copy = folder.appendingPathComponent(second)
        let document = try await PersistentDocument.create(at: first, model: Library.model(), form: .store)
        try Library.fill(document.context)
        try await document.save()
        try await document.write(to: copy, form: .store)
        try await document.close()
        #expect(try values(folder).count == 1)
        return (first, copy)
    }

    private func deleteNovel(_ url: URL) async throws {
        let document = try await PersistentDocument.open(url, model: Library.model())
        for novel in try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")) {
            document.context.delete(novel)
        }
        try await document.save()
        try await document.close()
    }

    @Test func deletingInOneKeepsWhatTheOtherRefersTo() async throws {
        try await withFolder { folder in
            let (first, second) = try await makePair(folder)
            try await deleteNovel(first)
            #expect(try values(folder).count == 1)
            #expect(try DocumentVerifier.verify(second, isThorough: true, model: Library.model()).isEmpty)
            #expect(try DocumentVerifier.unusedValues(of: first).isEmpty)
            try await deleteNovel(second)
            #expect(try values(folder).isEmpty)
        }
    }

    /// It may refer to any value.
    @Test func aStoreThatCantBeReadKeepsAllValues() async throws {
        try await withFolder { folder in
            let (first, second) = try await makePair(folder)
            let file = try FileHandle(forWritingTo: second)
            try file.truncate(atOffset: 4096)
            try file.close()
            try await deleteNovel(first)
            #expect(try values(folder).count == 1)
        }
    }

    @Test func replacingOneKeepsWhatTheOtherRefersTo() async throws {
        try await withFolder { folder in
            let (first, second) = try await makePair(folder)
            let empty = try await PersistentDocument.create(
                at: folder.appendingPathComponent("E.folio"), model: Library.model())
            try await empty.write(to: first, form: .store, replacing: true)
            try await empty.close()
            #expect(try DocumentVerifier.verify(second, isThorough: true, model: Library.model()).isEmpty)
        }
    }

    @Test func removingAndReplacingAStoreFileKeepWhatTheOtherRefersTo() async throws {
        try await withFolder { folder in
            let (first, second) = try await makePair(folder)
            let other = folder.appendingPathComponent("P.sqlite")
            try SQLiteStoreFile(other).replace(by: SQLiteStoreFile(second))
            try SQLiteStoreFile(first).destroy()
            #expect(try DocumentVerifier.verify(second, isThorough: true, model: Library.model()).isEmpty)
            try SQLiteStoreFile(first).replace(by: SQLiteStoreFile(other))
            try SQLiteStoreFile(second).destroy()
            #expect(try DocumentVerifier.verify(first, isThorough: true, model: Library.model()).isEmpty)
            try SQLiteStoreFile(first).destroy()
            #expect(try values(folder).isEmpty)
        }
    }

    @Test func movingOneKeepsWhatTheOtherRefersTo() async throws {
        try await withFolder { folder in
            let (first, second) = try await makePair(folder)
            let document = try await PersistentDocument.open(first, model: Library.model())
            try await document.move(to: folder.appendingPathComponent("Moved.sqlite"))
            try await document.close()
            for url in [second, folder.appendingPathComponent("Moved.sqlite")] {
                #expect(try DocumentVerifier.verify(url, isThorough: true, model: Library.model()).isEmpty)
            }
        }
    }

    /// SQLite would take it for the file of another store.
    @Test(arguments: ["O.sqlite-wal", "O.sqlite-shm", "O.sqlite-journal"])
    func noDocumentGetsTheNameOfAnotherStoresFile(name: String) async throws {
        try await withFolder { folder in
            for form in [DocumentForm.store, .package, .xmlStore] {
                let error = await #expect(throws: DocumentError.self) {
                    try await PersistentDocument.create(
                        at: folder.appendingPathComponent(name), model: Library.model(), form: form)
                }
                #expect(error?.code == .cannotCreate)
            }
        }
    }
}
