import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import SQLiteFile
import SQLiteKit
import TestSupport
import Testing

struct VersionStoreTests {
    @Test(.enabled(if: runsSweeps)) func aHundredVersionsTakeAsMuchAsTheChangesAndAreRestoredByteForByte() throws {
        try withTemporaryDirectory { folder in
            var policy = VersionStore.BasePolicy()
            policy.cheapSize = 0
            let store = try VersionedStore(in: folder.path, rows: 5_000, policy: policy)
            for save in 0..<100 {
                try store.change(1 + save * 37 % 5_000, save)
                try store.save()
            }
            let versions = try store.versions.list()
            #expect(versions.map(\.number) == Array(1...100))
            #expect(versions.map(\.generation) == Array(1...100))
            let size = Int64(store.snapshots[101]?.count ?? 0)
            #expect(versions.reduce(0) { $0 + $1.bytes } < size / 4)
            #expect(versions.map(\.bytes).sorted()[50] < 2_000)
            try store.check()
            try store.close()
        }
    }

    @Test func autosavesBetweenSavesAndReopeningChangeNothing() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            var dice = Dice(1)
            for save in 0..<30 {
                for _ in 0..<Int.random(in: 1...4, using: &dice) {
                    try store.change(.random(in: 1...200, using: &dice), save)
                }
                if save % 3 == 0 { try store.reopen() }
                try store.save()
                if save % 5 == 0 { try store.reopen() }
                try store.change(.random(in: 1...200, using: &dice), 1_000 + save)
            }
            try store.check()
        }
    }

    @Test func aStoreThatGrowsAndShrinksIsRestoredByteForByte() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            for save in 0..<12 {
                switch save % 4 {
                case 0:
                    try store.edit {
                        try store.connection.execute("INSERT INTO t(a) SELECT hex(randomblob(700)) FROM t LIMIT 150")
                    }
                case 1:
                    try store.edit {
                        try store.connection.execute("DELETE FROM t WHERE id > 180; PRAGMA incremental_vacuum")
                    }
                case 2:
                    try store.edit {
                        try store.connection.execute(
                            "CREATE TABLE IF NOT EXISTS other\(save)(b BLOB); INSERT INTO other\(save) VALUES (randomblob(90000))"
                        )
                    }
                default:
                    try store.connection.execute("VACUUM")
                }
                try store.save()
            }
            try store.check()
            // A compaction, which changes every page, starts a new whole copy.
            #expect(try Disk.list(store.versions.folder).contains { $0.name.hasSuffix(".base") })
        }
    }

    @Test func aCheckpointThatOthersHoldUpMakesNoDifference() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            let reader = try Connection(store.path, .readOnly)
            for round in 0..<4 {
                try reader.execute("BEGIN; SELECT count(*) FROM t")
                for save in 0..<3 {
                    try store.change(1 + save, 10 * round + save)
                    try store.change(50, 10 * round + save)
                    try store.commitSave()
                    try store.keep()
                    #expect(try !store.checkpoint())
                    // As far as readers allow, some pages do get into the main file.
                    _ = try store.connection.checkpoint(.passive)
                    try store.change(60, 10 * round + save)
                    try store.check("round \(round), save \(save)")
                }
                if round == 1 { try store.reopen() }
                try store.commitSave()
                try store.keep()
                try reader.execute("COMMIT")
                #expect(try store.checkpoint())
                try store.check("round \(round)")
            }
        }
    }
}

extension VersionStoreTests {
    @Test func framesOfOlderRunsAndOfRolledBackTransactionsAreNotTakenForPages() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            struct Stop: Error {}
            for save in 0..<6 {
                try store.edit { try store.connection.execute("UPDATE t SET a = a || '\(save)'") }
                #expect(throws: Stop.self) {
                    try store.edit {
                        try store.connection.execute(
                            "PRAGMA cache_size=1; UPDATE t SET a = hex(randomblob(400)); UPDATE t SET a = hex(randomblob(400))"
                        )
                        throw Stop()
                    }
                }
                try store.change(3, save)
                try store.commitSave()
                try store.keep()
                // Leaves the frames in the file: the next run writes over the first of them.
                #expect(try store.connection.checkpoint(.full).isComplete)
                try store.change(4, save)
                try store.check("save \(save)")
            }
        }
    }

    @Test func keepingTheSameSaveAgainDoesNothing() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            try store.change(1, 7)
            try store.commitSave()
            #expect(try store.keep()?.number == 1)
            #expect(try store.keep() == nil)
            try store.reopen()
            #expect(try store.keep() == nil)
            try store.checkpoint()
            #expect(try store.keep() == nil)
            #expect(try store.versions.list().count == 1)
            try store.check()
        }
    }

    @Test func aWholeCopyIsKeptAfterTwentyDeltasOfASmallStoreOrHalfTheSizeOfAnother() throws {
        try withTemporaryDirectory { folder in
            let small = folder.path + "/small", large = folder.path + "/large"
            for path in [small, large] { try Disk.makeDirectory(path) }
            func bases(_ store: VersionedStore) throws -> [String] {
                try Disk.list(store.versions.folder).map(\.name).filter { $0.hasSuffix(".base") }
            }
            let first = try VersionedStore(in: small)
            for save in 0..<45 {
                try first.change(1, save)
                try first.save()
            }
            #expect(try bases(first) == ["21.base", "42.base"])
            try first.check()

            var policy = VersionStore.BasePolicy()
            policy.cheapSize = 0
            let second = try VersionedStore(in: large, policy: policy)
            for save in 0..<25 {
                try second.change(1, save)
                try second.save()
            }
            #expect(try bases(second).isEmpty)
            for _ in 0..<2 {
                try second.edit { try second.connection.execute("UPDATE t SET a = hex(randomblob(30))") }
                try second.save()
            }
            #expect(try bases(second).count >= 1)
            try second.check()
        }
    }

    @Test func whereTheFileSystemClonesVersionsAreClones() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path) { files, path in
                // Stands for a clone: the file system of a test has none.
                let file = try File(path, .create())
                let state = files.state(at: nil)
                var page = [UInt8](repeating: 0, count: state.pageSize)
                for number in 0..<state.pageCount {
                    let count = try page.withUnsafeMutableBytes { try state.read(page: number, into: $0) }
                    try file.append(Array(page[..<count]))
                }
                return true
            }
            let reader = try Connection(store.path, .readOnly)
            try store.connection.execute("PRAGMA busy_timeout=1")
            for save in 0..<8 {
                try store.change(1 + save, save)
                // A clone holds the main file only: meanwhile a delta is written.
                if save == 3 { try reader.execute("BEGIN; SELECT count(*) FROM t") }
                if save == 6 { try reader.execute("COMMIT") }
                try store.save()
            }
            #expect(try Disk.list(store.versions.folder).filter { $0.name.hasSuffix(".base") }.count == 5)
            try store.check()
            try store.versions.remove([1, 4, 7])
            try store.check()
            try store.versions.remove([3, 5, 6])
            try store.check()
            #expect(try store.versions.list().map(\.number) == [2, 8])
        }
    }
}

extension VersionStoreTests {
    @Test func aReaderRestoresWithoutWritingNearTheDocument() throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/document"
            try Disk.makeDirectory(document)
            let store = try VersionedStore(in: document)
            for save in 0..<5 {
                try store.change(1, save)
                try store.save()
            }
            try store.change(2, 99)
            func compare() throws {
                let names = try Disk.list(document).map(\.name)
                for number in 1...5 {
                    let target = folder.path + "/restored"
                    let reader = try Connection.openForReading(store.path)
                    try reader.withFiles { try store.versions.restore(number, from: $0, to: target) }
                    #expect(try Disk.read(target, limit: 1 << 30) == store.snapshots[number])
                    #expect(try Connection.openForReading(target).value("PRAGMA integrity_check") == .text("ok"))
                    try Disk.removeFile(target)
                }
                #expect(try Disk.list(document).map(\.name) == names)
            }
            try compare()
            try store.close()
            try compare()
        }
    }

    @Test func autosavedWorkThatIsFoldedInLeavesTheSavedStateAsAVersion() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            try store.change(1, 7)
            try store.save()
            try store.change(2, 8)
            // The generation stays, the counter rises.
            let folded = SavedState(
                generation: store.state.generation, counter: store.state.counter + 1, saved: store.state.saved + 5)
            try store.connection.withFiles {
                _ = try store.versions.keep($0, saved: folded, previous: store.state, reason: .autosave)
            }
            try store.checkpoint()
            #expect(try store.versions.list().last?.reason == .autosave)
            #expect(try store.restored(2) == store.snapshots[2])
            try store.change(3, 9)
            try store.commitSave()
            try store.keep()
            try store.checkpoint()
            #expect(try store.restored(1) == store.snapshots[1])
            #expect(try store.restored(2) == store.snapshots[2])
        }
    }

    @Test func aStoreThatIsReplacedAsAWholeIsKeptAsItWas() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            for save in 0..<3 {
                try store.change(1, save)
                try store.save()
            }
            // The version to go back to takes the place of the store.
            let restored = folder.path + "/older"
            try store.connection.withFiles { try store.versions.restore(1, from: $0, to: restored) }
            try store.connection.setCheckpointsOnClose(true)
            try store.close()
            let next = SavedState(generation: 5, saved: .now)
            let version = try store.versions.keepReplaced(
                store.path, saved: next, previous: store.state, reason: .restore, references: ContentReferences())
            #expect(version?.number == 4)
            #expect(
                try store.versions.keepReplaced(
                    store.path, saved: next, previous: store.state, reason: .restore, references: ContentReferences())
                    == nil)
            try Disk.rename(restored, to: store.path)
            try store.versions.remove([2])
            let reader = try Connection.openForReading(store.path)
            for (number, generation) in [(1, 1), (3, 3), (4, 4)] {
                let target = folder.path + "/restored\(number)"
                try reader.withFiles { try store.versions.restore(number, from: $0, to: target) }
                #expect(try Disk.read(target, limit: 1 << 30) == store.snapshots[generation])
            }
            try store.versions.remove([4])
            let target = folder.path + "/restored"
            try reader.withFiles { try store.versions.restore(3, from: $0, to: target) }
            #expect(try Disk.read(target, limit: 1 << 30) == store.snapshots[3])
        }
    }
}

extension VersionStoreTests {
    @Test func versionsThatAnotherProgramsSaveHasCutOffAreGivenUp() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            for save in 0..<25 {
                try store.change(1, save)
                try store.save()
            }
            try store.change(2, 50)
            try store.commitSave()
            try store.checkpoint()
            try store.change(3, 51)
            try store.save()
            // What the whole copy of version 21 makes is still there, and the new chain.
            #expect(try store.versions.list().map(\.number) == Array(1...21) + [26])
            try store.check()
            #expect(try store.versions.contentReferences() == nil)
            try store.versions.remove([21])
            try store.check()
            try store.versions.remove(Set(1...20))
            #expect(try store.versions.contentReferences() == [])
        }
    }

    @Test func aSaveThatIsLostAfterItsVersionWasKeptDoesNoHarm() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            for save in 0..<3 {
                try store.change(1, save)
                try store.save()
            }
            let state = store.state
            try store.change(2, 77)
            try store.commitSave()
            try store.keep()
            #expect(try store.versions.list().count == 4)
            // The WAL goes: the document is again what version 4 is.
            try store.close()
            for suffix in ["-wal", "-shm"] { try Disk.removeFileIfPresent(store.path + suffix) }
            let connection = try Connection(store.path, .readWrite)
            try connection.prepareForEditing()
            try connection.run("UPDATE t SET a = 'other' WHERE id = 9")
            let next = SavedState(generation: state.generation + 1, counter: 900, saved: .now)
            try connection.withFiles { _ = try store.versions.keep($0, saved: next, previous: state) }
            _ = try connection.checkpoint(.truncate)
            #expect(try store.versions.list().map(\.generation) == [1, 2, 3, 4])
            for number in 1...3 {
                let target = folder.path + "/restored\(number)"
                try connection.withFiles { try store.versions.restore(number, from: $0, to: target) }
                #expect(try Disk.read(target, limit: 1 << 30) == store.snapshots[number])
            }
        }
    }

    @Test func aChangeByAProgramThatKeepsNoVersionsIsNoticed() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            for save in 0..<3 {
                try store.change(1, save)
                try store.save()
            }
            try store.edit { try store.connection.execute("UPDATE t SET a = 'foreign' WHERE id = 150") }
            try store.checkpoint()
            let error = #expect(throws: DocumentError.self) { _ = try store.restored(2) }
            #expect(error?.code == .malformed)
            #expect(try !Disk.exists(folder.path + "/restored"))
        }
    }

    @Test func aSaveWritesAtMostThreeTimesThePagesItChanges() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path, rows: 20_000)
            for save in 0..<60 {
                try store.change(1 + save * 331, save)
                try store.commitSave()
                let (pages, wal) = try store.connection.withFiles { files in
                    (files.pagesWritten(since: nil).count, try #require(try Disk.status(of: store.path + "-wal")).size)
                }
                let version = try #require(try store.keep())
                try store.checkpoint()
                let index = try #require(try Disk.status(of: store.versions.folder + "/index.json")).size
                let changed = Int64(pages) * 4096
                let hasBase = try Disk.exists(store.versions.folder + "/\(version.number).base")
                if !hasBase {
                    #expect(
                        wal + version.bytes + index + changed <= 3 * changed,
                        "\(pages) pages, \(version.bytes) bytes, \(index) of index")
                }
            }
        }
    }
}

extension VersionStoreTests {
    @Test func keepingCostsTheSameWhateverTheSizeOfTheDocument() throws {
        try withTemporaryDirectory { folder in
            func calls(_ rows: Int) throws -> [SystemCall: Int] {
                let place = folder.path + "/\(rows)"
                try Disk.makeDirectory(place)
                var policy = VersionStore.BasePolicy()
                policy.cheapSize = 0
                let store = try VersionedStore(in: place, rows: rows, policy: policy)
                let counter = CallCounter()
                for save in 0..<3 {
                    try store.edit { try store.connection.run("UPDATE t SET a = a || 'x' WHERE id = 40") }
                    try store.commitSave()
                    if save == 2 {
                        _ = try FaultInjection.with({ counter.note($0, $1) }) { try store.keep() }
                    } else {
                        try store.keep()
                    }
                    try store.checkpoint()
                }
                return counter.calls
            }
            let small = try calls(1_000), large = try calls(30_000)
            #expect(small[.write] == large[.write])
            #expect(abs((small[.read] ?? 0) - (large[.read] ?? 0)) <= 6)
        }
    }
}

final class CallCounter: @unchecked Sendable {
    // Unchecked: the tests that use one make their calls in one task.
    private(set) var calls: [SystemCall: Int] = [:]

    func note(_ call: SystemCall, _ path: String) -> Fault? {
        calls[call, default: 0] += 1
        return nil
    }
}
