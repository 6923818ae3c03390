import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import SQLiteKit
import Schema
import Synchronization
import TestSupport
import Testing

/// Programs that read a document while this one edits it, and this one's own second looks at it.
@Suite(.serialized) struct OutsideReaderTests {
    private func withDocument(_ body: (_ url: URL, _ document: PersistentDocument) async throws -> Void) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            for number in 0..<50 { try Library.insertBook("book \(number)", document) }
            try await document.save()
            try await body(url, document)
        }
    }

    private func count(_ connection: Connection) throws -> Int64? {
        try connection.value("SELECT count(*) FROM ZBOOK")?.integer
    }

    @Test func theJournalStaysAsLongAsSomebodyReadsByItAndGoesAfterwards() async throws {
        try await withDocument { url, document in
            let store = url.path + "/store/store.sqlite"
            let reader = try Connection.openForReading(store)
            #expect(try count(reader) == 50)
            let shared = try #require(try Disk.identity(of: store + "-shm"))
            try await document.close()
            // The index by which it reads is the one that the next editor finds.
            #expect(try Disk.identity(of: store + "-shm")?.isSameFile(as: shared) == true)
            let again = try await PersistentDocument.open(url)
            try reader.execute("BEGIN")
            #expect(try count(reader) == 50)
            for title in ["one", "two", "three"] {
                try Library.insertBook(title, again)
                try await again.save()
            }
            #expect(try count(reader) == 50)
            try reader.execute("COMMIT")
            #expect(try count(reader) == 53)
            try reader.close()
            try await again.close()
            #expect(try contents(of: url).keys.filter { $0.hasPrefix("store/") } == ["store/store.sqlite"])
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func goingBackToTheLastSaveLeavesAReaderWithWhatItReads() async throws {
        try await withDocument { url, document in
            let store = url.path + "/store/store.sqlite"
            try Library.insertBook("given up", document)
            try await document.autosave()
            let reader = try Connection.openForReading(store)
            #expect(try count(reader) == 51)
            let folder = try #require(try Disk.identity(of: url.path + "/store"))
            try await document.revert()
            #expect(try Library.titles(document).count == 50)
            // Another store came to its place: what is saved there is never mixed with what it
            // reads.
            #expect(try Disk.identity(of: url.path + "/store")?.isSameFile(as: folder) == false)
            #expect(try Disk.exists(url.path + "/versions/discarded.wal"))
            for book in try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")) {
                book["title"] = "changed"
            }
            try await document.save()
            #expect(try count(reader) == 51)
            #expect(try reader.value("SELECT count(*) FROM ZBOOK WHERE ZTITLE = 'changed'")?.integer == 0)
            try reader.close()
            try Library.insertBook("given up too", document)
            try await document.autosave()
            let before = try #require(try Disk.identity(of: url.path + "/store"))
            try await document.revert()
            // Alone, it sets the journal aside and the store stays.
            #expect(try Disk.identity(of: url.path + "/store")?.isSameFile(as: before) == true)
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}

extension OutsideReaderTests {
    @Test func autosavedWorkThatCannotBeSetAsideIsTold() async throws {
        try await withDocument { url, document in
            try Library.insertBook("given up", document)
            try await document.autosave()
            let reader = try Connection.openForReading(url.path + "/store/store.sqlite")
            #expect(try count(reader) == 51)
            let told = Mutex<[any Error]>([])
            try await UnfinishedWork.reporting(to: { error in told.withLock { $0.append(error) } }) {
                try await FaultInjection.with({ call, path in
                    call == .rename && path.hasSuffix("/discarded.wal") ? .error(5) : nil
                }) { try await document.revert() }
            }
            #expect(
                told.withLock { $0.map { ($0 as? FileSystemError)?.path } } == [url.path + "/versions/discarded.wal"])
            #expect(try Library.titles(document).count == 50)
            try reader.close()
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    /// The locks of this process on a file, as the kernel has them.
    private func locks(on path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        let pid = "\(ProcessInfo.processInfo.processIdentifier)"
        return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").filter { line in
            let words = line.split(separator: " ")
            return words.contains("POSIX") && words.contains { $0 == pid }
                && words.contains { $0.hasSuffix(":\(status.st_ino)") }
        }.count
    }

    @Test func lookingAtAStoreThatIsOpenHereKeepsItsLocks() async throws {
        try await withDocument { url, document in
            let store = url.path + "/store/store.sqlite"
            #expect(try Library.titles(document).count == 50)
            let before = try locks(on: store)
            try #require(before > 0, "this system does not show its locks")
            #expect(try DetectedDocument(store).kind == .store)
            #expect(try DocumentInfo(of: url).entities["Book"] == 50)
            _ = try? DocumentInfo(of: URL(fileURLWithPath: store))
            _ = try? await PersistentDocument.open(URL(fileURLWithPath: store), mode: .reading).close()
            #expect(try locks(on: store) == before)
            try await document.close()
            #expect(try DetectedDocument(store).kind == .store)
        }
    }

    @Test func aComparisonSeesOneStateWhateverIsSavedMeanwhile() async throws {
        try await withDocument { url, document in
            let copy = url.deletingLastPathComponent().appendingPathComponent("B.folio")
            try await document.write(to: copy)
            let old = try await PersistentDocument.open(copy, mode: .reading)
            let books = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
            books[0]["title"] = "changed before"
            try await document.save()
            let reader = try await PersistentDocument.open(url, mode: .reading)
            try old.holdState()
            try reader.holdState()
            for book in books.dropFirst() { book["title"] = "changed after" }
            try Library.insertBook("added", document)
            try await document.save()
            var told: [String] = []
            try DocumentComparison(from: old, to: reader).forEachDifference(old.store, reader.store) {
                told.append("\($0.change) \($0.object)")
            }
            #expect(told.count == 1, "\(told)")
            var now = 0
            try DocumentComparison(from: old, to: reader).forEachDifference { _ in now += 1 }
            #expect(now == 51)
            try await reader.close()
            try await old.close()
            try await document.close()
        }
    }
}
