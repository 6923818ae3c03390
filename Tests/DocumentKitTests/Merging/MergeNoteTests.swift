import Merging
import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// What the metadata of a store note of merges, and that later merges find it there.
struct MergeNoteTests: MergesCopies {
    private func note(_ moved: [StateNumbering.Moved]) -> MergeNote {
        MergeNote(generation: 7, uuid: "A", sums: ["1f", "2"], moved: moved)
    }

    private func written(_ note: MergeNote) throws -> [String: MetadataValue] {
        guard case .array(let notes)? = MergeNote.value([note]), case .dictionary(let fields)? = notes.first else {
            throw CocoaError(.featureUnsupported)
        }
        return fields
    }

    private func read(_ fields: [String: MetadataValue]) -> MergeNote? {
        MergeNote.notes(in: [MergeNote.metadataKey: .array([.dictionary(fields)])]).first
    }

    private func objects(_ root: String, _ base: Int64, _ here: Int64, _ count: Int64) -> [StateNumbering.Moved] {
        (0..<count).map { .init(root: root, base: base + $0, here: here + $0) }
    }

    @Test func fewObjectsAreNotedOneByOne() throws {
        let note = note(objects("Book", 10, 20, 4_000)), fields = try written(note)
        #expect(fields.keys.sorted() == ["generation", "moved", "sums", "uuid"])
        #expect(read(fields) == note)
    }

    @Test func manyObjectsAreNotedInRuns() throws {
        let moved =
            objects("Author", 5, 9, 1) + objects("Book", 10, 90_000, 6_000) + objects("Book", 6_010, 99_000, 70)
            + objects("Book", 7_000, 99_070, 5)
        let note = note(moved), fields = try written(note)
        #expect(fields.keys.sorted() == ["generation", "runs", "states", "uuid"])
        guard case .dictionary(let runs)? = fields["runs"] else {
            Issue.record("no runs")
            return
        }
        #expect(runs["Author"] == .array([5, 9, 1].map { .integer($0) }))
        #expect(
            runs["Book"] == .array([10, 90_000, 6_000, 6_010, 99_000, 70, 7_000, 99_070, 5].map { .integer($0) }))
        #expect(read(fields) == note)
    }

    @Test func moreThanANoteHoldsIsNotedAsUnknown() throws {
        let scattered = (1...4_001).map { StateNumbering.Moved(root: "Book", base: $0 * 2, here: $0 * 3) }
        for moved in [scattered, objects("Book", 1, 2_000_000, 1_000_001)] {
            let note = note(moved), fields = try written(note)
            #expect(!note.hasKnownKeys && note.moved.isEmpty)
            #expect(fields.keys.sorted() == ["generation", "keysAreUnknown", "states", "uuid"])
            #expect(read(fields) == note)
        }
    }

    /// Runs that can't be are no note, and those that are too long take no memory.
    @Test func alteredRunsAreRefusedOrUnknown() throws {
        var fields = try written(note(objects("Book", 10, 90_000, 6_000)))
        func runs(_ numbers: Int64...) -> MergeNote? {
            fields["runs"] = .dictionary(["Book": .array(numbers.map { .integer($0) })])
            return read(fields)
        }
        #expect(runs(1, 2) == nil)
        #expect(runs(1, 2, 0) == nil)
        #expect(runs(0, 2, 1) == nil)
        #expect(runs(1, 2, -3) == nil)
        #expect(runs(1, .max, 2) == nil)
        #expect(runs(1, 5, 1_000_000)?.moved.count == 1_000_000)
        #expect(runs(1, 5, 1_000_001)?.hasKnownKeys == false)
        #expect(runs(1, 5, 1 << 60)?.hasKnownKeys == false)
        fields["runs"] = .dictionary(["Book": .array([1, 5, 1_000_000].map { .integer($0) })])
        let both = MergeNote.notes(in: [
            MergeNote.metadataKey: .array([.dictionary(fields), .dictionary(fields)])
        ])
        #expect(both.map(\.hasKnownKeys) == [false, true])
    }

    private func merge(_ ours: URL, _ theirs: URL, base: DocumentMerge.Base = .common) async throws
        -> DocumentMerge.Report
    {
        try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
            let report = try await document.merge(theirs, base: base)
            try await document.save()
            return report
        }
    }

    /// Ours has as many new objects, so that all of theirs get other keys.
    @Test func aMergeThatGivesManyObjectsOtherKeysIsKnownToTheNextOne() async throws {
        try await withCopies { ours, theirs in
            try await edit(ours) { context in
                for number in 0..<5_000 { try context.insert("Tag")["name"] = "ours \(number)" }
            }
            try await edit(theirs) { context in
                for number in 0..<5_000 { try context.insert("Tag")["name"] = "theirs \(number)" }
            }
            var report = try await merge(ours, theirs)
            #expect(report.renumbered.count == 5_000)
            try await edit(ours) { context in
                context.delete(try object(context, "Tag", "name", "theirs 17"))
                try object(context, "Tag", "name", "theirs 18")["name"] = "changed here"
            }
            try await edit(theirs) { context in
                context.delete(try object(context, "Tag", "name", "theirs 4000"))
                try object(context, "Tag", "name", "theirs 4001")["name"] = "changed there"
            }
            report = try await merge(ours, theirs)
            #expect(report.inserted.isEmpty && report.conflicts.isEmpty)
            try await DocumentOpening.withDocument(at: ours) { document in
                let names = try values(document.context, "Tag", "name")
                #expect(Set(names).count == names.count)
                #expect(names.contains("changed here") && names.contains("changed there"))
                #expect(!names.contains("theirs 17") && !names.contains("theirs 4000"))
            }
        }
    }

    /// Keys that are not noted are not guessed.
    @Test func aNoteWithoutKeysIsNoBase() async throws {
        try await withCopies { ours, theirs in
            try await edit(ours) { try $0.insert("Tag")["name"] = "ours" }
            try await edit(theirs) { try $0.insert("Tag")["name"] = "theirs" }
            _ = try await merge(ours, theirs)
            let store = try SQLitePersistentStore.open(
                PersistentStoreDescription(url: ours.appendingPathComponent("store/store.sqlite")),
                model: Library.model())
            var notes = MergeNote.notes(in: try store.metadata())
            let note = try #require(notes.last)
            #expect(note.moved.count == 1)
            notes[notes.count - 1] = MergeNote(
                generation: note.generation, uuid: note.uuid, sums: note.sums,
                moved: objects("Tag", 1, 2_000_000, 1_000_001))
            var changes = ChangeSet()
            changes.metadata = [MergeNote.metadataKey: MergeNote.value(notes)]
            _ = try store.apply(changes)
            try store.close()
            for base in [DocumentMerge.Base.common, .document(theirs)] {
                let error = await #expect(throws: DocumentError.self) { try await merge(ours, theirs, base: base) }
                #expect(error?.code == .notFound && error?.hint?.contains("--base none") == true)
            }
            #expect(try await merge(ours, theirs, base: .none).inserted.isEmpty)
        }
    }
}
