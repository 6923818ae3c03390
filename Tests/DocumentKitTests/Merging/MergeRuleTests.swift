import Merging
import DocumentFiles
import DocumentKit
import Foundation
import MergeTriples
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// Merges whose result would violate rules of the model.
struct MergeRuleTests: MergesCopies {
    /// Books need an author, shelves a book, and the names of tags are unique.
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Author", attributes: [.init("name", .string)],
                    relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
                EntityDefinition(
                    "Book", attributes: [.init("title", .string)],
                    relationships: [
                        .init("author", to: "Author", inverse: "books", isOptional: false),
                        .init("shelf", to: "Shelf", inverse: "books"),
                    ]),
                EntityDefinition(
                    "Shelf", attributes: [.init("label", .string)],
                    relationships: [
                        .init("books", to: "Book", inverse: "shelf", minCount: 1, maxCount: 0, isOptional: false)
                    ]),
                EntityDefinition(
                    "Tag", attributes: [.init("name", .string)], uniquenessConstraints: [["name"]]),
            ], versionIdentifiers: ["1"])
    }

    /// An author without books, another one with two books on a shelf, and a tag.
    private static func fill(_ context: ManagedObjectContext) throws {
        let idle = try context.insert("Author"), author = try context.insert("Author")
        idle["name"] = "Idle"
        author["name"] = "Eliot"
        let shelf = try context.insert("Shelf")
        shelf["label"] = "first"
        for title in ["One", "Two"] {
            let book = try context.insert("Book")
            book["title"] = title
            book["author"] = author
            book["shelf"] = shelf
        }
        try context.insert("Tag")["name"] = "a"
    }

    private func withShelf(_ form: DocumentForm = .package, _ body: (URL, URL) async throws -> Void) async throws {
        try await withCopies(form, model: Self.model(), filledBy: Self.fill, body)
    }

    /// A conflict of which the decision leaves a new object of theirs without what it needs.
    @Test(.timeLimit(.minutes(2))) func aNewObjectThatLosesWhatItNeedsIsLeftOut() async throws {
        try await withShelf { ours, theirs in
            try await edit(ours) { context in
                context.delete(try object(context, "Author", "name", "Idle"))
                let book = try context.insert("Book")
                book["title"] = "Ours"
                book["author"] = try object(context, "Author", "name", "Eliot")
            }
            try await edit(theirs) { context in
                let book = try context.insert("Book")
                book["title"] = "Theirs"
                book["author"] = try object(context, "Author", "name", "Idle")
            }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(theirs, deciding: .ours)
                #expect(report.isApplied && report.conflicts.map(\.kind) == [.deletedChanged, .rule])
                #expect(try values(document.context, "Book", "title") == ["One", "Ours", "Two"])
                try await document.save()
            }
            #expect(try DocumentVerifier.verify(ours, isThorough: true).isEmpty)
        }
    }

    /// Ours takes one book from the shelf, theirs deletes the other one and a tag.
    private func emptyShelf(_ ours: URL, _ theirs: URL) async throws {
        try await edit(ours) { context in
            try object(context, "Book", "title", "One")["shelf"] = nil as ManagedObject?
        }
        try await edit(theirs) { context in
            context.delete(try object(context, "Book", "title", "Two"))
            context.delete(try object(context, "Tag", "name", "a"))
        }
    }
}

extension MergeRuleTests {
    @Test func onlyDeletionsThatViolateARuleAreKeptAndEachIsAConflict() async throws {
        try await withShelf { ours, theirs in
            try await emptyShelf(ours, theirs)
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(theirs, deciding: .keep)
                #expect(report.isApplied && report.deleted == ["Tag": 1], "\(report)")
                #expect(
                    Set(report.undecided.map { "\($0.kind) \($0.name)" }) == [
                        "rule Shelf/p1.books", "deletedChanged Book/p2",
                    ])
                #expect(try values(document.context, "Book", "title") == ["One", "Two"])
                let shelf = try object(document.context, "Book", "title", "Two")["shelf"] as? ManagedObject
                #expect(shelf?["label"] as? String == "first")
                #expect(try values(document.context, "Tag", "name").isEmpty)
                // Each can be decided later.
                for name in ["Book/p2", "Shelf/p1.books"] { try await document.settleConflict(name, .ours) }
                let left = try await document.undecidedConflicts()
                #expect(left.isEmpty)
                try await document.save()
            }
        }
    }

    @Test func deletionsAreNotKeptWithoutADecision() async throws {
        try await withShelf { ours, theirs in
            try await emptyShelf(ours, theirs)
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let refused = try await document.merge(theirs)
                #expect(!refused.isApplied && refused.undecided.map(\.name) == ["Shelf/p1.books"])
                // The rule is decided for ours; that the book stays is not.
                let half = try await document.merge(
                    theirs, deciding: DocumentMerge.Decisions(choices: ["Shelf/p1.books": .ours]))
                #expect(!half.isApplied && half.undecided.map(\.name) == ["Book/p2"], "\(half)")
                #expect(!document.hasUnsavedChanges)
                let byTheirs = try await document.merge(theirs, deciding: .theirs)
                #expect(!byTheirs.isApplied && byTheirs.undecided.isEmpty && !byTheirs.conflicts.isEmpty)
                #expect(!document.hasUnsavedChanges)
                let choices: [String: DocumentMerge.Choice] = ["Shelf/p1.books": .ours, "Book/p2": .ours]
                let report = try await document.merge(theirs, deciding: DocumentMerge.Decisions(choices: choices))
                #expect(report.isApplied && report.deleted == ["Tag": 1])
            }
        }
    }

    @Test func whatAConstraintLeftOutIsFoundByTheNextMerge() async throws {
        try await withShelf { ours, theirs in
            try await edit(ours) { try object($0, "Tag", "name", "a")["name"] = "b" }
            try await edit(theirs) { try $0.insert("Tag")["name"] = "b" }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(theirs, deciding: .keep)
                #expect(report.isApplied && report.undecided.map(\.kind) == [.unique])
                try await document.save()
                try object(document.context, "Tag", "name", "b")["name"] = "c"
                try await document.settleConflict(report.undecided[0].name, .ours)
                try await document.save()
                let again = try await document.merge(theirs)
                #expect(again.isApplied && again.inserted == ["Tag": 1], "\(again)")
                #expect(try values(document.context, "Tag", "name") == ["b", "c"])
                try await document.save()
                #expect(try await document.merge(theirs).isEmpty)
            }
        }
    }
}

extension MergeRuleTests {
    @Test func whatWasDecidedAgainstIsKnown() async throws {
        try await withShelf { ours, theirs in
            try await edit(ours) { try object($0, "Tag", "name", "a")["name"] = "b" }
            try await edit(theirs) { try $0.insert("Tag")["name"] = "b" }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                #expect(try await document.merge(theirs, deciding: .ours).isApplied)
                try await document.save()
                let again = try await document.merge(theirs)
                #expect(again.isApplied && again.isEmpty && again.conflicts.isEmpty)
            }
        }
    }

    @Test func onlyAttributesAreDecidedByValues() async throws {
        try await withShelf { ours, theirs in
            for (url, name) in [(ours, "x"), (theirs, "y")] {
                try await edit(url) { context in
                    let author = try context.insert("Author")
                    author["name"] = name
                    try object(context, "Book", "title", "One")["author"] = author
                    try object(context, "Book", "title", "Two")["title"] = name
                    try context.insert("Tag")["name"] = name
                }
            }
            try await edit(ours) { try object($0, "Tag", "name", "a")["name"] = "y" }
            try await edit(theirs) { $0.delete(try object($0, "Book", "title", "y")) }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(theirs)
                #expect(report.undecided.map(\.kind) == [.deletedChanged, .unique, .values], "\(report.undecided)")
                for conflict in report.undecided {
                    let decisions = DocumentMerge.Decisions(
                        policy: .ours, choices: [conflict.name: .value(.string("z"))])
                    await #expect {
                        try await document.merge(theirs, deciding: decisions)
                    } throws: {
                        ($0 as? DocumentError)?.code == .usage
                            && ($0 as? DocumentError)?.message.contains(conflict.name) == true
                    }
                }
                await #expect {
                    try await document.merge(theirs, deciding: DocumentMerge.Decisions(policy: .value(.null)))
                } throws: {
                    ($0 as? DocumentError)?.code == .usage
                }
                #expect(!document.hasUnsavedChanges)
            }
        }
    }
}

extension MergeRuleTests {
    @Test func aValueThatTheModelForbidsDecidesNothing() async throws {
        let model = try ManagedObjectModel(
            entities: [EntityDefinition("Note", attributes: [.init("text", .string, isOptional: false)])])
        try await withCopies(model: model, filledBy: { try $0.insert("Note")["text"] = "old" }) { ours, theirs in
            try await edit(ours) { try object($0, "Note", "text", "old")["text"] = "ours" }
            try await edit(theirs) { try object($0, "Note", "text", "old")["text"] = "theirs" }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let name = try #require(try await document.merge(theirs).undecided.first?.name)
                await #expect {
                    try await document.merge(theirs, deciding: .init(policy: .ours, choices: [name: .value(.null)]))
                } throws: {
                    ($0 as? ValidationError)?.code == .missingMandatoryProperty
                }
                #expect(!document.hasUnsavedChanges)
            }
        }
    }
}

// MARK: Bases with conflicts

extension MergeRuleTests {
    private func fill(_ context: ManagedObjectContext, _ word: String) throws {
        let known = try context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first
        let author = try known ?? context.insert("Author")
        author["name"] = "Name \(word)"
        try author.setPropertyValue(
            .composite(["city": .string("City \(word)"), "country": .string("Country")]), forKey: "place")
    }

    /// As git makes the base of histories that cross.
    @Test func whatABaseKeepsUndecidedIsAConflictAgain() async throws {
        try await withCopies(.archive, model: MergeFixture.model(), filledBy: { try fill($0, "before") }) {
            ours, theirs in
            let folder = ours.deletingLastPathComponent(), before = folder.appendingPathComponent("before")
            try FileManager.default.copyItem(at: ours, to: before)
            try await edit(ours) { try fill($0, "ours") }
            try await edit(theirs) { try fill($0, "theirs") }
            for (first, other) in [(ours, theirs), (theirs, ours)] {
                let base = folder.appendingPathComponent("base of \(first.lastPathComponent)")
                try FileManager.default.copyItem(at: first, to: base)
                try await DocumentOpening.withDocument(at: base, mode: .editing) { document in
                    #expect(try await document.merge(other, base: .document(before), deciding: .keep).isApplied)
                    try await document.save()
                }
                let document = try await PersistentDocument.open(ours)
                let report = try await document.merge(theirs, base: .document(base))
                #expect(report.conflicts.map(\.name).sorted() == ["Author/p1.name", "Author/p1.place.city"])
                #expect(
                    report.conflicts.map { "\($0.base)" }.sorted()
                        == ["City before", "Name before"].map { "\(PropertyValue.string($0))" })
                try await document.close(.discard)
            }
        }
    }
}

extension MergeRuleTests {
    /// Both sides fill a list that has a maximum, by what they did to its members.
    @Test(.timeLimit(.minutes(2))) func aListThatBothSidesOverfillKeepsWhatOursHas() async throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Team", attributes: [.init("name", .string)],
                    relationships: [.init("members", to: "Person", inverse: "team", maxCount: 2)]),
                EntityDefinition(
                    "Person", attributes: [.init("name", .string)],
                    relationships: [.init("team", to: "Team", inverse: "members")]),
            ], versionIdentifiers: ["1"])
        func join(_ name: String, _ context: ManagedObjectContext) throws {
            let person = try context.insert("Person")
            person["name"] = name
            person["team"] = try object(context, "Team", "name", "Fram")
        }
        let fill: (ManagedObjectContext) throws -> Void = { context in
            try context.insert("Team")["name"] = "Fram"
            try join("Nansen", context)
        }
        try await withCopies(.package, model: model, filledBy: fill) { ours, theirs in
            try await edit(ours) { try join("Johansen", $0) }
            try await edit(theirs) { try join("Sverdrup", $0) }
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                let report = try await document.merge(theirs, deciding: .ours)
                #expect(report.isApplied && report.conflicts.map(\.kind) == [.rule], "\(report.conflicts)")
                #expect(try values(document.context, "Person", "name") == ["Johansen", "Nansen", "Sverdrup"])
                let team = try object(document.context, "Team", "name", "Fram")
                let members = (team["members"] as? Set<ManagedObject> ?? []).compactMap { $0["name"] as? String }
                #expect(members.sorted() == ["Johansen", "Nansen"])
                try await document.save()
            }
        }
    }
}
