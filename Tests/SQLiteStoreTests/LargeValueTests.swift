import FileSystem
import Foundation
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import Synchronization
import TestSupport
import Testing

struct LargeValueTests {
    private let small = Data("small".utf8)
    private let large = Data(repeating: 7, count: 200_000)

    private func folder(_ fixture: StoreFixture) -> URL {
        fixture.url.deletingLastPathComponent().appendingPathComponent(".Features_SUPPORT/_EXTERNAL_DATA")
    }

    private func files(_ fixture: StoreFixture) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder(fixture).path)) ?? []
    }

    private func cover(_ fixture: StoreFixture, _ key: Int64) throws -> LargeValue {
        guard case .large(let value) = try fixture.value("Book", key, "cover") else {
            throw StorageError(.damaged, "no value")
        }
        return value
    }

    @Test func aSmallValueStandsInTheStoreBehindItsMark() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(small))])
            #expect(try fixture.sql("SELECT ZCOVER FROM ZITEM") == [[.blob([1] + small)]])
            #expect(try cover(fixture, book).data() == small)
        }
    }

    @Test func aLargeValueIsAFileBesideTheStore() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(large))])
            let names = files(fixture)
            #expect(names.count == 1)
            #expect(try fixture.sql("SELECT ZCOVER FROM ZITEM") == [[.blob([2] + names[0].utf8 + [0])]])
            try fixture.reopen()
            #expect(try cover(fixture, book).data() == large)
            #expect(try fixture.store.externalValueNames() == Set(names))
        }
    }

    @Test func aFileThatNothingRefersToGoesWhenTheStoreCloses() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(large))])
            var changes = ChangeSet()
            changes.updates = [try fixture.update("Book", book, ["cover": .large(LargeValue(small))])]
            let before = try cover(fixture, book)
            _ = try fixture.store.apply(changes)
            // Undo may still want it.
            #expect(try before.data() == large)
            changes.updates = [try fixture.update("Book", book, ["cover": .large(before)])]
            _ = try fixture.store.apply(changes)
            try fixture.reopen()
            #expect(files(fixture).count == 1)
            changes.updates = []
            changes.deletions = [.init(entityIndex: fixture.entity("Book").index, key: book, version: 3)]
            _ = try fixture.store.apply(changes)
            try fixture.reopen()
            #expect(files(fixture).isEmpty)
        }
    }

    @Test func aFailedSaveLeavesNoFile() throws {
        try StoreFixture.run { fixture in
            var changes = ChangeSet()
            changes.insertions = [fixture.insertion("Book", -1, ["cover": .large(LargeValue(large))])]
            changes.deletions = [.init(entityIndex: fixture.entity("Tag").index, key: 9, version: 1)]
            _ = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            changes.deletions = []
            changes.insertions.append(fixture.insertion("Shelf", -2, ["name": .string("a")]))
            changes.insertions.append(fixture.insertion("Shelf", -3, ["name": .string("a")]))
            _ = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(files(fixture).isEmpty)
        }
    }

    @Test func aMissingFileIsAValueThatCanNotBeLoaded() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(large))])
            try FileManager.default.removeItem(at: folder(fixture))
            let value = try cover(fixture, book)
            let error = #expect(throws: StorageError.self) { try value.data() }
            #expect(error?.code == .notFound)
            // The reference survives a change of something else, and being written again.
            var changes = ChangeSet()
            changes.updates = [try fixture.update("Book", book, ["title": .string("t"), "cover": .large(value)])]
            _ = try fixture.store.apply(changes)
            #expect(try cover(fixture, book) == value)
        }
    }
}

extension LargeValueTests {
    @Test func aValueOfAnotherStoreIsCopied() throws {
        try StoreFixture.run { first in
            let book = try first.insert("Book", ["cover": .large(LargeValue(large))])
            let value = try cover(first, book)
            try StoreFixture.run { second in
                let copy = try second.insert("Book", ["cover": .large(value)])
                #expect(files(second).count == 1)
                #expect(try cover(second, copy).data() == large)
            }
        }
    }

    @Test func aNameThatLeadsElsewhereIsRefused() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(small))])
            try fixture.store.close()
            let connection = try Connection(fixture.url.path, .readWrite)
            let name = "../../../../../../../../../etc/passwd"
            try connection.run("UPDATE ZITEM SET ZCOVER = ?", [.blob([2] + name.utf8.prefix(36) + [0])])
            try connection.close()
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            let value = try cover(fixture, book)
            let error = #expect(throws: StorageError.self) { try value.data() }
            #expect(error?.code == .damaged)
        }
    }
}

extension LargeValueTests {
    // MARK: Files

    /// A file of three megabytes and a bit, no two pieces of which are alike.
    private func writeFile(_ name: String, in fixture: StoreFixture, seed: UInt8 = 0) throws -> (url: URL, bytes: Data)
    {
        let bytes = Data((0..<3_200_001).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) &+ seed })
        let url = fixture.url.deletingLastPathComponent().appendingPathComponent(name)
        try bytes.write(to: url)
        return (url, bytes)
    }

    @Test func aFileBecomesAValueAndIsNotNeededAfterTheSave() throws {
        try StoreFixture.run { fixture in
            let (url, bytes) = try writeFile("in", in: fixture)
            let value = try LargeValue(contentsOf: url)
            #expect(try value.count == Int64(bytes.count))
            #expect(value.fileName == nil)
            let hash = value.hashValue
            let book = try fixture.insert("Book", ["cover": .large(value)])
            try FileManager.default.removeItem(at: url)
            #expect(try value.data() == bytes)
            #expect(value.fileName == files(fixture).first)
            // Saved, it is the very value that is fetched.
            let fetched = try cover(fixture, book)
            #expect(fetched == value)
            #expect(fetched.hashValue == value.hashValue)
            #expect(value.hashValue == hash)
            // Written again it is the same file.
            var changes = ChangeSet()
            changes.updates = [try fixture.update("Book", book, ["cover": .large(value)])]
            _ = try fixture.store.apply(changes)
            #expect(files(fixture).count == 1)
        }
    }

    @Test func aSmallFileStandsInTheStore() throws {
        try StoreFixture.run { fixture in
            let url = fixture.url.deletingLastPathComponent().appendingPathComponent("in")
            try small.write(to: url)
            let book = try fixture.insert("Book", ["cover": .large(try LargeValue(contentsOf: url))])
            #expect(try fixture.sql("SELECT ZCOVER FROM ZITEM") == [[.blob([1] + small)]])
            #expect(try cover(fixture, book).data() == small)
        }
    }

    @Test(arguments: ["changed", "removed", "replaced"]) func aFileThatWasTouchedBeforeTheSaveIsRefused(how: String)
        throws
    {
        try StoreFixture.run { fixture in
            let (url, bytes) = try writeFile("in", in: fixture)
            let value = try LargeValue(contentsOf: url)
            switch how {
            case "changed": try (bytes + Data([1])).write(to: url)
            case "removed": try FileManager.default.removeItem(at: url)
            default:
                let other = try writeFile("other", in: fixture, seed: 1).url
                #expect(rename(other.path, url.path) == 0)
            }
            let error = #expect(throws: StorageError.self) { try fixture.insert("Book", ["cover": .large(value)]) }
            #expect(error?.code == (how == "removed" ? .notFound : .inputOutput), "\(String(describing: error))")
            #expect(error?.path == url.path)
            #expect(files(fixture).isEmpty)
            #expect(try fixture.sql("SELECT count(*) FROM ZITEM") == [[.integer(0)]])
        }
    }

    @Test func aFolderIsNoValue() throws {
        try withTemporaryDirectory { folder in
            #expect(#expect(throws: StorageError.self) { try LargeValue(contentsOf: folder) }?.code == .unsupported)
            let missing = folder.appendingPathComponent("missing")
            #expect(#expect(throws: StorageError.self) { try LargeValue(contentsOf: missing) }?.code == .notFound)
        }
    }
}

extension LargeValueTests {
    @Test func aValueIsReadInPiecesFromAnywhereAndCopied() throws {
        try StoreFixture.run { fixture in
            let (url, bytes) = try writeFile("in", in: fixture)
            let book = try fixture.insert("Book", ["cover": .large(try LargeValue(contentsOf: url))])
            for value in [try cover(fixture, book), LargeValue(bytes), try LargeValue(contentsOf: url)] {
                let reader = try value.reader()
                #expect(reader.count == Int64(bytes.count))
                var read = Data()
                while let piece = try reader.read(upTo: 700_001) { read += piece }
                #expect(read == bytes)
                #expect(reader.offset == reader.count)
                reader.offset = 3_200_000
                #expect(try reader.read(upTo: 10) == bytes.suffix(1))
                #expect(try reader.read(upTo: 10) == nil)
                reader.offset = 5
                #expect(try reader.read(upTo: 10) == bytes[5..<15])
                let target = fixture.url.deletingLastPathComponent().appendingPathComponent("out")
                try Data([1]).write(to: target)
                try value.copy(to: target)
                #expect(try Data(contentsOf: target) == bytes)
            }
        }
    }

    @Test func aValueThatIsTooLargeForMemoryIsReadInPiecesOnly() throws {
        try StoreFixture.run { fixture in
            let url = fixture.url.deletingLastPathComponent().appendingPathComponent("in")
            #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: UInt64(LargeValue.largestData) + 1)
            try handle.close()
            let value = try LargeValue(contentsOf: url)
            let error = #expect(throws: StorageError.self) { try value.data() }
            #expect(error?.code == .tooLarge)
            #expect(error?.message.contains("2147483649") == true)
            #expect(try value.reader().read(upTo: 3) == Data(count: 3))
        }
    }

    @Test func theFilesOfASaveAreWrittenBeforeItsTransactionBegins() throws {
        try StoreFixture.run { fixture in
            let (url, _) = try writeFile("in", in: fixture)
            let isWriting = Mutex(false)
            let other = try SQLitePersistentStore.open(fixture.store.description)
            // Another program saves while the file is copied.
            let hook: FaultInjection.Hook = { call, path in
                guard call == .write, path.contains("_EXTERNAL_DATA"),
                    isWriting.withLock({
                        let was = $0; $0 = true; return !was
                    })
                else { return nil }
                var changes = ChangeSet()
                changes.metadata = ["meanwhile": .some(.string("yes"))]
                #expect(throws: Never.self) { try other.apply(changes) }
                return nil
            }
            _ = try FaultInjection.with(hook) {
                try fixture.insert("Book", ["cover": .large(try LargeValue(contentsOf: url))])
            }
            #expect(isWriting.withLock { $0 })
            try other.close()
            #expect(try fixture.store.metadata()["meanwhile"] == .string("yes"))
        }
    }

    @Test func aFileIsOnTheDiskWithItsFoldersBeforeARowRefersToIt() throws {
        try StoreFixture.run { fixture in
            let synchronized = Mutex<[String]>([])
            let hook: FaultInjection.Hook = { call, path in
                if call == .fsync { synchronized.withLock { $0.append(FilePath.name(path)) } }
                return nil
            }
            let book = try FaultInjection.with(hook) {
                try fixture.insert("Book", ["cover": .large(LargeValue(large))])
            }
            let name = try #require(files(fixture).first),
                parent = fixture.url.deletingLastPathComponent().lastPathComponent
            #expect(
                synchronized.withLock { Array($0.prefix(4)) } == [name, "_EXTERNAL_DATA", ".Features_SUPPORT", parent])
            // Another session does not know of that, and refers to the file only when it is sure.
            let value = try cover(fixture, book)
            try fixture.reopen()
            synchronized.withLock { $0 = [] }
            _ = try FaultInjection.with(hook) { try fixture.insert("Book", ["cover": .large(value)]) }
            #expect(
                synchronized.withLock { Array($0.prefix(4)) } == [name, "_EXTERNAL_DATA", ".Features_SUPPORT", parent])
            synchronized.withLock { $0 = [] }
            _ = try FaultInjection.with(hook) { try fixture.insert("Book", ["cover": .large(value)]) }
            #expect(!synchronized.withLock { $0.contains(name) })
        }
    }
}
