import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import SQLiteKit
import TestSupport
import Testing

/// Versions that somebody broke, by accident or on purpose.
struct VersionDamageTests {
    private func document(in folder: URL) throws -> VersionedStore {
        let store = try VersionedStore(in: folder.path, rows: 30)
        for save in 0..<3 {
            try store.change(1 + save, save)
            try store.save(references: ContentReferences(dropped: [UUID()], added: [UUID()]))
        }
        return store
    }

    @Test func everyFlippedByteOfADeltaIsNoticed() throws {
        try withTemporaryDirectory { folder in
            let store = try document(in: folder)
            let path = store.versions.folder + "/2.delta"
            let bytes = try Disk.read(path, limit: 1 << 20)
            for place in bytes.indices {
                var broken = bytes
                broken[place] ^= 1 << (place % 8)
                try Disk.replaceFile(path, with: broken)
                let error = #expect(throws: DocumentError.self) { _ = try store.restored(1) }
                #expect(error?.code == .malformed)
            }
            for length in [0, 1, 59, 60, 61, bytes.count - 1] {
                try Disk.replaceFile(path, with: Array(bytes[..<length]))
                #expect(throws: DocumentError.self) { _ = try store.restored(2) }
            }
            try Disk.replaceFile(path, with: bytes + [0])
            #expect(throws: DocumentError.self) { _ = try store.restored(2) }
            try Disk.removeFile(path)
            #expect(throws: DocumentError.self) { _ = try store.restored(2) }
            #expect(try store.restored(3) == store.snapshots[3])
            try Disk.replaceFile(path, with: bytes)
            try store.check()
            #expect(try !Disk.exists(folder.path + "/restored"))
        }
    }

    @Test func aDamagedCopyIsPassedOverWhereTheDeltasReach() throws {
        try withTemporaryDirectory { folder in
            var policy = VersionStore.BasePolicy()
            policy.interval = 2
            let store = try VersionedStore(in: folder.path, rows: 30, policy: policy)
            for save in 0..<5 {
                try store.change(1 + save, save)
                try store.save()
            }
            let path = store.versions.folder + "/3.base"
            var bytes = try Disk.read(path, limit: 1 << 20)
            bytes[bytes.count / 2] ^= 4
            try Disk.replaceFile(path, with: bytes)
            try store.check()
            try Disk.removeFile(path)
            #expect(throws: (any Error).self) { _ = try store.restored(2) }
        }
    }

    @Test func anIndexThatIsNoneIsRefused() throws {
        try withTemporaryDirectory { folder in
            let store = try document(in: folder)
            let path = store.versions.folder + "/index.json"
            let good = String(decoding: try Disk.read(path, limit: 1 << 20), as: UTF8.self)
            let deep = String(repeating: "[", count: 100_000)
            let broken = [
                "", "{", "[]", "nonsense", "{\"format\":1}", deep, String(repeating: " ", count: 2 << 20),
                good.replacing("\"format\":1", with: "\"format\":1,\"format\":1"),
                good.replacing("\"next\":4", with: "\"next\":3"),
                good.replacing("[1,1,", with: "[9,1,"),
                good.replacing("[2,2,", with: "[1,2,"),
                good.replacing("[2,2,", with: "[\"../../x\",2,"),
                good.replacing("[2,2,", with: "[2e300,2,"),
                good.replacing("\"save\",1,0,", with: "\"save\",0,0,"),
                good.replacing("\"save\",1,0,", with: "\"save\",1,-1,"),
                good.replacing("\"head\":{", with: "\"no\":{"),
            ]
            for text in broken {
                #expect(text != good)
                try Disk.replaceFile(path, with: Array(text.utf8))
                let error = #expect(throws: DocumentError.self, "\(text.prefix(80))") { _ = try store.versions.list() }
                #expect(error?.code == .malformed)
            }
            try Disk.replaceFile(path, with: Array(good.replacing("\"format\":1", with: "\"format\":2").utf8))
            #expect(#expect(throws: DocumentError.self) { _ = try store.versions.list() }?.code == .newer)
            try Disk.replaceFile(path, with: Array(good.utf8))
            try store.check()
        }
    }
}

extension VersionDamageTests {
    @Test func nothingIsWrittenOrReadThroughALink() throws {
        try withTemporaryDirectory { folder in
            let store = try document(in: folder)
            let elsewhere = folder.path + "/elsewhere"
            try Disk.rename(store.versions.folder, to: elsewhere)
            try FileManager.default.createSymbolicLink(atPath: store.versions.folder, withDestinationPath: "elsewhere")
            let names = try Disk.list(elsewhere).map(\.name)
            try store.change(5, 5)
            try store.commitSave()
            #expect(throws: DocumentError.self) { _ = try store.keep() }
            #expect(throws: DocumentError.self) { try store.versions.remove([1]) }
            #expect(try Disk.list(elsewhere).map(\.name) == names)
            try Disk.removeFile(store.versions.folder)
            try Disk.rename(elsewhere, to: store.versions.folder)
            let delta = store.versions.folder + "/2.delta"
            try Disk.rename(delta, to: folder.path + "/victim")
            try FileManager.default.createSymbolicLink(atPath: delta, withDestinationPath: "../victim")
            #expect(throws: (any Error).self) { _ = try store.restored(2) }
        }
    }

    @Test func otherFilesInTheFolderAreLeftAlone() throws {
        try withTemporaryDirectory { folder in
            let store = try document(in: folder)
            for name in [
                "discarded.wal", "notes.txt", "x.delta", "1.2.3.delta", "17.delta", "17.base", "2.4.delta",
                ".index.json.tmp-x",
            ] {
                try Disk.replaceFile(store.versions.folder + "/" + name, with: [1])
            }
            try store.change(5, 5)
            try store.save()
            let names = Set(try Disk.list(store.versions.folder).map(\.name))
            #expect(
                names == [
                    "discarded.wal", "notes.txt", "x.delta", "1.2.3.delta", "index.json", "1.delta", "2.delta",
                    "3.delta", "4.delta",
                ])
        }
    }
}
