import Coding
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import SQLiteFile
import SQLiteKit
import TestSupport
import Testing

/// Whatever numbers a document's own files have: a typed error or a result, and no arithmetic that
/// runs over.
struct ExtremeNumberTests {
    private func put(_ bytes: [UInt8], _ path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    private func expectTyped(_ comment: @autoclosure () -> String, _ body: () throws -> Void) {
        do { try body() } catch is DocumentError {} catch is SQLiteError {} catch is FileSystemError {} catch {
            Issue.record("\(error): \(comment())")
        }
    }

    @Test func generationsLeaveRoomForTheNextOne() throws {
        for number in [Int.max, Int.max / 2, 1 << 61, -1] {
            let note = MergeNote(generation: number, uuid: "A", sums: ["1"], moved: [])
            let value = try #require(MergeNote.value([note]))
            #expect(MergeNote.notes(in: [MergeNote.metadataKey: value]).isEmpty)
        }
        let note = MergeNote(generation: 1 << 60, uuid: "A", sums: ["1"], moved: [])
        let value = try #require(MergeNote.value([note]))
        #expect(MergeNote.notes(in: [MergeNote.metadataKey: value]) == [note])
    }

    private func document(in folder: URL) throws -> VersionedStore {
        let store = try VersionedStore(in: folder.path, rows: 30)
        for save in 0..<4 {
            try store.change(1 + save, save)
            try store.save(references: ContentReferences(dropped: [UUID()], added: [UUID()]))
        }
        return store
    }

    @Test(.enabled(if: runsSweeps)) func theIndexOfVersionsIsReadOrRefused() throws {
        var dice = SplitMix(state: 24)
        try withTemporaryDirectory { folder in
            let store = try document(in: folder), versions = store.versions
            let path = versions.folder + "/index.json",
                good = String(decoding: try Disk.read(path, limit: 1 << 20), as: UTF8.self)
            for _ in 0..<sweep(1_000, all: 12_000) {
                let text = dice.withExtremes(good)
                try put(Array(text.utf8), path)
                expectTyped(text) {
                    for version in try versions.list() {
                        _ = (version.saved.formatted(.iso8601), version.bytes, version.size)
                    }
                }
                expectTyped(text) { _ = try versions.contentReferences() }
            }
            for round in 0..<sweep(20, all: 200) {
                let text = dice.withExtremes(good), work = folder.path + "/work"
                try Disk.copyTree(versions.folder, to: work)
                defer { try? Disk.removeTree(work) }
                try put(Array(text.utf8), work + "/index.json")
                let copy = VersionStore(folder: work)
                expectTyped(text) { _ = try copy.namesOnlyInVersions(generation: 5) }
                expectTyped(text) {
                    try store.connection.withFiles {
                        try copy.restore(1 + round % 4, from: $0, to: folder.path + "/restored")
                    }
                }
                _ = try Disk.removeFileIfPresent(folder.path + "/restored")
                expectTyped(text) {
                    let next = SavedState(generation: 6, counter: 9, saved: .now)
                    try store.connection.withFiles { _ = try copy.keep($0, saved: next, previous: store.state) }
                }
                expectTyped(text) { _ = try copy.prune(.standard, keeping: 2) }
                expectTyped(text) { try copy.remove([2, 3]) }
            }
        }
    }

    @Test(.enabled(if: runsSweeps)) func deltasAreReadOrRefused() throws {
        var dice = SplitMix(state: 25)
        try withTemporaryDirectory { folder in
            let store = try document(in: folder), path = store.versions.folder + "/2.delta"
            let good = try Disk.read(path, limit: 1 << 20)
            // The fields of the header, and of the first entries of the table of runs.
            let fields: [(place: Int, count: Int)] = [(12, 8), (20, 8), (28, 4), (32, 4), (36, 4), (40, 8)]
            let header = 60, data = good[40..<48].reversed().reduce(0) { $0 << 8 | Int($1) }
            for _ in 0..<sweep(800, all: 8_000) {
                var bytes = good
                for _ in 0...(dice.next() % 2) {
                    if dice.next() % 2 == 0 {
                        let field = fields[Int(dice.next() % UInt64(fields.count))]
                        dice.putExtreme(into: &bytes, at: field.place, count: field.count)
                    } else {
                        let run = header + data + 12 * Int(dice.next() % 2), isLength = dice.next() % 2 == 0
                        dice.putExtreme(into: &bytes, at: run + (isLength ? 8 : 0), count: isLength ? 4 : 8)
                    }
                }
                // So that only the numbers themselves can be objected to.
                let table = CRC32.checksum(Array(bytes[(header + data)...]))
                withUnsafeBytes(of: table.littleEndian) { bytes.replaceSubrange(52..<56, with: $0) }
                let sum = CRC32.checksum(Array(bytes[..<56]))
                withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(56..<60, with: $0) }
                try put(bytes, path)
                expectTyped("delta") { _ = try store.versions.contentReferences() }
                if dice.next() % 40 == 0 { expectTyped("delta") { _ = try store.restored(1) } }
            }
        }
    }
}

extension ExtremeNumberTests {
    @Test func manifestsAreReadOrRefused() throws {
        let good = """
            {"format": "folio-document", "formatVersion": 1, "minimumReader": 1, "uuid": "6F0C9A44-0000-4000-8000-000000000001", "generation": 3,
             "created": "2026-01-01T00:00:00Z", "saved": "2026-01-02T00:00:00Z", "model": {"name": "M", "identifiers": ["1"], "digest": "x"},
             "store": {"type": "SQLite", "bytes": 10}, "entities": {"A": 2}, "attachments": {"count": 1, "bytes": 5},
             "lastSave": {"generation": 2, "saved": "2026-01-01T00:00:00Z"}}
            """
        var dice = SplitMix(state: 26)
        for _ in 0..<sweep(2_000, all: 20_000) {
            let text = dice.withExtremes(good)
            expectTyped(text) { _ = try DocumentManifest.decode(Array(text.utf8), path: "m").encoded }
        }
    }

    @Test func lockFilesAreReadOrPassedOver() throws {
        let good = """
            {"bootID": "x", "host": "h", "pid": 12, "program": "p", "since": "2026-01-01T00:00:00Z", "user": "u", "more": 3}
            """
        var dice = SplitMix(state: 27)
        try withTemporaryDirectory { folder in
            let path = folder.path + "/A.folio", file = folder.path + "/.A.folio.lock"
            for _ in 0..<sweep(200, all: 2_000) {
                let text = dice.withExtremes(good).replacing(
                    "2026", with: ["0000", "9999", "2026", "99999999999"][Int(dice.next() % 4)])
                try put(Array(text.utf8), file)
                expectTyped(text) {
                    _ = DocumentLock.holder(of: path)
                    let lock = try DocumentLock.acquire(path, document: nil)
                    lock.release()
                }
            }
        }
    }

    /// What every commit notes in the store: its numbers are raised by the next.
    @Test func markersAreRaisedOrRefused() async throws {
        var dice = SplitMix(state: 28)
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            for title in ["one", "two"] {
                try Library.insertBook(title, document)
                try await document.save()
            }
            try await document.close()
            for round in 0..<sweep(10, all: 80) {
                let copy = folder.appendingPathComponent("\(round).folio")
                try Disk.copyTree(url.path, to: copy.path)
                try changeMarker(copy.path + "/store/store.sqlite", &dice)
                if dice.next() % 2 == 0 {
                    let manifest = copy.path + "/manifest.json"
                    try put(
                        Array(
                            dice.withExtremes(String(decoding: Disk.read(manifest, limit: 1 << 20), as: UTF8.self)).utf8
                        ), manifest)
                }
                do {
                    let document = try await PersistentDocument.open(copy)
                    try Library.insertBook("three", document)
                    try await document.autosave()
                    try await document.save()
                    try await document.close()
                } catch is DocumentError {}
                expectTyped("verify") { _ = try DocumentVerifier.verify(copy, isThorough: true) }
                try Disk.removeTree(copy.path)
            }
        }
    }

    /// A WAL of Folio's own whose run began, by what the store notes, at no number that a document
    /// comes to.
    @Test(arguments: [Int64.min, -1, 1 << 61, .max]) func aRunOfTheWALBeginsAtANumberInBounds(base: Int64) async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), copy = folder.appendingPathComponent("B.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("one", document)
            try await document.save()
            try await document.close()
            let connection = try Connection(url.path + "/store/store.sqlite", .readWrite)
            func note(_ values: [String: Any]) throws {
                guard case .blob(let blob)? = try connection.value("SELECT Z_PLIST FROM Z_METADATA") else { return }
                let old =
                    try PropertyListSerialization.propertyList(from: Data(blob), format: nil) as? [String: Any] ?? [:]
                let bytes = try PropertyListSerialization.data(
                    fromPropertyList: old.merging(values) { $1 }, format: .binary, options: 0)
                try connection.run("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(Array(bytes))])
            }
            try note([
                "FolioJournal": "0123456789abcdef", "FolioJournalBase": String(base),
                "FolioJournalBaseCommitted": Date(timeIntervalSinceReferenceDate: 0),
            ])
            #expect(try connection.value("PRAGMA journal_mode=wal")?.text == "wal")
            try connection.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint=0")
            try note(["FolioIsSaved": false, "FolioCommitCounter": "1000"])
            try Disk.copyTree(url.path, to: copy.path)
            try connection.close()
            expectTyped("info") {
                let info = try DocumentInfo(of: copy)
                #expect(info.outsideCommits < 1000)
            }
            expectTyped("verify") { _ = try DocumentVerifier.verify(copy, isThorough: true) }
        }
    }
}

extension ExtremeNumberTests {
    private func changeMarker(_ store: String, _ dice: inout SplitMix) throws {
        let connection = try Connection(store, .readWrite)
        guard case .blob(let blob)? = try connection.value("SELECT Z_PLIST FROM Z_METADATA") else { return }
        var metadata = try #require(
            PropertyListSerialization.propertyList(from: Data(blob), format: nil) as? [String: Any])
        for key in metadata.keys.sorted() where dice.next() % 3 == 0 {
            switch metadata[key] {
            case let text as String where Int(text) != nil: metadata[key] = String(Int64(bitPattern: dice.extreme()))
            case is Date:
                metadata[key] = Date(timeIntervalSinceReferenceDate: Double(Int64(bitPattern: dice.extreme())) * 1e9)
            default: break
            }
        }
        let bytes = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
        try connection.run("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(Array(bytes))])
        try connection.close()
    }
}
