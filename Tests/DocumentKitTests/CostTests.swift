import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Synchronization
import TestSupport
import Testing

/// What an autosave and a version cost depends on what was changed, and not on what is there.
struct CostTests {
    /// The files that are written to while `body` runs, each as often as it is.
    private func writes(_ body: () async throws -> Void) async throws -> [String: Int] { try await calls(.write, body) }

    private func calls(_ wanted: SystemCall, _ body: () async throws -> Void) async throws -> [String: Int] {
        let counts = Mutex<[String: Int]>([:])
        try await FaultInjection.with(
            { call, path in
                if call == wanted { counts.withLock { $0[FilePath.name(path), default: 0] += 1 } }
                return nil
            }, body)
        return counts.withLock { $0 }
    }

    private func document(_ url: URL, _ form: DocumentForm, books: Int) async throws -> PersistentDocument {
        let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
        let author = try document.context.insert("Author")
        author["name"] = "Eliot"
        let text = String(repeating: "long ", count: 4_000)
        for number in 0..<books { try Library.insertBook("\(number) " + text, document) }
        try await document.save()
        return document
    }

    @Test(arguments: [DocumentForm.package, .archive])
    func anAutosaveWritesAsMuchIntoALargeDocumentAsIntoASmallOne(_ form: DocumentForm) async throws {
        try await withFolder { folder in
            var counts: [[String: Int]] = []
            for books in [10, 1_000] {
                let document = try await document(folder.appendingPathComponent("\(books)"), form, books: books)
                let author = try #require(
                    try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
                // The first one makes the WAL.
                author["name"] = "Evans"
                try await document.autosave()
                author["name"] = "Cross"
                counts.append(try await writes { try await document.autosave() })
                try await document.close(discardingUnsavedWork: true)
            }
            // Into the WAL alone, a few pages.
            for count in counts { #expect(count.keys.sorted() == ["store.sqlite-wal"], "\(counts)") }
            #expect(abs((counts[0].first?.value ?? 0) - (counts[1].first?.value ?? 100)) <= 4, "\(counts)")
            #expect(counts[1].first?.value ?? 100 < 40, "\(counts)")
        }
    }

    @Test func closingADocumentThatWasOnlyLookedAtWaitsForNoDisk() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await document(url, .package, books: 3).close()
            let synced = Mutex<[String]>([])
            func closing(_ document: PersistentDocument) async throws -> [String] {
                synced.withLock { $0 = [] }
                try await FaultInjection.with(
                    { call, path in
                        if call == .fsync, path.hasPrefix(url.path) {
                            synced.withLock { $0.append(FilePath.name(path)) }
                        }
                        return nil
                    }, { try await document.close() })
                return synced.withLock { $0 }
            }
            let untouched = try await PersistentDocument.open(url)
            #expect(try untouched.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).count == 3)
            #expect(try await closing(untouched) == [])
            #expect(try Disk.list(url.path + "/store").map(\.name) == ["store.sqlite"])
            // What was saved has been in a journal, whose name must not come back.
            let edited = try await PersistentDocument.open(url)
            try Library.insertBook("another", edited)
            try await edited.save()
            #expect(try await closing(edited).contains("store"))
        }
    }
}

extension CostTests {
    @Test func aSaveWritesAVersionAsLargeAsTheChange() async throws {
        try await withFolder { folder in
            for books in [10, 1_000] {
                let url = folder.appendingPathComponent("\(books)")
                let document = try await document(url, .package, books: books)
                let author = try #require(
                    try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
                author["name"] = "Evans"
                try await document.save()
                let version = try #require(try document.versions().last)
                // The clone of a file system that has it takes nothing of its own.
                let delta = try #require(try Disk.status(of: url.path + "/versions/\(version.number).delta")).size
                #expect(delta < 20_000, "\(delta) bytes of \(version.size)")
                try await document.close()
            }
        }
    }

    @Test func recoveryReadsTheStoreOnceToDecide() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let made = try await document(url, .package, books: 1)
            try Library.insertBook("autosaved", made)
            try await made.autosave()
            try await made.close(.keep)
            /// How often the store is opened while the document is opened.
            func openings(_ recovery: PersistentDocument.Recovery) async throws -> Int {
                try await calls(.open) {
                    do {
                        try await PersistentDocument.open(url, recovery: recovery).close(.keep)
                    } catch let error as DocumentError where error.code == .recoverable && recovery == .refuse {}
                }["store.sqlite", default: 0]
            }
            // The main file by itself, and with its WAL.
            let looks = 2
            #expect(try await openings(.refuse) == looks)
            #expect(try await openings(.keep) == looks + 1)
            // Before the WAL is set aside the main file is read again, and the store is opened
            // without it.
            #expect(try await openings(.discard) == looks + 3)
            #expect(try await openings(.refuse) == 1)
        }
    }
}
