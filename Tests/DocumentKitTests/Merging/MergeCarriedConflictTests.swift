import Merging
import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Schema
import TestSupport
import Testing

/// Conflicts that the other document has not decided.
struct MergeCarriedConflictTests: MergesCopies {
    private func merge(_ ours: URL, _ theirs: URL) async throws -> DocumentMerge.Report {
        try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
            let report = try await document.merge(theirs, deciding: .init(undecided: .keep))
            try await document.save()
            return report
        }
    }

    private func undecided(_ url: URL) async throws -> [DocumentMerge.Conflict] {
        try await DocumentOpening.withDocument(at: url) { try await $0.undecidedConflicts() }
    }

    /// Theirs has a new object and a book with a conflict each, among others that it shares.
    private func withConflicts(_ body: (_ ours: URL, _ theirs: URL) async throws -> Void) async throws {
        try await withCopies { ours, theirs in
            let third = ours.deletingLastPathComponent().appendingPathComponent("third")
            try await edit(theirs) { try $0.insert("Tag")["name"] = "new" }
            try FileManager.default.copyItem(at: theirs, to: third)
            for (url, text) in [(theirs, "there"), (third, "elsewhere")] {
                try await edit(url) { context in
                    try book(context, "Essays")["title"] = text
                    try object(context, "Tag", "name", "new")["name"] = text
                }
            }
            #expect(try await merge(theirs, third).undecided.count == 2)
            // So that the new object gets another key.
            try await edit(ours) { try $0.insert("Tag")["name"] = "ours" }
            try await body(ours, theirs)
        }
    }

    @Test func theyAreOursFromThenOn() async throws {
        try await withConflicts { ours, theirs in
            let report = try await merge(ours, theirs)
            #expect(report.isApplied && report.undecided.isEmpty && report.renumbered.count == 1)
            let tag = try #require(report.renumbered.first?.ours)
            let names = report.carried.map(\.name)
            #expect(names.count == 2 && names.contains("\(tag).name"))
            let left = try await undecided(ours)
            #expect(left.map(\.name).sorted() == names.sorted())
            #expect(left.allSatisfy { $0.ours == .string("there") && $0.theirs == .string("elsewhere") })
            try await DocumentOpening.withDocument(at: ours, mode: .editing) { document in
                try await document.settleConflicts(
                    Dictionary(uniqueKeysWithValues: names.map { ($0, $0 == "\(tag).name" ? .theirs : .ours) }))
                #expect(try values(document.context, "Tag", "name").contains("elsewhere"))
                #expect(try book(document.context, "there")["title"] as? String == "there")
                // Nothing is decided where one of the names is wrong.
                await #expect(throws: DocumentError.self) {
                    try await document.settleConflicts(["Book/p999.title": .ours])
                }
                try await document.save()
            }
            // What ours has decided does not come again.
            try await edit(theirs) { try book($0, "Middlemarch")["title"] = "More" }
            #expect(try await merge(ours, theirs).carried.isEmpty)
            #expect(try await undecided(ours).isEmpty)
        }
    }

    /// Where ours has changed the same, the conflict is one of this merge.
    @Test func whatOursHasChangedIsAConflictOfItsOwn() async throws {
        try await withConflicts { ours, theirs in
            try await edit(ours) { try book($0, "Essays")["title"] = "ours" }
            let report = try await merge(ours, theirs)
            #expect(report.undecided.count == 1 && report.carried.count == 1)
            let conflict = try await undecided(ours).first { $0.object.hasPrefix("Book") }
            #expect(conflict?.ours == .string("ours") && conflict?.theirs == .string("there"))
        }
    }
}
