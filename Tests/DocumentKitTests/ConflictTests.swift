import Merging
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Synchronization
import TestSupport
import Testing

/// Another program has put another state in the document's place while edits here were unsaved:
/// what each way to settle that leaves.
struct ConflictTests {
    /// Both sides come from one saved state; `mine` and `theirs` edit it, mine is open, theirs is
    /// in its place, and the conflict was noticed.
    private func withConflict(
        _ form: DocumentForm = .package, mine: (PersistentDocument) async throws -> Void,
        theirs: (PersistentDocument) async throws -> Void,
        _ body: (_ document: PersistentDocument, _ url: URL) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), other = folder.appendingPathComponent("other")
            let first = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
            try Library.fill(first.context)
            for number in 1...4 { try Library.insertBook("book \(number)", first) }
            try await first.save()
            try await first.close()
            try Disk.copyTree(url.path, to: other.path)
            let outside = try await PersistentDocument.open(other)
            try await theirs(outside)
            try await outside.save()
            try await outside.close()

            let document = try await PersistentDocument.open(url)
            document.context.undoManager = UndoManager()
            try await mine(document)
            try Disk.exchange(url.path, other.path)
            try Disk.removeTree(other.path)
            #expect(await document.checkForOutsideChanges() == .conflict)
            try await body(document, url)
            if document.isOpen { try await document.close(.discard) }
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    private func book(_ title: String, _ document: PersistentDocument) throws -> ManagedObject {
        try #require(
            try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first {
                $0["title"] as? String == title
            })
    }

    private func author(_ document: PersistentDocument) throws -> ManagedObject {
        try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
    }

    private func authorsBooks(_ document: PersistentDocument) throws -> [String] {
        (try author(document)["books"] as? [ManagedObject] ?? []).compactMap { $0["title"] as? String }
    }

    private static let forms = [DocumentForm.package, .archive, .binaryStore]

    @Test(arguments: forms) func aMergePutsTheEditsOfBothSidesTogether(_ form: DocumentForm) async throws {
        try await withConflict(
            form,
            mine: { document in
                let changed = try book("book 1", document)
                changed["pages"] = 11
                changed["cover"] = Library.cover
                if form == .package || form == .archive { try await document.autosave() }
                document.context.delete(try book("book 2", document))
                let new = try document.context.insert("Novel")
                new["title"] = "new here"
                new["author"] = try author(document)
                new["tags"] = Set(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")))
                new["similar"] = Set([changed])
            },
            theirs: { document in
                try book("book 1", document)["title"] = "renamed there"
                document.context.delete(try book("book 3", document))
                let new = try document.context.insert("Book")
                new["title"] = "new there"
                new["author"] = try author(document)
                new["tags"] = Set(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")))
            }
        ) { document, url in
            let outcome = try await document.resolveConflict(.merge(.error))
            #expect(outcome.clashes.isEmpty && outcome.copy == nil)
            #expect(document.hasUnsavedChanges && document.outsideChange == nil)
            func check(_ document: PersistentDocument) throws {
                #expect(
                    try Library.titles(document) == [
                        "Essays", "Middlemarch", "book 4", "new here", "new there", "renamed there",
                    ])
                let both = try book("renamed there", document)
                #expect(both["pages"] as? Int == 11)
                #expect(try (both["cover"] as? LargeValue)?.data() == Library.cover)
                #expect(try Set(authorsBooks(document)) == ["Middlemarch", "Essays", "new here", "new there"])
                let tag = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).first)
                #expect(
                    Set((tag["books"] as? Set<ManagedObject> ?? []).compactMap { $0["title"] as? String }) == [
                        "Middlemarch", "new here", "new there",
                    ])
                #expect((both["similar"] as? Set<ManagedObject>)?.count == 1)
            }
            try check(document)
            // One step of undo takes the merge back and leaves what the other program has saved.
            document.context.undo()
            #expect(
                try Library.titles(document) == [
                    "Essays", "Middlemarch", "book 2", "book 4", "new there", "renamed there",
                ])
            document.context.redo()
            try check(document)
            try await document.save()
            try await document.close()
            let again = try await PersistentDocument.open(url, mode: .reading)
            try check(again)
            try await again.close()
        }
    }
}

extension ConflictTests {
    @Test(arguments: [
        MergePolicyType.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback, .error,
    ])
    func whatClashesIsDecidedByThePolicyAndTold(_ policy: MergePolicyType) async throws {
        try await withConflict(
            mine: { document in
                let both = try book("book 1", document)
                both["title"] = "mine"
                both["pages"] = 1
                try book("book 2", document)["title"] = "changed here"
                document.context.delete(try book("book 3", document))
                try book("book 4", document)["title"] = "alike"
            },
            theirs: { document in
                let both = try book("book 1", document)
                both["title"] = "theirs"
                both["cover"] = Library.cover
                document.context.delete(try book("book 2", document))
                try book("book 3", document)["title"] = "changed there"
                try book("book 4", document)["title"] = "alike"
            }
        ) { document, _ in
            if policy == .error {
                do {
                    try await document.resolveConflict(.merge(.error))
                    Issue.record("merged")
                } catch let error as GraphError {
                    #expect(error.code == .conflict && error.conflicts.count == 3)
                    let titles = error.conflicts.first { !$0.objectSnapshot.isEmpty }
                    #expect(
                        titles?.objectSnapshot["title"] == .string("book 1")
                            && titles?.persistedSnapshot?["title"] == .string("theirs"))
                }
                // Nothing was done: it can be settled in another way.
                #expect(document.outsideChange == .conflict)
                #expect(try Library.titles(document).contains("mine"))
                #expect(try document.versions().allSatisfy { $0.reason != .conflict })
                return
            }
            let outcome = try await document.resolveConflict(.merge(policy))
            let isMine = policy == .mergeByPropertyObjectTrump || policy == .overwrite
            #expect(outcome.clashes.count == 3 && outcome.clashes.allSatisfy { $0.isMineKept == isMine })
            let clash = try #require(outcome.clashes.first { $0.property == "title" })
            #expect(
                clash.saved == .string("book 1") && clash.mine == .string("mine") && clash.theirs == .string("theirs"))
            let titles = try Library.titles(document)
            #expect(
                titles
                    == (isMine
                        ? ["Essays", "Middlemarch", "alike", "changed here", "mine"]
                        : ["Essays", "Middlemarch", "alike", "changed there", "theirs"]))
            let both = try book(isMine ? "mine" : "theirs", document)
            #expect(both["pages"] as? Int == (policy == .rollback ? nil : 1))
            #expect((both["cover"] == nil) == (policy == .overwrite))
            try await document.save()
        }
    }

    @Test func whatWasOpenHereBecomesAVersionWhateverIsChosen() async throws {
        for resolution in [ConflictResolution.takeTheirs, .merge(.mergeByPropertyStoreTrump)] {
            try await withConflict(
                mine: { document in
                    try Library.insertBook("mine", document)
                    try await document.autosave()
                    try book("book 1", document)["cover"] = Library.cover
                    // Invalid, which a version may be.
                    try document.context.insert("Author")
                },
                theirs: { document in
                    for title in ["theirs", "theirs too"] {
                        try Library.insertBook(title, document)
                        try await document.save()
                    }
                }
            ) { document, url in
                let before = try document.versions(),
                    theirs = try Disk.read(url.path + "/store/store.sqlite", limit: 1 << 30)
                let version = try #require(try await document.resolveConflict(resolution).version)
                #expect(version.reason == .conflict)
                let versions = try document.versions()
                #expect(versions.dropLast().map(\.generation) == before.map(\.generation) && versions.last == version)
                // Nothing of the other program's state was touched.
                #expect(try Disk.read(url.path + "/store/store.sqlite", limit: 1 << 30) == theirs)
                #expect(try Library.titles(document).contains("theirs too"))
                #expect(try Library.titles(document).contains("mine") == (resolution != .takeTheirs))
                func titles(_ generation: Int) async throws -> [String] {
                    let old = try await PersistentDocument.open(url, version: generation)
                    let titles = try Library.titles(old)
                    if generation == version.generation {
                        let cover = try old.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).compactMap {
                            $0["title"] as? String == "book 1" ? $0["cover"] as? LargeValue : nil
                        }
                        #expect(try cover.first?.data() == Library.cover)
                    }
                    try await old.close()
                    return titles
                }
                if resolution != .takeTheirs {
                    for object in try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author"))
                    where object["name"] == nil { document.context.delete(object) }
                } else {
                    try Library.insertBook("next", document)
                }
                try await document.save()
                // Later generations don't take its number.
                #expect(document.manifest?.generation == version.generation + 1)
                #expect(try await titles(version.generation).contains("mine"))
                #expect(try await titles(2).contains("theirs"))
                #expect(try await titles(1) == ["Essays", "Middlemarch", "book 1", "book 2", "book 3", "book 4"])
                for version in try document.versions() { _ = try await titles(version.generation) }
                // It can be taken up again, and everything before it is still there.
                try await document.revert(to: version)
                #expect(try Library.titles(document).contains("mine") && !Library.titles(document).contains("theirs"))
                for version in try document.versions() { _ = try await titles(version.generation) }
                try document.removeVersions(try document.versions().filter { $0.reason == .conflict })
                #expect(try await titles(1).count == 6)
                try await document.close()
            }
        }
    }
}

extension ConflictTests {
    @Test func aStoreByItselfKeepsWhatGaveWayAsACopy() async throws {
        try await withConflict(
            .store, mine: { try Library.insertBook("mine", $0) }, theirs: { try Library.insertBook("theirs", $0) }
        ) { document, _ in
            do {
                try await document.resolveConflict(.merge(.mergeByPropertyObjectTrump))
                Issue.record("merged")
            } catch let error as DocumentError {
                #expect(error.code == .unsupported)
            }
            let copy = try #require(try await document.resolveConflict(.keepMineAsCopy(at: nil)).copy)
            let mine = try await PersistentDocument.open(copy, mode: .reading)
            #expect(try Library.titles(mine).contains("mine"))
            try await mine.close()
        }
    }

    @Test func aMergeWithAnotherDocumentIsRefusedAndTheConflictStays() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), other = folder.appendingPathComponent("B.folio")
            try await PersistentDocument.writeEmpty(at: other, model: Library.model())
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            await #expect(throws: DocumentError.self) { try await document.resolveConflict(.takeTheirs) }
            try Library.insertBook("mine", document)
            try Disk.exchange(url.path, other.path)
            #expect(await document.checkForOutsideChanges() == .conflict)
            do {
                try await document.resolveConflict(.merge(.mergeByPropertyObjectTrump))
                Issue.record("merged")
            } catch let error as DocumentError {
                #expect(error.code == .unsupported && error.hint != nil)
            }
            #expect(document.outsideChange == .conflict)
            #expect(try Library.titles(document) == ["mine"])
            // Even a document of its own keeps what gave way to it.
            let version = try #require(try await document.resolveConflict(.takeTheirs).version)
            #expect(try Library.titles(document).isEmpty)
            try await document.revert(to: version)
            #expect(try Library.titles(document) == ["mine"])
            try await document.close()
        }
    }

    @Test(arguments: [DocumentForm.package, .archive]) func aCopyOfMineHasUniqueValuesThatTwoObjectsHave(
        _ form: DocumentForm
    ) async throws {
        try await withFolder { folder in
            let model = try ManagedObjectModel(
                entities: [
                    EntityDefinition(
                        "Person", attributes: [.init("name", .string), .init("code", .string)],
                        uniquenessConstraints: [["code"]])
                ],
                versionIdentifiers: ["1"])
            let url = folder.appendingPathComponent("A.folio"), other = folder.appendingPathComponent("B.folio")
            for place in [url, other] { try await PersistentDocument.writeEmpty(at: place, model: model, form: form) }
            let document = try await PersistentDocument.open(url)
            func insert(_ name: String, _ code: String) throws {
                let person = try document.context.insert("Person")
                (person["name"], person["code"]) = (name, code)
            }
            try insert("Ada", "A")
            try insert("Eve", "A")
            try await document.autosave()
            #expect(document.pendingUniqueValues.count == 2)
            try insert("Bob", "A")
            try Disk.exchange(url.path, other.path)
            try Disk.removeTree(other.path)
            #expect(await document.checkForOutsideChanges() == .conflict)
            let copy = try #require(try await document.resolveConflict(.keepMineAsCopy(at: nil)).copy)
            try await document.close()
            let mine = try await PersistentDocument.open(copy)
            let people = try mine.context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
            #expect(people.map { $0["code"] as? String } == ["A", "A", "A"])
            #expect(mine.pendingUniqueValues.count == 3)
            people[0]["name"] = "changed"
            await #expect(throws: GraphError.self) { try await mine.save() }
            for (number, person) in people.enumerated() { person["code"] = "\(number)" }
            try await mine.save()
            #expect(mine.pendingUniqueValues.isEmpty)
            try await mine.close()
            #expect(try DocumentVerifier.verify(copy, isThorough: true).isEmpty)
        }
    }
}

extension ConflictTests {
    /// Fails the system call of a number, and the same kind of call from then on where it is to
    /// fail for ever.
    private final class OneFault: Sendable {
        private let number: Int, lasts: Bool
        private let calls = Atomic<Int>(0)

        init(_ number: Int, lasts: Bool) { (self.number, self.lasts) = (number, lasts) }

        var wasReached: Bool { calls.load(ordering: .relaxed) >= number }

        func ask() -> Fault? {
            let call = calls.add(1, ordering: .relaxed).newValue
            return call == number || (lasts && call > number) ? .error(EIO) : nil
        }
    }

    @Test(.enabled(if: runsSweeps), arguments: [DocumentForm.package, .archive, .binaryStore], [false, true])
    func aMergeThatFailsLosesNoEdit(
        _ form: DocumentForm, lasts: Bool
    ) async throws {
        var failures = 0
        // Each part of a merge makes more calls than that; a prime meets them all in turn.
        for number in stride(from: 1, through: 10_000, by: 37) {
            let fault = OneFault(number, lasts: lasts)
            try await withConflict(
                form,
                mine: { document in
                    try Library.insertBook("mine", document)
                    if form != .binaryStore { try await document.autosave() }
                },
                theirs: { try Library.insertBook("theirs", $0) }
            ) { document, url in
                var failure: (any Error)?
                do {
                    try await FaultInjection.with({ _, _ in fault.ask() }) {
                        _ = try await document.resolveConflict(.merge(.mergeByPropertyObjectTrump))
                    }
                } catch { failure = error }
                failures += failure == nil ? 0 : 1
                let isHere = document.isOpen ? try Library.titles(document).contains("mine") : false
                if failure == nil { #expect(isHere && document.outsideChange == nil, "call \(number)") }
                func hasMine(_ open: () async throws -> PersistentDocument) async throws -> Bool {
                    let kept = try await open()
                    let titles = try Library.titles(kept)
                    try await kept.close()
                    return titles.contains("mine")
                }
                if !isHere {
                    let folder = url.deletingLastPathComponent()
                    var isKept = false
                    for entry in try Disk.list(folder.path) where entry.name.hasPrefix("A (conflict") {
                        isKept =
                            try await hasMine {
                                try await PersistentDocument.open(
                                    folder.appendingPathComponent(entry.name), mode: .reading)
                            } || isKept
                    }
                    if form == .package {
                        let now = try await PersistentDocument.open(url, mode: .reading), versions = try now.versions()
                        try await now.close()
                        for version in versions where version.reason == .conflict {
                            isKept =
                                try await hasMine {
                                    try await PersistentDocument.open(url, version: version.generation)
                                } || isKept
                        }
                    }
                    #expect(isKept, "call \(number): \(String(describing: failure))")
                }
                if document.isOpen { try await document.close(.discard) }
                let after = try await PersistentDocument.open(url, mode: .reading)
                #expect(try Library.titles(after).contains("theirs"), "call \(number)")
                try await after.close()
            }
            if !fault.wasReached { break }
        }
        #expect(failures > 0)
    }
}

extension ConflictTests {
    /// Fails every reading once the edits are kept: then the other state can't be read, or not be
    /// edited.
    @Test(arguments: [DocumentForm.package, .archive, .binaryStore]) func theErrorSaysWhereTheEditsAre(
        _ form: DocumentForm
    ) async throws {
        try await withConflict(
            form, mine: { try Library.insertBook("mine", $0) }, theirs: { try Library.insertBook("theirs", $0) }
        ) { document, url in
            let isKept = Atomic<Bool>(false)
            let hook: FaultInjection.Hook = { call, path in
                if [.rename, .exchange].contains(call),
                    path.contains("/versions/index.json") || path.contains("A (conflict)")
                {
                    isKept.store(true, ordering: .relaxed)
                }
                return call == .read && isKept.load(ordering: .relaxed) && path.hasPrefix(url.path) ? .error(EIO) : nil
            }
            do {
                try await FaultInjection.with(hook) {
                    _ = try await document.resolveConflict(.merge(.mergeByPropertyObjectTrump))
                }
                Issue.record("merged")
            } catch let error as DocumentError {
                #expect(error.code == .changed)
                #expect(
                    error.hint?.hasPrefix(form == .package ? "they are version " : "they are in ") == true, "\(error)")
            }
        }
    }
}
