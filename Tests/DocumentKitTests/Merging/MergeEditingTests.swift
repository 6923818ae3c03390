import Merging
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import TestSupport
import Testing

/// Merges and decisions beside other edits of an open document: no edit is lost, and what fails
/// changes nothing.
struct MergeEditingTests: MergesCopies {
    /// Copies whose books have other titles and covers.
    private func withConflict(_ body: (URL, URL) async throws -> Void) async throws {
        try await withCopies { ours, theirs in
            try await edit(ours) {
                try book($0, "Essays")["title"] = "Mine"
                try book($0, "Middlemarch")["cover"] = Data(repeating: 1, count: 300_000)
            }
            try await edit(theirs) {
                try book($0, "Essays")["title"] = "Yours"
                try book($0, "Middlemarch")["cover"] = Data(repeating: 2, count: 300_000)
            }
            try await body(ours, theirs)
        }
    }

    /// The ways in which a decision fails.
    private func expectFailures(_ document: PersistentDocument) async throws {
        let names = try await document.undecidedConflicts().map(\.name)
        let title = try #require(names.first { $0.hasSuffix(".title") }),
            cover = try #require(names.first { $0.hasSuffix(".cover") })
        await #expect { try await document.settleConflict(cover, .theirs) } throws: {
            ($0 as? DocumentError)?.code == .unsupported
        }
        await #expect(throws: GraphError.self) { try await document.settleConflict(title, .value(.int(3))) }
        await #expect { try await document.settleConflict("Book/p99.title", .ours) } throws: {
            ($0 as? DocumentError)?.code == .notFound
        }
        #expect(try await document.undecidedConflicts().map(\.name) == names)
    }

    @Test func aDecisionThatFailsLeavesFormerEditsAlone() async throws {
        try await withConflict { ours, theirs in
            let document = try await PersistentDocument.open(ours)
            #expect(try await document.merge(theirs, deciding: .keep).undecided.count == 2)
            try await document.save()
            let undo = try #require(document.context.undoManager)
            try book(document.context, "Mine")["title"] = "Edited"
            document.context.processPendingChanges()
            try await expectFailures(document)
            #expect(try Library.titles(document) == ["Edited", "Middlemarch"])
            undo.undo()
            #expect(try Library.titles(document) == ["Middlemarch", "Mine"])
            // In a group that the application opened.
            undo.beginUndoGrouping()
            try book(document.context, "Mine")["title"] = "Grouped"
            try await expectFailures(document)
            undo.endUndoGrouping()
            #expect(try Library.titles(document) == ["Grouped", "Middlemarch"])
            undo.undo()
            #expect(try Library.titles(document) == ["Middlemarch", "Mine"])
            try await document.close(.discard)
        }
    }

    @Test func withoutUndoADecisionThatFailsLeavesEditsAlone() async throws {
        try await withConflict { ours, theirs in
            let document = try await PersistentDocument.open(ours)
            try await document.merge(theirs, deciding: .keep)
            try await document.save()
            document.context.undoManager = nil
            try book(document.context, "Mine")["title"] = "Edited"
            try await expectFailures(document)
            #expect(try Library.titles(document) == ["Edited", "Middlemarch"])
            #expect(document.context.undoManager == nil)
            try await document.settleConflict("Book/p2.title", .theirs)
            #expect(try Library.titles(document) == ["Middlemarch", "Yours"])
            try await document.close(.save)
        }
    }
}

extension MergeEditingTests {
    @Test func aMergeInAGroupOfTheApplicationIsPartOfIt() async throws {
        try await withCopies { ours, theirs in
            try await edit(theirs) { try book($0, "Essays")["title"] = "Yours" }
            let document = try await PersistentDocument.open(ours)
            let undo = try #require(document.context.undoManager)
            undo.beginUndoGrouping()
            try book(document.context, "Middlemarch")["title"] = "Edited"
            try await document.merge(theirs)
            undo.endUndoGrouping()
            #expect(try Library.titles(document) == ["Edited", "Yours"])
            undo.undo()
            #expect(try Library.titles(document) == ["Essays", "Middlemarch"])
            try await document.close(.discard)
        }
    }

    /// Edits a book now and then while a document is merged.
    @MainActor private func merge(
        _ document: PersistentDocument, _ theirs: URL, whileSetting key: String, of title: String
    ) async throws -> (report: DocumentMerge.Report, last: String) {
        let edited = try book(document.context, title)
        let merge = Task { @MainActor in try await document.merge(theirs) }
        var last = title
        for number in 1...6 {
            try await Task.sleep(for: .milliseconds(4))
            last = "\(title) \(number)"
            edited[key] = last
        }
        return (try await merge.value, last)
    }

    @MainActor @Test func whatIsEditedWhileAMergeIsPlannedIsPartOfIt() async throws {
        try await withCopies { ours, theirs in
            try await edit(theirs) { try book($0, "Essays")["title"] = "Yours" }
            let document = try await PersistentDocument.open(ours)
            let (report, last) = try await merge(document, theirs, whileSetting: "title", of: "Essays")
            // The merge came before the edits, or found them.
            #expect(report.isApplied || report.undecided.map(\.name) == ["Book/p2.title"], "\(report)")
            #expect(try Library.titles(document) == [last, "Middlemarch"])
            try await document.close(.discard)
        }
    }

    @MainActor @Test func aMergeThatIsReportedIsMadeAlsoWithoutUndo() async throws {
        try await withCopies { ours, theirs in
            try await edit(theirs) { try book($0, "Essays")["title"] = "Yours" }
            let document = try await PersistentDocument.open(ours)
            document.context.undoManager = nil
            let (report, last) = try await merge(document, theirs, whileSetting: "title", of: "Middlemarch")
            #expect(report.isApplied)
            #expect(try Library.titles(document) == [last, "Yours"])
            try await document.close(.save)
        }
    }

    @Test func aDamagedListOfConflictsChangesNothing() async throws {
        try await withCopies { ours, theirs in
            try await edit(theirs) { try book($0, "Essays")["title"] = "Yours" }
            let folder = ours.appendingPathComponent("extra/folio-merge")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("[".utf8).write(to: folder.appendingPathComponent("conflicts.json"))
            let document = try await PersistentDocument.open(ours)
            document.context.undoManager = nil
            await #expect { try await document.merge(theirs) } throws: {
                ($0 as? DocumentError)?.code == .malformed
            }
            #expect(!document.context.hasChanges && !document.hasUnsavedChanges)
            try await document.close(.discard)
        }
    }
}

extension MergeEditingTests {
    @Test func aConflictWhoseValueCantBeReadIsNotKeptAsNull() async throws {
        try await withConflict { ours, theirs in
            let content = theirs.appendingPathComponent("content")
            for name in try FileManager.default.contentsOfDirectory(atPath: content.path) {
                try FileManager.default.removeItem(at: content.appendingPathComponent(name))
            }
            let document = try await PersistentDocument.open(ours)
            await #expect(throws: (any Error).self) { try await document.merge(theirs, deciding: .keep) }
            #expect(!document.hasUnsavedChanges)
            try await document.close(.discard)
        }
    }

    @Test func aLargeValueIsCopiedOnce() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("value"), copies = folder.appendingPathComponent("copies")
            try Data(repeating: 7, count: 200_000).write(to: file)
            try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
            let values = MergedValues(copies.path), value = try LargeValue(contentsOf: file)
            let copy = try values.copy(of: value)
            #expect(try values.copy(of: value) === copy)
            try FileManager.default.removeItem(at: file)
            #expect(try copy.data().count == 200_000)
            #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).count == 1)
            let inMemory = LargeValue(Data([1]))
            #expect(try values.copy(of: inMemory) === inMemory)
        }
    }

    /// A crash after an autosave leaves no document that knows the other one without its conflicts.
    @Test func conflictsOutliveACrashAfterAnAutosave() async throws {
        try await withConflict { ours, theirs in
            let document = try await PersistentDocument.open(ours)
            let report = try await document.merge(theirs, deciding: .keep)
            #expect(report.undecided.count == 2)
            try await document.autosave()
            let crashed = ours.deletingLastPathComponent().appendingPathComponent("crashed")
            try FileManager.default.copyItem(at: ours, to: crashed)
            try await document.close(.save)
            let recovered = try await PersistentDocument.open(crashed, recovery: .keep)
            let again = try await recovered.merge(theirs, deciding: .keep)
            let found = try await recovered.undecidedConflicts().map(\.name)
            #expect(Set(found) == Set(report.undecided.map(\.name)), "\(again)")
            try await recovered.close(.save)
            #expect(try DocumentInfo(of: crashed).undecidedConflicts == 2)
            // Saved with its conflicts, the other document is known.
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let again = try await document.merge(theirs)
                #expect(again.isEmpty)
            }
        }
    }

    @Test func aMergeWithoutConflictsIsKnownAfterAnAutosave() async throws {
        try await withCopies { ours, theirs in
            try await edit(theirs) { try book($0, "Essays")["title"] = "Yours" }
            let document = try await PersistentDocument.open(ours)
            try await document.merge(theirs)
            try await document.autosave()
            let crashed = ours.deletingLastPathComponent().appendingPathComponent("crashed")
            try FileManager.default.copyItem(at: ours, to: crashed)
            try await document.close(.save)
            let recovered = try await PersistentDocument.open(crashed, recovery: .keep)
            #expect(try await recovered.merge(theirs).isEmpty)
            try await recovered.close(.save)
        }
    }
}
