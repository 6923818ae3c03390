import Merging
import DocumentFiles
import DocumentKit
import Foundation
import MergeTriples
import ObjectGraph
import Schema
import TestSupport
import Testing

/// Histories that cross: each of two documents was merged with what the other was, and the base of
/// the next merge is made of both states.
struct MergeCrossingTests: MergesCopies {
    @discardableResult
    fileprivate func merge(
        _ ours: URL, _ theirs: URL, deciding decisions: DocumentMerge.Decisions = .refuse
    ) async throws -> DocumentMerge.Report {
        try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
            let report = try await document.merge(theirs, deciding: decisions)
            try await document.save()
            return report
        }
    }

    /// Merges each of two documents with what the other is.
    fileprivate func cross(_ ours: URL, _ theirs: URL, deciding decisions: DocumentMerge.Decisions = .refuse)
        async throws
    {
        let former = ours.deletingLastPathComponent().appendingPathComponent("former")
        try? FileManager.default.removeItem(at: former)
        try FileManager.default.copyItem(at: ours, to: former)
        try await merge(ours, theirs, deciding: decisions)
        try await merge(theirs, former, deciding: decisions)
    }

    fileprivate func tags(_ url: URL) async throws -> [String] {
        try await DocumentOpening.withDocument(at: url) { try values($0.context, "Tag", "name") }
    }

    fileprivate func delete(_ name: String, in url: URL) async throws {
        try await edit(url) { $0.delete(try object($0, "Tag", "name", name)) }
    }

    @Test(arguments: [1, 2, 6]) func whatOneSideHasDeletedSinceDoesNotComeBack(_ crossings: Int) async throws {
        try await withCopies { ours, theirs in
            let before = try await tags(ours)
            for crossing in 0..<crossings {
                // Both get the same number.
                try await edit(ours) { try $0.insert("Tag")["name"] = "a\(crossing)" }
                try await edit(theirs) { try $0.insert("Tag")["name"] = "b\(crossing)" }
                try await cross(ours, theirs)
            }
            let last = crossings - 1
            try await delete("b\(last)", in: ours)
            try await delete("a\(last)", in: theirs)
            let report = try await merge(ours, theirs)
            #expect(report.base?.contains(" + ") == true && report.conflicts.isEmpty)
            let rest = (0..<last).flatMap { ["a\($0)", "b\($0)"] }
            #expect(try await tags(ours) == (before + rest).sorted())
            try await merge(theirs, ours)
            #expect(try await tags(theirs) == (before + rest).sorted())
            for url in [ours, theirs] { #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty) }
        }
    }

    @Test func whatOneSideHasChangedSinceIsNotThereTwice() async throws {
        try await withCopies { ours, theirs in
            try await edit(ours) { try $0.insert("Book")["title"] = "Ours" }
            try await edit(theirs) { try $0.insert("Book")["title"] = "Theirs" }
            try await cross(ours, theirs)
            try await edit(ours) { try book($0, "Theirs")["title"] = "Theirs, changed here" }
            try await edit(theirs) {
                try book($0, "Theirs")["pages"] = 7
                try book($0, "Ours")["pages"] = 8
            }
            let report = try await merge(ours, theirs)
            #expect(report.conflicts.isEmpty && report.inserted.isEmpty)
            try await DocumentOpening.withDocument(at: ours) { document in
                let titles = try Library.titles(document)
                #expect(titles == ["Essays", "Middlemarch", "Ours", "Theirs, changed here"])
                for (title, pages) in [("Theirs, changed here", 7), ("Ours", 8)] {
                    let value = try book(document.context, title).propertyValue(forKey: "pages")
                    #expect(value == .int(Int64(pages)))
                }
            }
        }
    }

    @Test func decisionsThatContradictEachOtherAreAConflict() async throws {
        try await withCopies { ours, theirs in
            try await edit(ours) { try book($0, "Essays")["title"] = "Mine" }
            try await edit(theirs) { try book($0, "Essays")["title"] = "Yours" }
            try await cross(ours, theirs, deciding: .ours)
            let report = try await merge(ours, theirs)
            let conflict = try #require(report.conflicts.first)
            #expect(report.conflicts.count == 1 && !report.isApplied)
            #expect(conflict.base == .string("Essays"))
            #expect(conflict.ours == .string("Mine") && conflict.theirs == .string("Yours"))
        }
    }

    @Test func whatBothHaveDecidedAlikeIsChangedByOne() async throws {
        try await withCopies { ours, theirs in
            try await edit(ours) { try book($0, "Essays")["title"] = "Mine" }
            try await edit(theirs) { try book($0, "Essays")["title"] = "Yours" }
            let former = ours.deletingLastPathComponent().appendingPathComponent("former")
            try FileManager.default.copyItem(at: ours, to: former)
            try await merge(ours, theirs, deciding: .ours)
            try await merge(theirs, former, deciding: .theirs)
            try await edit(ours) { try book($0, "Mine")["pages"] = 5 }
            let report = try await merge(ours, theirs)
            #expect(report.isEmpty)
        }
    }

}

extension MergeCrossingTests {
    /// Both merge the conflict copy that a synchronizing program has made, and remove it.
    @Test func aCopyThatBothHaveMergedIsPartOfTheBase() async throws {
        try await withCopies { ours, theirs in
            let copy = ours.deletingLastPathComponent().appendingPathComponent("copy")
            try FileManager.default.copyItem(at: ours, to: copy)
            let before = try await tags(ours)
            for (url, name) in [(ours, "a"), (theirs, "b"), (copy, "c")] {
                try await edit(url) {
                    // All get the same numbers.
                    try $0.insert("Tag")["name"] = name
                    let book = try $0.insert("Book")
                    book["title"] = name
                    book["cover"] = Data(repeating: name.utf8.first ?? 0, count: 200_000)
                }
            }
            try await edit(copy) {
                try $0.insert("Tag")["name"] = "d"
                try book($0, "Essays")["title"] = "Essays, changed by the copy"
            }
            for url in [ours, theirs] { try await merge(url, copy) }
            try FileManager.default.removeItem(at: copy)
            try await delete("d", in: ours)
            try await delete("c", in: theirs)
            try await edit(ours) { try book($0, "c")["title"] = "c, changed" }
            try await edit(theirs) { try book($0, "Essays, changed by the copy")["title"] = "Essays again" }
            for (first, second) in [(ours, theirs), (theirs, ours)] {
                let report = try await merge(first, second)
                #expect(report.conflicts.isEmpty)
                try await DocumentOpening.withDocument(at: first) { document in
                    let titles = try Library.titles(document)
                    #expect(titles == ["Essays again", "Middlemarch", "a", "b", "c, changed"])
                }
                #expect(try await tags(first) == (before + ["a", "b"]).sorted())
                #expect(try DocumentVerifier.verify(first, isThorough: true).isEmpty)
            }
        }
    }
}

extension MergeCrossingTests {
    /// What each has done before it merged the copy, or after, is its own.
    @Test func onlyWhatCameWithTheCopyIsPartOfTheBase() async throws {
        try await withCopies { ours, theirs in
            let copy = ours.deletingLastPathComponent().appendingPathComponent("copy")
            try FileManager.default.copyItem(at: ours, to: copy)
            try await edit(copy) { try $0.insert("Tag")["name"] = "c" }
            let before = try await tags(ours)
            // Both have the same idea, and one of them thinks better of it.
            for url in [ours, theirs] { try await edit(url) { try $0.insert("Book")["title"] = "Idea" } }
            try await edit(theirs) { try book($0, "Essays")["pages"] = 2 }
            for url in [ours, theirs] { try await merge(url, copy) }
            try await edit(ours) { $0.delete(try book($0, "Idea")) }
            try await delete("c", in: theirs)
            let report = try await merge(ours, theirs)
            #expect(report.conflicts.isEmpty && report.inserted == ["Book": 1])
            #expect(try await tags(ours) == before)
        }
    }

    /// A value goes there and back before the copy is merged, and the other has taken the first.
    @Test func aValueThatGoesBackBeforeTheCopyComesStaysBack() async throws {
        try await withCopies { ours, theirs in
            let copy = ours.deletingLastPathComponent().appendingPathComponent("copy")
            try FileManager.default.copyItem(at: ours, to: copy)
            try await edit(copy) { try $0.insert("Tag")["name"] = "c" }
            try await edit(theirs) { try book($0, "Essays")["title"] = "There" }
            try await merge(ours, copy)
            try await merge(ours, theirs)
            try await edit(theirs) { try book($0, "There")["title"] = "Essays" }
            try await merge(theirs, copy)
            #expect(try await merge(ours, theirs).conflicts.isEmpty)
            let titles = try await DocumentOpening.withDocument(at: ours) { try Library.titles($0) }
            #expect(titles == ["Essays", "Middlemarch"])
        }
    }

    /// Both link to new objects with one number, of which only one came with the copy.
    @Test func linksToDifferentObjectsOfOneNumberDiffer() async throws {
        try await withCopies { ours, theirs in
            let copy = ours.deletingLastPathComponent().appendingPathComponent("copy")
            try FileManager.default.copyItem(at: ours, to: copy)
            try await edit(copy) { try $0.insert("Author")["name"] = "c" }
            try await edit(theirs) { try $0.insert("Author")["name"] = "b" }
            for (url, name) in [(ours, "c"), (theirs, "b")] {
                let document = try await PersistentDocument.open(url)
                try await document.merge(copy)
                try book(document.context, "Middlemarch")["author"] = try object(
                    document.context, "Author", "name", name)
                try await document.close(.save)
            }
            let report = try await merge(ours, theirs)
            #expect(report.conflicts.map(\.kind) == [.values] && !report.isApplied)
        }
    }

    @Test func oneKeepsWhatTheOtherHasDeletedByADecision() async throws {
        try await withCopies { ours, theirs in
            try await edit(ours) { $0.delete(try book($0, "Essays")) }
            try await edit(theirs) { try book($0, "Essays")["title"] = "Kept" }
            let former = ours.deletingLastPathComponent().appendingPathComponent("former")
            try FileManager.default.copyItem(at: ours, to: former)
            try await merge(ours, theirs, deciding: .ours)
            try await merge(theirs, former, deciding: .ours)
            // Nobody knows that the two have decided differently, and nothing is lost.
            try await merge(theirs, ours, deciding: .ours)
            let titles = try await DocumentOpening.withDocument(at: theirs) { try Library.titles($0) }
            #expect(titles == ["Kept", "Middlemarch"])
        }
    }

}

extension MergeCrossingTests {
    /// A third copy knows the deleted object by the key, and would take the other object for it.
    @Test func theKeyOfADeletedObjectIsNotGivenToANewOne() async throws {
        try await withCopies { ours, theirs in
            let third = ours.deletingLastPathComponent().appendingPathComponent("third")
            try await edit(ours) { try $0.insert("Tag")["name"] = "deleted" }
            try FileManager.default.copyItem(at: ours, to: third)
            try await delete("deleted", in: ours)
            try await edit(theirs) { try $0.insert("Tag")["name"] = "new there" }
            let report = try await merge(ours, theirs)
            #expect(report.inserted == ["Tag": 1] && report.renumbered.count == 1)
            try await edit(third) { try object($0, "Tag", "name", "deleted")["name"] = "changed" }
            let conflicts = try await merge(ours, third).conflicts
            #expect(conflicts.map(\.kind) == [.deletedChanged])
            #expect(try await tags(ours).contains("new there"))
        }
    }

    /// Large values of both, and links between what came from each side.
    @Test(arguments: [UInt64](1...sweep(2, all: 8))) func documentsThatCrossBecomeOne(_ seed: UInt64) async throws {
        try await withCopies(model: MergeFixture.model(), filledBy: { _ in }) { ours, theirs in
            var random = SplitMix(state: seed)
            func edit(_ url: URL, _ count: Int) async throws {
                try await DocumentOpening.withDocument(at: url, mode: .editing) { document in
                    try MergeFixture.edit(document.context, &random, count: count)
                    let books = try MergeFixture.objects(document.context, "Book")
                    if let book = books.randomElement(using: &random) {
                        book["cover"] = Data(repeating: UInt8.random(in: 0...255, using: &random), count: 200_000)
                    }
                    try await document.save()
                }
            }
            try await edit(ours, 30)
            try await merge(theirs, ours, deciding: .theirs)
            for round in 0..<3 {
                try await edit(ours, 5)
                try await edit(theirs, 5)
                try await cross(ours, theirs, deciding: .ours)
                try await edit(ours, 3)
                try await edit(theirs, 3)
                try await merge(ours, theirs, deciding: .ours)
                try await merge(theirs, ours, deciding: .ours)
                let worlds = [
                    try await DocumentOpening.withDocument(at: ours) { try MergeFixture.world($0.context) },
                    try await DocumentOpening.withDocument(at: theirs) { try MergeFixture.world($0.context) },
                ]
                #expect(worlds[0].shape() == worlds[1].shape(), "\(round): \(worlds[0].differences(worlds[1]))")
                for world in worlds { #expect(try world.objections(MergeFixture.model()).isEmpty) }
                for url in [ours, theirs] { #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty) }
            }
        }
    }
}
