import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import Synchronization
import TestSupport
import Testing

/// Every system call of an operation fails once: the document is then as it was or as it was to be,
/// opens without help, and nothing is left lying about.
@Suite(.serialized) struct FaultTests {
    /// Lets the n-th call fail that may.
    private final class Fuse: Sendable {
        private let count = Atomic<Int>(0)
        private let nth: Int
        private let errno: Int32
        private let fired = Atomic<Bool>(false)
        var hasFired: Bool { fired.load(ordering: .sequentiallyConsistent) }

        init(_ nth: Int, _ errno: Int32) {
            self.nth = nth
            self.errno = errno
        }

        func ask(_ call: SystemCall, _ path: String) -> Fault? {
            guard count.add(1, ordering: .sequentiallyConsistent).newValue == nth else { return nil }
            fired.store(true, ordering: .sequentiallyConsistent)
            return .error(errno)
        }
    }

    private static let inputOutput: Int32 = 5
    private static let noSpace: Int32 = 28

    /// Runs an operation on fresh documents, failing one call after the other, until none is left
    /// to fail; checks the document after each.
    private func forEachFault(
        _ form: DocumentForm, _ errno: Int32, step: Int = 1,
        _ operation: (PersistentDocument, URL) async throws -> Void,
        check: (_ titles: [String], _ hasThrown: Bool, _ nth: Int) throws -> Void
    ) async throws {
        try await withFolder { folder in
            let original = folder.appendingPathComponent("original"), url = folder.appendingPathComponent("A.folio")
            let first = try await PersistentDocument.create(at: original, model: Library.model(), form: form)
            try Library.insertBook("saved", first)
            try await first.save()
            try await first.close()
            var nth = 1
            while true {
                try Disk.removeTree(url.path)
                try Disk.copyTree(original.path, to: url.path)
                let fuse = Fuse(nth, errno)
                var hasThrown = false
                let document = try await PersistentDocument.open(url)
                try Library.insertBook("new", document)
                do {
                    try await FaultInjection.with({ fuse.ask($0, $1) }) { try await operation(document, folder) }
                } catch {
                    hasThrown = true
                    #expect(fuse.hasFired, "call \(nth): \(error)")
                }
                // What the operation has not written is no work to keep. A document that can't be
                // opened again after its file was exchanged is closed.
                if document.isOpen { document.context.rollback() }
                try? await document.close()
                guard fuse.hasFired else {
                    #expect(nth > 3)
                    return
                }
                let again = try await PersistentDocument.open(url, recovery: .keep)
                try check(try Library.titles(again), hasThrown, nth)
                // The next save mends whatever is left.
                try Library.insertBook("next", again)
                try await again.save()
                try await again.close()
                #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty, "call \(nth)")
                if try Disk.list(folder.path).contains(where: {
                    $0.name.contains("B.folio") || $0.name.contains("B_SUPPORT")
                }) {
                    // Whoever writes there next takes away what a crash left.
                    try await PersistentDocument.writeEmpty(
                        at: folder.appendingPathComponent("B.folio"), model: Library.model(), replacing: true)
                    try Disk.removeTree(folder.path + "/B.folio")
                    try Disk.removeTree(folder.path + "/.B_SUPPORT")
                }
                let names = try Disk.list(folder.path).map(\.name)
                #expect(names == ["A.folio", "original"], "call \(nth): \(names)")
                nth += step
            }
        }
    }
}

extension FaultTests {
    @Test(.enabled(if: runsSweeps), arguments: [inputOutput, noSpace])
    func aSaveOfAPackageIsWholeOrNotAtAll(_ errno: Int32) async throws {
        try await forEachFault(.package, errno, step: errno == Self.noSpace ? 5 : 1) { document, _ in
            try await document.save()
        } check: { titles, hasThrown, nth in
            #expect(titles == (hasThrown ? ["saved"] : ["new", "saved"]), "call \(nth)")
        }
    }

    @Test func aSaveOfAnArchiveIsWholeOrNotAtAll() async throws {
        try await forEachFault(.archive, Self.noSpace, step: 9) { document, _ in
            try await document.save()
        } check: { titles, hasThrown, nth in
            // What a failed save had committed to the working set is kept as autosaved work.
            #expect(hasThrown ? titles.contains("saved") : titles == ["new", "saved"], "call \(nth): \(titles)")
        }
    }

    @Test(.enabled(if: runsSweeps)) func aVersionIsRestoredAsAWholeOrNotAtAll() async throws {
        try await forEachFault(.package, Self.inputOutput, step: 7) { document, _ in
            try await document.revert(to: try #require(try document.versions().first))
        } check: { titles, hasThrown, nth in
            #expect(
                hasThrown ? [[], ["saved"], ["new", "saved"]].contains(titles) : titles.isEmpty,
                "call \(nth): \(titles)")
        }
    }

    @Test func anAutosaveIsWholeOrNotAtAll() async throws {
        try await forEachFault(.package, Self.inputOutput) { document, _ in
            try await document.autosave()
        } check: { titles, hasThrown, nth in
            #expect(titles == (hasThrown ? ["saved"] : ["new", "saved"]), "call \(nth)")
        }
    }

    @Test(.enabled(if: runsSweeps), arguments: [DocumentForm.package, .archive, .store])
    func writingElsewhereLeavesAWholeDocumentOrNone(_ form: DocumentForm) async throws {
        try await forEachFault(.package, Self.noSpace, step: 9) { document, folder in
            let target = folder.appendingPathComponent("B.folio")
            var isWritten = false
            defer {
                FaultInjection.with({ _, _ in nil }) {
                    // After the last step, only its durability can be in doubt.
                    let isThere = FileManager.default.fileExists(atPath: target.path)
                    #expect(isThere || !isWritten)
                    if isThere { #expect((try? DocumentVerifier.verify(target)) == []) }
                }
            }
            let book = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            book["cover"] = Library.cover
            try await document.write(to: target, form: form)
            isWritten = true
        } check: { titles, _, nth in
            #expect(titles == ["saved"], "call \(nth)")
        }
    }

    @Test func aFailedSaveSucceedsWhenItIsTriedAgain() async throws {
        try await withFolder { folder in
            for form in [DocumentForm.package, .archive] {
                let url = folder.appendingPathComponent("A-\(form)")
                let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
                try Library.insertBook("first", document)
                await #expect(throws: (any Error).self) {
                    try await FaultInjection.with({ call, _ in call == .write ? .error(Self.noSpace) : nil }) {
                        try await document.save()
                    }
                }
                #expect(document.hasUnsavedChanges)
                try await document.save()
                #expect(!document.hasUnsavedChanges)
                try await document.close()
                let again = try await PersistentDocument.open(url)
                #expect(try Library.titles(again) == ["first"])
                try await again.close()
            }
        }
    }
}

extension FaultTests {
    /// A connection that fails before it is set up must not bring what was autosaved into the main
    /// file as it closes, nor may a WAL that can't be read just now be taken for one from
    /// elsewhere.
    @Test func anOpeningThatFailsLeavesAutosavedWorkWhereItIs() async throws {
        try await withFolder { folder in
            let edited = folder.appendingPathComponent("edited"), left = folder.path + "/left",
                url = folder.appendingPathComponent("A.folio")
            let first = try await PersistentDocument.create(at: edited, model: Library.model(), form: .package)
            try Library.insertBook("saved", first)
            try await first.save()
            try Library.insertBook("new", first)
            try await first.autosave()
            // As a killed editor leaves it.
            try Disk.copyTree(edited.path, to: left)
            try await first.close()
            let store = url.path + "/store/store.sqlite"
            let saved = try Disk.read(left + "/store/store.sqlite", limit: .max),
                work = try Disk.read(left + "/store/store.sqlite-wal", limit: .max)
            #expect(!work.isEmpty)
            var nth = 1, failures = 0
            while true {
                try Disk.removeTree(url.path)
                try Disk.copyTree(left, to: url.path)
                let fuse = Fuse(nth, Self.inputOutput)
                var document: PersistentDocument?
                do {
                    document = try await FaultInjection.with({ call, path in
                        call == .read && path.hasPrefix(store) ? fuse.ask(call, path) : nil
                    }) {
                        try await PersistentDocument.open(url, recovery: .keep)
                    }
                } catch {
                    failures += 1
                    #expect(try Disk.read(store, limit: .max) == saved, "read \(nth)")
                    #expect(try Disk.read(store + "-wal", limit: .max) == work, "read \(nth)")
                }
                if let document {
                    #expect(try Library.titles(document) == ["new", "saved"], "read \(nth)")
                    try await document.close()
                }
                guard fuse.hasFired else { break }
                nth += 1
            }
            #expect(failures > 3)
        }
    }

    /// A large value that can't be read just now is not taken for one that is missing.
    @Test func aCopyOfAnArchiveHasItsLargeValuesOrIsRefused() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), copy = folder.appendingPathComponent("B.folio")
            let made = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.fill(made.context)
            try await made.save()
            try await made.close()
            let document = try await PersistentDocument.open(url, mode: .reading)
            // It can't be made a file of its own: it is read where it lies.
            try await FaultInjection.with({ $0 == .open && $1.contains("/scratch/") ? .error(Self.noSpace) : nil }) {
                try await document.write(to: copy, form: .package)
            }
            let written = try await PersistentDocument.open(copy, mode: .reading)
            let novel = try #require(try written.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
            #expect(try (novel["cover"] as? LargeValue)?.data() == Library.cover)
            try await written.close()
            try FileManager.default.removeItem(at: copy)
            // Of each call on the archive one fails: the copy is whole or not there.
            for call in 1...400 {
                let fuse = Fuse(call, Self.inputOutput)
                let result: Result<Void, any Error>
                do {
                    try await FaultInjection.with({
                        $1.contains("/scratch") || $1.hasSuffix("A.folioz") ? fuse.ask($0, $1) : nil
                    }) { try await document.write(to: copy, form: .package) }
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                if case .success = result {
                    let written = try await PersistentDocument.open(copy, mode: .reading)
                    let novel = try #require(
                        try written.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first)
                    #expect(try (novel["cover"] as? LargeValue)?.data() == Library.cover, "call \(call)")
                    try await written.close()
                    try FileManager.default.removeItem(at: copy)
                } else {
                    #expect(!FileManager.default.fileExists(atPath: copy.path), "call \(call)")
                }
                if !fuse.hasFired { break }
                #expect(call < 400)
            }
            try await document.close()
        }
    }
}
