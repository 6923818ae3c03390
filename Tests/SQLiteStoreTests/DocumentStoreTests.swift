import FileSystem
import Foundation
import SQLiteFile
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// A store as a document holds it: commits stay in the log until the document says otherwise.
struct DocumentStoreTests {
    @Test func commitsStayInTheLogUntilACheckpoint() throws {
        try StoreFixture.run(journal: .heldByDocument) { fixture in
            #expect(try WriteAheadLog.committedFrames(ofStoreAt: fixture.url.path) == 0)
            try fixture.insert("Tag", ["word": .string("autosaved")])
            #expect(try WriteAheadLog.committedFrames(ofStoreAt: fixture.url.path) > 0)
            #expect(try mainFile(fixture.url) == 0)
            let isComplete = try fixture.store.checkpoint()
            #expect(isComplete)
            #expect(try WriteAheadLog.committedFrames(ofStoreAt: fixture.url.path) == 0)
            #expect(try mainFile(fixture.url) == 1)
        }
    }

    @Test func aJournalThatSomebodyReadsIsNotTakenForFolded() throws {
        try StoreFixture.run(journal: .heldByDocument) { fixture in
            try fixture.insert("Tag")
            try fixture.store.close()
            let reader = try Connection(fixture.url.path, .readWrite)
            try reader.execute("BEGIN")
            #expect(try reader.value("SELECT count(*) FROM ZTAG") == .integer(1))
            let error = #expect(throws: StorageError.self) {
                try SQLitePersistentStore.checkpointWAL(at: fixture.url.path)
            }
            #expect(error?.code == .busy)
            try reader.execute("COMMIT")
            try reader.close()
            try SQLitePersistentStore.checkpointWAL(at: fixture.url.path)
            #expect(try mainFile(fixture.url) == 1)
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
        }
    }

    @Test func closingLeavesTheLogAsItIs() throws {
        try StoreFixture.run(journal: .heldByDocument) { fixture in
            try fixture.insert("Tag")
            try fixture.store.close()
            #expect(try WriteAheadLog.committedFrames(ofStoreAt: fixture.url.path) > 0)
            #expect(try mainFile(fixture.url) == 0)
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            #expect(try fixture.rows("Tag").count == 1)
        }
    }

    @Test func withoutItsLogTheStoreIsAsItWasSaved() throws {
        try StoreFixture.run(journal: .heldByDocument) { fixture in
            try fixture.insert("Tag")
            _ = try fixture.store.checkpoint()
            try fixture.insert("Tag")
            try fixture.store.close()
            for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: fixture.url.path + suffix) }
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            #expect(try fixture.rows("Tag").count == 1)
        }
    }

    @Test func aStoreByItselfIsOneFileWhenItIsClosed() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            try fixture.insert("Tag")
            try fixture.store.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Features.sqlite"])
        }
    }

    @Test func aCopyHasItsOwnIdentity() throws {
        try StoreFixture.run(journal: .heldByDocument) { fixture in
            try fixture.insert("Tag", ["word": .string("w")])
            let copy = fixture.url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
            let uuid = UUID().uuidString
            try fixture.store.copy(to: copy.path, uuid: uuid)
            var description = PersistentStoreDescription(url: copy)
            description.isReadOnly = true
            let store = try SQLitePersistentStore.open(description)
            #expect(store.identity.uuid == uuid)
            #expect(try store.count(RowRequest(entityIndex: fixture.entity("Tag").index)) == 1)
            #expect(try store.integrityFindings(isThorough: true).isEmpty)
            try store.close()
            let error = #expect(throws: StorageError.self) { try fixture.store.copy(to: copy.path) }
            #expect(error?.code == .cannotCreate)
        }
    }
}

extension DocumentStoreTests {
    @Test func aJournalIsFoldedIntoTheMainFile() throws {
        try StoreFixture.run(journal: .heldByDocument) { fixture in
            try fixture.insert("Tag")
            try fixture.store.close()
            try SQLitePersistentStore.checkpointWAL(at: fixture.url.path)
            #expect(try mainFile(fixture.url) == 1)
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
        }
    }

    @Test func aStoreIsEditedWhereItLiesInAnArchive() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            try fixture.insert("Tag", ["word": .string("packed")])
            try fixture.store.close()
            let content = try Disk.read(fixture.url.path, limit: 1 << 24)
            let archive = folder.path + "/archive", working = folder.appendingPathComponent("working.sqlite")
            try Disk.replaceFile(archive, with: [1, 2, 3] + content + [4])
            let packed = try Disk.read(archive, limit: 1 << 24)
            var description = PersistentStoreDescription(url: working)
            description.journal = .heldByDocument
            func open(readOnly: Bool = false) throws -> SQLitePersistentStore {
                description.isReadOnly = readOnly
                let database = try ArchivedDatabase(File(archive), offset: 3, length: Int64(content.count))
                return try SQLitePersistentStore.open(description, in: database, files: .besideStore(at: working.path))
                { _ in nil }
            }
            for count in 2...3 {
                fixture.store = try open()
                try fixture.insert("Tag", ["word": .string("edited")])
                #expect(try fixture.rows("Tag").count == count)
                #expect(throws: StorageError.self) { _ = try fixture.store.checkpoint() }
                try fixture.store.close()
            }
            fixture.store = try open(readOnly: true)
            #expect(try fixture.rows("Tag").count == 3)
            try fixture.store.copy(to: folder.path + "/merged")
            try fixture.store.close()
            #expect(
                try Connection.reading(folder.path + "/merged") { try $0.value("SELECT count(*) FROM ZTAG") }
                    == .integer(3))
            #expect(try Disk.read(archive, limit: 1 << 24) == packed)
            #expect(
                try Disk.list(folder.path).map(\.name) == [
                    "Features.sqlite", "archive", "merged", "working.sqlite-wal",
                ])
        }
    }

    @Test func theFilesAreSeenPastSQLiteAndErrorsComeOutAsTheyAre() throws {
        try StoreFixture.run(journal: .heldByDocument) { fixture in
            try fixture.insert("Tag")
            let size = try fixture.store.withFiles { files in files.current.size }
            _ = try fixture.store.checkpoint()
            #expect(try Disk.status(of: fixture.url.path)?.size == size)
            struct Stop: Error {}
            #expect(throws: Stop.self) { try fixture.store.withFiles { _ in throw Stop() } }
        }
    }

    /// How many tags the main file has by itself.
    private func mainFile(_ url: URL) throws -> Int64? {
        try withTemporaryDirectory { folder in
            let copy = folder.appendingPathComponent("main.sqlite")
            try FileManager.default.copyContents(of: url, to: copy)
            return try Connection.reading(copy.path) { try $0.value("SELECT count(*) FROM ZTAG")?.integer }
        }
    }
}
