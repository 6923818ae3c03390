import AtomicStores
import FileSystem
import Foundation
import RowMemory
import Schema
import Storage
import Synchronization
import Testing
import TestSupport

struct FileTests {
    @Test(arguments: LibraryFixture.Format.allCases) func aStoreThatSomebodyElseWroteIsNotOverwritten(
        format: LibraryFixture.Format
    ) throws {
        try LibraryFixture.run(format) { fixture in
            let other = try fixture.open()
            _ = try fixture.store.apply(fixture.changes("first"))
            let error = #expect(throws: StorageError.self) { _ = try other.apply(fixture.changes("second")) }
            #expect(error?.code == .busy)
            #expect(try fixture.titles(in: other).isEmpty)
            #expect(try fixture.titles(in: fixture.open()) == ["first"])
            // Who wrote last goes on.
            _ = try fixture.store.apply(fixture.changes("third"))
            #expect(try fixture.titles(in: fixture.open()) == ["first", "third"])
            try FileManager.default.removeItem(at: fixture.url)
            let gone = #expect(throws: StorageError.self) { _ = try fixture.store.apply(fixture.changes("fourth")) }
            #expect(gone?.code == .busy)
            #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
        }
    }

    @Test(arguments: LibraryFixture.Format.allCases) func aWriterWaitsForTheLockAndNoLonger(
        format: LibraryFixture.Format
    ) throws {
        try LibraryFixture.run(format) { fixture in
            let store = try fixture.open(timeout: 0.05)
            let lock = try #require(
                try FileLock.acquire(
                    fixture.url.deletingLastPathComponent().path + "/.\(fixture.url.lastPathComponent).writing"))
            let error = #expect(throws: StorageError.self) { _ = try store.apply(fixture.changes("a")) }
            #expect(error?.code == .busy)
            try lock.release(removing: true)
            _ = try store.apply(fixture.changes("b"))
            #expect(try fixture.titles(in: fixture.open()) == ["b"])
        }
    }

    @Test(arguments: LibraryFixture.Format.allCases) func nothingIsLeftBesideTheStore(format: LibraryFixture.Format)
        throws
    {
        try LibraryFixture.run(format) { fixture in
            let folder = fixture.url.deletingLastPathComponent()
            // What a crash has left of a save.
            let leftover = FilePath.sibling(of: fixture.url.path, tag: "tmp", id: UniqueName.make())
            try Data("half".utf8).write(to: URL(fileURLWithPath: leftover))
            _ = try fixture.store.apply(fixture.changes("a"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [fixture.url.lastPathComponent])
        }
    }

    @Test(arguments: LibraryFixture.Format.allCases) func everySystemCallMayFail(format: LibraryFixture.Format) throws {
        try LibraryFixture.run(format) { fixture in
            _ = try fixture.store.apply(fixture.changes("old"))
            var failures = 0
            for number in 0..<200 {
                let count = Mutex(0)
                let before = try fixture.titles()
                let title = "new \(number)"
                do {
                    try FaultInjection.with({ _, _ in
                        count.withLock {
                            $0 += 1
                            return $0 == number + 1 ? .error(28) : nil
                        }
                    }) { _ = try fixture.store.apply(fixture.changes(title)) }
                    #expect(try fixture.titles() == before + [title])
                    if count.withLock({ $0 }) <= number { break }
                } catch let error as StorageError {
                    failures += 1
                    #expect([.full, .inputOutput].contains(error.code), "\(error)")
                    #expect(try fixture.titles() == before)
                    let onDisk = try fixture.titles(in: fixture.open())
                    #expect(onDisk == before)
                    // The same save again does it.
                    _ = try fixture.store.apply(fixture.changes(title))
                }
                #expect(try fixture.titles(in: fixture.open()) == before + [title])
            }
            #expect(failures > 5)
        }
    }
}

extension FileTests {
    @Test(arguments: LibraryFixture.Format.allCases) func aSaveThatMayNotLastIsRefusedAndNotFoundDone(
        format: LibraryFixture.Format
    ) throws {
        try LibraryFixture.run(format) { fixture in
            _ = try fixture.store.apply(fixture.changes("old"))
            let folder = fixture.url.deletingLastPathComponent().path
            #expect(throws: (any Error).self) {
                try FaultInjection.with({ call, path in call == .fsync && path == folder ? .error(5) : nil }) {
                    _ = try fixture.store.apply(fixture.changes("refused"))
                }
            }
            #expect(try fixture.titles(in: fixture.open()) == ["old"])
            _ = try fixture.store.apply(fixture.changes("new"))
            #expect(try fixture.titles(in: fixture.open()) == ["old", "new"])
        }
    }

    @Test(arguments: LibraryFixture.Format.allCases) func anEmptyFileCountsAsNew(format: LibraryFixture.Format) throws
    {  // C22
        try LibraryFixture.run(format) { fixture in
            let url = fixture.url.appendingPathExtension("empty")
            try Data().write(to: url)
            let store = try format.factory.open(
                PersistentStoreDescription(url: url, type: format.factory.type), fixture.model)
            #expect(try fixture.titles(in: store).isEmpty)
            #expect(try !Data(contentsOf: url).isEmpty)
            var description = PersistentStoreDescription(
                url: url.appendingPathExtension("more"), type: format.factory.type)
            description.isReadOnly = true
            let error = #expect(throws: StorageError.self) { _ = try format.factory.open(description, fixture.model) }
            #expect(error?.code == .notFound)
        }
    }

    @Test(arguments: LibraryFixture.Format.allCases) func aLinkIsFollowedAndStaysALink(format: LibraryFixture.Format)
        throws
    {
        try LibraryFixture.run(format) { fixture in
            let link = fixture.url.deletingLastPathComponent().appendingPathComponent("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.url)
            _ = try fixture.open(at: link).apply(fixture.changes("a"))
            #expect(try fixture.titles(in: fixture.open()) == ["a"])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == fixture.url.path)
        }
    }

    @Test(arguments: LibraryFixture.Format.allCases) func aMissingLargeValueStaysKnownByItsName(
        format: LibraryFixture.Format
    ) throws {
        try LibraryFixture.run(format) { fixture in
            let changes = fixture.changes("a")
            let slot = fixture.slot(fixture.model.entities[1], "cover")
            changes.insertions[1].rows[0].setLarge(
                LargeValue(MissingValue(named: "6F0C7D3A-0000-0000-0000-000000000000")), slot)
            _ = try fixture.store.apply(changes)
            let store = try fixture.open()
            let value = try #require(try store.rows(RowRequest(entityIndex: 1))[0].large(slot))
            #expect(value.fileName == "6F0C7D3A-0000-0000-0000-000000000000")
            let error = #expect(throws: StorageError.self) { _ = try value.data() }
            #expect(error?.code == .notFound)
        }
    }

    @Test(arguments: LibraryFixture.Format.allCases) func aFolderIsNoStore(format: LibraryFixture.Format) throws {
        try LibraryFixture.run(format) { fixture in
            let error = #expect(throws: StorageError.self) {
                _ = try fixture.open(at: fixture.url.deletingLastPathComponent())
            }
            #expect(error?.code == .notAStore)
        }
    }
}
