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

/// Keys of objects where an earlier state of a document comes back.
struct RestoredKeyTests: MergesCopies {
    private func key(_ url: URL, _ title: String) async throws -> Int64 {
        try await DocumentOpening.withDocument(at: url) { try book($0.context, title).objectID.key }
    }

    private func insert(_ title: String, _ url: URL) async throws {
        try await edit(url) { try $0.insert("Book")["title"] = title }
    }

    @Test func aRestoredDocumentGivesNoKeyToAnotherObject() async throws {
        try await withCopies { ours, theirs in
            try await insert("b", ours)
            let former = try await key(ours, "b")
            try FileManager.default.removeItem(at: theirs)
            try FileManager.default.copyItem(at: ours, to: theirs)
            try await edit(theirs) { try book($0, "b").setPropertyValue(.int(7), forKey: "pages") }
            try await PersistentDocument.restore(ours, to: 1)
            try await insert("c", ours)
            #expect(try await key(ours, "c") > former)
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                // One that was taken back here and changed there, not one object with values of
                // two.
                let report = try await document.merge(theirs, deciding: .keep)
                #expect(report.undecided.map(\.kind) == [.deletedChanged])
                #expect(try book(document.context, "c").propertyValue(forKey: "pages") == .null)
                #expect(try book(document.context, "b").propertyValue(forKey: "pages") == .int(7))
            }
        }
    }

    @Test(arguments: [false, true]) func revertingGivesNoKeyAgain(isAutosaved: Bool) async throws {
        try await withCopies { ours, _ in
            let document = try await PersistentDocument.open(ours)
            try Library.insertBook("b", document)
            if isAutosaved { try await document.autosave() } else { try await document.save() }
            let former = try book(document.context, "b").objectID.key
            if isAutosaved {
                try await document.revert()
            } else {
                try await document.revert(to: try #require(document.versions().last))
            }
            try Library.insertBook("c", document)
            try await document.save()
            #expect(try book(document.context, "c").objectID.key > former)
            try await document.close()
        }
    }

    /// What a session does that discards work, before it ends.
    enum Ending: CaseIterable { case goesOn, closes, saves }

    @Test(arguments: Ending.allCases) func discardedWorkGivesNoKeyAgain(_ ending: Ending) async throws {
        try await withCopies { ours, theirs in
            let editor = try await PersistentDocument.open(ours)
            try Library.insertBook("b", editor)
            try await editor.autosave()
            let former = try book(editor.context, "b").objectID.key
            // As an editor leaves it that is killed.
            try FileManager.default.removeItem(at: theirs)
            try FileManager.default.copyItem(at: ours, to: theirs)
            try await editor.close(.discard)
            var document = try await PersistentDocument.open(theirs, recovery: .discard)
            if ending != .goesOn {
                // Without a new object, and without the work: the keys are noted by the save.
                if ending == .saves { try editSomeBook(document.context) }
                try await document.close(.save)
                document = try await PersistentDocument.open(theirs)
            }
            try Library.insertBook("c", document)
            try await document.save()
            #expect(try book(document.context, "c").objectID.key > former)
            try await document.close()
        }
    }

    @Test(arguments: [DocumentForm.package, .archive])
    func aSaveWithoutNewObjectsAfterRevertingGivesNoKeyAgain(_ form: DocumentForm) async throws {
        try await withCopies(form) { ours, _ in
            let document = try await PersistentDocument.open(ours)
            try Library.insertBook("b", document)
            try await document.autosave()
            let former = try book(document.context, "b").objectID.key
            try await document.revert()
            try editSomeBook(document.context)
            try await document.close(.save)
            try await insert("c", ours)
            #expect(try await key(ours, "c") > former)
        }
    }

    private func editSomeBook(_ context: ManagedObjectContext) throws {
        try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)["pages"] = 12
    }

    @Test(arguments: [DocumentForm.package, .archive, .store])
    func aRepairedDocumentGivesNoKeyOfADeletedObjectAgain(_ form: DocumentForm) async throws {
        try await withCopies(form) { ours, _ in
            try await insert("b", ours)
            let former = try await key(ours, "b")
            try await edit(ours) { $0.delete(try book($0, "b")) }
            let repaired = ours.deletingLastPathComponent().appendingPathComponent("repaired.folio")
            _ = try await DocumentRepairer.repair(ours, to: repaired)
            try await insert("c", repaired)
            #expect(try await key(repaired, "c") > former)
        }
    }

    @Test func anOlderFileThatComesBackWhileTheDocumentIsOpenGivesNoKeyAgain() async throws {
        try await withCopies { ours, theirs in
            let document = try await PersistentDocument.open(ours)
            try Library.insertBook("b", document)
            try await document.save()
            let former = try book(document.context, "b").objectID.key
            let aside = ours.deletingLastPathComponent().appendingPathComponent("aside")
            try FileManager.default.moveItem(at: ours, to: aside)
            try FileManager.default.moveItem(at: theirs, to: ours)
            #expect(await document.checkForOutsideChanges() == .reloaded)
            try Library.insertBook("c", document)
            try await document.save()
            #expect(try book(document.context, "c").objectID.key > former)
            try await document.close()
        }
    }
}
