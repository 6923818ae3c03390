import Merging
import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// Merges that are made twice, and keys that were given twice, with a named base.
struct RepeatedMergeTests: MergesCopies {
    private func merge(_ theirs: URL, into ours: URL, base: URL, _ decisions: DocumentMerge.Decisions) async throws
        -> DocumentMerge.Report
    {
        try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
            let report = try await document.merge(theirs, base: .document(base), deciding: decisions)
            if report.isApplied { try await document.save() }
            return report
        }
    }

    private func titles(_ url: URL) async throws -> [String] {
        try await DocumentOpening.withDocument(at: url) { try Library.titles($0) }
    }

    private func copy(_ url: URL, _ name: String) throws -> URL {
        let copy = url.deletingLastPathComponent().appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: copy.path) { try FileManager.default.removeItem(at: copy) }
        try FileManager.default.copyItem(at: url, to: copy)
        return copy
    }

    @Test(arguments: [DocumentForm.package, .archive, .store, .binaryStore])
    func aMergeThatIsMadeAgainIsNoChange(_ form: DocumentForm) async throws {
        try await withCopies(form) { ours, theirs in
            let base = try copy(ours, "base")
            try await edit(theirs) { context in
                let book = try context.insert("Book")
                book["title"] = "new"
                book["author"] = try object(context, "Author", "name", "Eliot")
                try self.book(context, "Essays")["title"] = "Theirs"
            }
            try await edit(ours) {
                $0.delete(try object($0, "Author", "name", "Eliot"))
            }
            #expect(try await merge(theirs, into: ours, base: base, .ours).isApplied)
            let once = try await titles(ours)
            #expect(once.contains("new"))
            // What became of it later is not undone either.
            try await edit(ours) { try book($0, "new")["title"] = "newer" }
            for decisions in [DocumentMerge.Decisions.ours, .theirs, .refuse] {
                #expect(try await merge(theirs, into: ours, base: base, decisions).isEmpty)
            }
            #expect(try await titles(ours) == once.map { $0 == "new" ? "newer" : $0 }.sorted())
        }
    }

    @Test(arguments: [DocumentForm.archive, .store, .binaryStore])
    func aKeyThatWasGivenTwiceStandsForTwoObjects(_ form: DocumentForm) async throws {
        try await withCopies(form) { ours, theirs in
            let former = try copy(ours, "former")
            func insert(_ title: String, _ pages: Int64, _ url: URL) async throws {
                try await edit(url) {
                    let book = try $0.insert("Book")
                    book["title"] = title
                    try book.setPropertyValue(.int(pages), forKey: "pages")
                }
            }
            try await insert("b", 2, ours)
            let base = try copy(ours, "base")
            _ = try copy(ours, "theirs")
            try await edit(theirs) {
                try object($0, "Author", "name", "Eliot").setPropertyValue(
                    .list([.object(book($0, "b").objectID)]), forKey: "books")
                try book($0, "b")["tags"] = Set([object($0, "Tag", "name", "classic")])
                try book($0, "b").setPropertyValue(.int(20), forKey: "pages")
            }
            // The state before comes back, as by a checkout.
            try FileManager.default.removeItem(at: ours)
            try FileManager.default.copyItem(at: former, to: ours)
            try await insert("c", 3, ours)
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let refused = try await document.merge(theirs, base: .document(base))
                #expect(!refused.isApplied && refused.undecided.map(\.kind) == [.deletedChanged])
                try await document.merge(theirs, base: .document(base), deciding: .theirs)
                #expect(try book(document.context, "c").propertyValue(forKey: "pages") == .int(3))
                #expect(try book(document.context, "b").propertyValue(forKey: "pages") == .int(20))
                try await document.save()
                // Later merges know that they are two.
                let again = try await document.merge(theirs, base: .document(base), deciding: .theirs)
                #expect(again.isEmpty)
            }
        }
    }

    @Test func theObjectOfAKeyThatWasGivenTwiceStaysApartLater() async throws {
        try await withCopies(.archive) { ours, theirs in
            let former = try copy(ours, "former")
            try await edit(ours) { try $0.insert("Book")["title"] = "b" }
            let base = try copy(ours, "base")
            _ = try copy(ours, "theirs")
            try await edit(theirs) { try book($0, "b").setPropertyValue(.int(20), forKey: "pages") }
            try FileManager.default.removeItem(at: ours)
            try FileManager.default.copyItem(at: former, to: ours)
            try await edit(ours) { try $0.insert("Book")["title"] = "c" }
            // It is decided against theirs, which goes on with the object.
            #expect(try await merge(theirs, into: ours, base: base, .ours).isApplied)
            try await edit(theirs) { try book($0, "b").setPropertyValue(.int(30), forKey: "pages") }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(theirs, deciding: .ours)
                #expect(report.changed.isEmpty)
                try await document.save()
                #expect(try book(document.context, "c").propertyValue(forKey: "pages") == .null)
            }
        }
    }

    /// What all new objects have says nothing of which one it is.
    @Test func defaultValuesMakeNoTwoObjectsOne() async throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Note",
                    attributes: [
                        .init("text", .string), .init("rating", .integer64, defaultValue: .int(3)),
                        .init("kind", .string, defaultValue: .string("plain")), .init("done", .boolean),
                    ])
            ])
        try await withCopies(.binaryStore, model: model, filledBy: { try $0.insert("Note")["text"] = "a" }) {
            ours, theirs in
            let former = try copy(ours, "former")
            try await edit(ours) { try $0.insert("Note")["text"] = "b" }
            let base = try copy(ours, "base")
            _ = try copy(ours, "theirs")
            try await edit(theirs) {
                try object($0, "Note", "text", "b").setPropertyValue(.bool(true), forKey: "done")
            }
            try FileManager.default.removeItem(at: ours)
            try FileManager.default.copyItem(at: former, to: ours)
            try await edit(ours) { try $0.insert("Note")["text"] = "c" }
            let report = try await merge(theirs, into: ours, base: base, .refuse)
            #expect(report.undecided.map(\.kind) == [.deletedChanged])
        }
    }

    @Test(arguments: [DocumentForm.archive, .store])
    func anObjectThatWasEditedStaysOne(_ form: DocumentForm) async throws {
        try await withCopies(form) { ours, theirs in
            let base = try copy(ours, "base")
            try await edit(ours) { try book($0, "Essays")["title"] = "Renamed" }
            try await edit(theirs) { try book($0, "Essays").setPropertyValue(.int(7), forKey: "pages") }
            // Of an archive the states say it, of a store its versions of rows don't speak against
            // it.
            let report = try await merge(theirs, into: ours, base: base, .init(undecided: .keep))
            if form == .archive {
                #expect(report.isApplied && report.conflicts.isEmpty && report.changed == ["Book": 1])
            } else {
                // One value, and that is another: nothing says that it is one object.
                #expect(report.undecided.map(\.kind) == [.deletedChanged])
            }
        }
    }
}
