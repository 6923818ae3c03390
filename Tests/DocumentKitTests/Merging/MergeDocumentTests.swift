import Merging
import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// What an application sees of a merge.
struct MergeDocumentTests: MergesCopies {
    @Test func aMergeIsOneStepOfUndoAndUnsavedUntilItIsSaved() async throws {
        try await withCopies { ours, theirs in
            try await edit(theirs) {
                try book($0, "Essays")["title"] = "Essays and Leaves"
                try $0.insert("Tag")["name"] = "new"
            }
            let document = try await PersistentDocument.open(ours)
            let undo = try #require(document.context.undoManager), before = undo.canUndo
            let report = try await document.merge(theirs)
            #expect(report.isApplied && report.changed == ["Book": 1] && report.inserted == ["Tag": 1])
            #expect(document.hasUnsavedChanges && !before && undo.canUndo)
            #expect(try Library.titles(document) == ["Essays and Leaves", "Middlemarch"])
            undo.undo()
            #expect(try Library.titles(document) == ["Essays", "Middlemarch"])
            #expect(!document.hasUnsavedChanges && !undo.canUndo)
            undo.redo()
            try await document.save()
            // The base of the next merge is what was merged.
            #expect(try await document.merge(theirs).isEmpty)
            try await document.close()
        }
    }

    @Test func whatIsUndoneAfterASaveIsMergedAgain() async throws {
        try await withCopies { ours, theirs in
            try await edit(theirs) { try book($0, "Essays")["title"] = "Other" }
            let document = try await PersistentDocument.open(ours)
            try await document.merge(theirs)
            try await document.save()
            document.context.undo()
            try await document.save()
            #expect(try Library.titles(document) == ["Essays", "Middlemarch"])
            let report = try await document.merge(theirs)
            #expect(report.changed == ["Book": 1])
            #expect(try Library.titles(document) == ["Middlemarch", "Other"])
            try await document.close(.discard)
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func unsavedChangesArePartOfOurs(_ form: DocumentForm)
        async throws
    {
        try await withCopies(form) { ours, theirs in
            let document = try await PersistentDocument.open(ours)
            try book(document.context, "Essays")["title"] = "Mine"
            // The last save, which is no version yet, is what both know.
            let same = try await document.merge(theirs)
            #expect(same.isApplied && same.isEmpty)
            #expect(document.hasUnsavedChanges)
            try await edit(theirs) { try book($0, "Essays").setPropertyValue(.int(7), forKey: "pages") }
            let base: DocumentMerge.Base =
                form == .archive ? .document(URL(fileURLWithPath: ours.path + "@saved")) : .common
            try await document.merge(theirs, base: base)
            #expect(try book(document.context, "Mine").propertyValue(forKey: "pages") == .int(7))
            try await document.close(.save)
            #expect(try DocumentVerifier.verify(ours, isThorough: true).isEmpty)
        }
    }

    @Test func conflictsAreKeptInTheDocumentUntilTheyAreDecided() async throws {
        for form in [DocumentForm.package, .archive] {
            try await withCopies(form) { ours, theirs in
                let base = ours.deletingLastPathComponent().appendingPathComponent("base")
                try FileManager.default.copyItem(at: ours, to: base)
                try await edit(ours) {
                    try book($0, "Essays")["title"] = "Mine"
                    try book($0, "Middlemarch")["pages"] = 1
                }
                try await edit(theirs) {
                    try book($0, "Essays")["title"] = "Yours"
                    try book($0, "Middlemarch")["pages"] = 2
                }
                try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                    let refused = try await document.merge(theirs, base: .document(base))
                    #expect(!refused.isApplied && refused.undecided.count == 2)
                    let report = try await document.merge(theirs, base: .document(base), deciding: .keep)
                    #expect(report.isApplied && report.undecided.map(\.kind) == [.values, .values])
                    try await document.save()
                }
                #expect(try DocumentInfo(of: ours).undecidedConflicts == 2)
                #expect(try DocumentVerifier.verify(ours, isThorough: true).isEmpty)
                try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                    let conflicts = try await document.undecidedConflicts()
                    #expect(conflicts.map(\.theirs) == [.string("Yours"), .int(2)])
                    try await document.settleConflict(conflicts[0].name, .theirs)
                    try await document.settleConflict(conflicts[1].name, .value(.int(3)))
                    #expect(try await document.undecidedConflicts().isEmpty)
                    document.context.undo()
                    #expect(try await document.undecidedConflicts().map(\.name) == [conflicts[1].name])
                    document.context.redo()
                    try await document.save()
                    #expect(try book(document.context, "Yours").propertyValue(forKey: "pages").isNull)
                    #expect(try book(document.context, "Middlemarch").propertyValue(forKey: "pages") == .int(3))
                }
                #expect(try DocumentInfo(of: ours).undecidedConflicts == 0)
            }
        }
    }
}

extension MergeDocumentTests {
    @Test func aBareStoreHasNoRoomForConflicts() async throws {
        try await withCopies(.store) { ours, theirs in
            let base = ours.deletingLastPathComponent().appendingPathComponent("base")
            try FileManager.default.copyItem(at: ours, to: base)
            try await edit(ours) { try book($0, "Essays")["title"] = "Mine" }
            try await edit(theirs) { try book($0, "Essays")["title"] = "Yours" }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(theirs, base: .document(base), deciding: .keep)
                #expect(!report.isApplied && !document.hasUnsavedChanges)
            }
        }
    }

    @Test func withoutACommonStateTheBaseHasToBeNamed() async throws {
        try await withCopies(.store) { ours, theirs in
            try await edit(ours) { try book($0, "Essays")["title"] = "Mine" }
            try await edit(theirs) {
                try book($0, "Essays")["pages"] = 7
                try $0.insert("Tag")["name"] = "new"
            }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                await #expect { try await document.merge(theirs) } throws: {
                    ($0 as? DocumentError)?.code == .notFound
                }
                #expect(!document.hasUnsavedChanges)
                // What may be one object is none of two by mistake.
                let report = try await document.merge(theirs, base: .none)
                #expect(!report.isApplied && report.undecided.map(\.property) == ["title"])
                let decided = try await document.merge(theirs, base: .none, deciding: .ours)
                #expect(decided.isApplied && decided.inserted == ["Tag": 1] && decided.changed == ["Book": 1])
                try await document.save()
            }
        }
    }

    @Test(arguments: [40, 200_000]) func newObjectsThatDifferInBytesAloneAreToldApart(count: Int) async throws {
        try await withCopies { ours, theirs in
            func cover(_ byte: UInt8) -> Data { Data(repeating: byte, count: count) }
            try await edit(ours) {
                try $0.insert("Book")["cover"] = cover(8)
                try $0.insert("Book")["cover"] = cover(4)
            }
            // It has the number of the first and the bytes of the second.
            try await edit(theirs) { try $0.insert("Book")["cover"] = cover(4) }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(theirs)
                #expect(report.inserted.isEmpty && report.united.count == 1)
                try await document.save()
            }
        }
    }

    @Test func documentsThatWereNeverOneKeepAllOfBoth() async throws {
        try await withCopies { ours, _ in
            let other = ours.deletingLastPathComponent().appendingPathComponent("other")
            let document = try await PersistentDocument.create(at: other, model: Library.model())
            let author = try document.context.insert("Author"), tag = try document.context.insert("Tag")
            author["name"] = "Brontë"
            tag["name"] = "new"
            for title in ["Shirley", "Villette"] {
                let book = try document.context.insert("Book")
                book["title"] = title
                book["author"] = author
                book["tags"] = Set([tag])
            }
            try await document.save()
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(other, base: .none)
                #expect(report.isApplied && report.united.isEmpty && report.isOtherDocument)
                #expect(report.inserted == ["Author": 1, "Book": 2, "Tag": 1])
                #expect(try Library.titles(document) == ["Essays", "Middlemarch", "Shirley", "Villette"])
                let author = try book(document.context, "Villette")["author"] as? ManagedObject
                #expect(author?["name"] as? String == "Brontë")
                document.context.undo()
            }
            // One that ours has, too.
            try document.context.insert("Tag")["name"] = "alone"
            try await document.close(.save)
            try await edit(ours) { try $0.insert("Tag")["name"] = "alone" }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(other, base: .none)
                #expect(report.united.map(\.theirs) == ["Tag/p2"] && report.inserted["Tag"] == 1)
                #expect(try values(document.context, "Tag", "name") == ["alone", "classic", "new"])
            }
        }
    }
}

extension MergeDocumentTests {
    @Test func whatBreaksARuleIsAConflictThatNamesIt() async throws {
        try await withCopies { ours, theirs in
            // The author's books go with her; ours gives her another one.
            try await edit(theirs) { context in
                for author in try context.fetch(FetchRequest<ManagedObject>(entityName: "Author")) {
                    context.delete(author)
                }
            }
            try await edit(ours) { context in
                let book = try context.insert("Book")
                book["title"] = "Late"
                book["author"] = try context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first
            }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let refused = try await document.merge(theirs)
                #expect(refused.conflicts.map(\.kind) == [.deletedChanged] && !refused.isApplied)
                #expect(refused.conflicts.first?.name == "Author/p1")
                // Kept where nobody decides; her other books were deleted, and nobody changed them.
                let kept = try await document.merge(theirs, deciding: .keep)
                #expect(kept.isApplied)
                #expect(try Library.titles(document) == ["Late"])
                document.context.undo()
                try await document.merge(theirs, deciding: .theirs)
                #expect(try Library.titles(document).isEmpty)
                try await document.save()
            }
        }
    }

    @Test func olderVersionsOfTheModelAreBroughtToTheNewestOne() async throws {
        func model(_ version: Int) throws -> ManagedObjectModel {
            var attributes: [AttributeDescription] = [.init("title", .string)]
            if version > 1 { attributes.append(.init("pages", .integer64)) }
            if version > 2 { attributes.append(.init("genre", .string)) }
            return try ManagedObjectModel(
                entities: [EntityDefinition("Book", attributes: attributes)], versionIdentifiers: ["\(version)"])
        }
        try await withFolder { folder in
            func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
            let document = try await PersistentDocument.create(at: url("base"), model: model(1))
            for title in ["a", "b"] { try document.context.insert("Book")["title"] = title }
            try await document.close(.save)
            for name in ["ours", "theirs"] { try FileManager.default.copyItem(at: url("base"), to: url(name)) }
            try await PersistentDocument.migrate(url("ours"), to: model(3))
            try await PersistentDocument.migrate(url("theirs"), to: model(2))
            try await edit(url("ours")) { try book($0, "a")["genre"] = "x" }
            try await edit(url("theirs")) { try book($0, "a")["pages"] = 9 }
            try await DocumentOpening.withDocument(at: url("ours"), mode: .editing) { document in
                #expect(try await document.merge(url("theirs")).changed == ["Book": 1])
                let merged = try book(document.context, "a")
                let pages = try merged.propertyValue(forKey: "pages")
                #expect(merged["genre"] as? String == "x" && pages == .int(9))
                try await document.save()
            }
            // The other way round the older one is to be migrated first: nothing may be lost.
            try await DocumentOpening.withDocument(at: url("theirs"), mode: .editing) { document in
                await #expect { try await document.merge(url("ours")) } throws: {
                    ($0 as? DocumentError)?.code == .modelMismatch
                }
                #expect(!document.hasUnsavedChanges)
            }
        }
    }
}

extension MergeDocumentTests {
    /// Migrated to the model of ours, an empty document looks as if it had deleted all objects.
    @Test func aDocumentOfAnotherModelDeletesNothingThatItsModelLacks() async throws {
        try await withCopies(.archive) { ours, base in
            let other = ours.deletingLastPathComponent().appendingPathComponent("other")
            let model = try ManagedObjectModel(entities: [
                EntityDefinition("Note", attributes: [.init("text", .string)])
            ])
            try await PersistentDocument.create(at: other, model: model, form: .archive).close(.save)
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                await #expect { try await document.merge(other, base: .document(base)) } throws: { error in
                    guard let error = error as? DocumentError else { return false }
                    return error.code == .modelMismatch && error.hint?.contains("--base none") == true
                }
                #expect(try Library.titles(document).count == 2)
                let report = try await document.merge(other, base: .none)
                #expect(report.isApplied && report.deleted.isEmpty)
                try await document.save()
            }
        }
    }

    @Test func largeValuesOfTheOtherDocumentOutliveIt() async throws {
        try await withCopies(.archive) { ours, theirs in
            let base = ours.deletingLastPathComponent().appendingPathComponent("base")
            try FileManager.default.copyItem(at: ours, to: base)
            let bytes = Data(repeating: 9, count: 300_000)
            try await edit(theirs) { try book($0, "Essays")["cover"] = bytes }
            let document = try await PersistentDocument.open(ours)
            try await document.merge(theirs, base: .document(base))
            try FileManager.default.removeItem(at: theirs)
            try await document.close(.save)
            try await DocumentOpening.withDocument(at: ours) { document in
                let cover = try book(document.context, "Essays").propertyValue(forKey: "cover")
                #expect(cover.isSame(as: .data(bytes)))
            }
            #expect(try DocumentVerifier.verify(ours, isThorough: true).isEmpty)
        }
    }

    @Test func copiesOfSynchronizingProgramsAreFoundByNameAndUUID() async throws {
        try await withFolder { folder in
            func url(_ name: String) -> URL { folder.appendingPathComponent(name) }
            let document = try await PersistentDocument.create(at: url("Notes.folio"), model: Library.model())
            try await document.close(.save)
            for name in ["Notes (conflicted copy 2024-05-01).folio", "Notes.sync-conflict-20240501-1.folio"] {
                try FileManager.default.copyItem(at: url("Notes.folio"), to: url(name))
            }
            let other = try await PersistentDocument.create(at: url("Notes 2.folio"), model: Library.model())
            try await other.close(.save)
            #expect(
                try ConflictCopies.copies(of: url("Notes.folio")).map(\.lastPathComponent) == [
                    "Notes (conflicted copy 2024-05-01).folio", "Notes.sync-conflict-20240501-1.folio",
                ])
        }
    }
}
