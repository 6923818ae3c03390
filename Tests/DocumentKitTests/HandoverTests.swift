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

/// Where a document goes from one place, lock or mark to another: nobody comes between, and what
/// fails leaves it as it was.
@Suite(.serialized) struct HandoverTests {
    /// Looks, at every system call from the moment when something stands at a place, whether
    /// somebody holds its lock.
    private final class Watch: Sendable {
        private let path: String
        private let isAsking = Atomic<Bool>(false)
        let looks = Atomic<Int>(0)
        let gaps = Atomic<Int>(0)

        init(_ path: String) { self.path = path }

        func ask() -> Fault? {
            guard !isAsking.exchange(true, ordering: .sequentiallyConsistent) else { return nil }
            defer { isAsking.store(false, ordering: .sequentiallyConsistent) }
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            looks.add(1, ordering: .sequentiallyConsistent)
            if DocumentLock.holder(of: path) == nil { gaps.add(1, ordering: .sequentiallyConsistent) }
            return nil
        }
    }

    @Test(arguments: [DocumentForm.package, .archive, .store]) func aDocumentIsLockedFromItsFirstMomentAtANewPlace(
        _ form: DocumentForm
    ) async throws {
        try await withFolder { folder in
            let made = folder.appendingPathComponent("A.folio"), place = folder.appendingPathComponent("B.folio")
            let first = Watch(made.path), second = Watch(place.path)
            let document = try await FaultInjection.with({ _, _ in first.ask() }) {
                try await PersistentDocument.create(at: made, model: Library.model(), form: form)
            }
            try Library.insertBook("mine", document)
            try await FaultInjection.with({ _, _ in second.ask() }) { try await document.save(as: place) }
            for watch in [first, second] {
                #expect(watch.looks.load(ordering: .relaxed) > 5)
                #expect(watch.gaps.load(ordering: .relaxed) == 0)
            }
            #expect(DocumentLock.holder(of: made.path) == nil)
            try await document.close()
            #expect(DocumentLock.holder(of: place.path) == nil)
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folio", "B.folio"])
        }
    }

    @Test func aMarkThatCannotBeSetLeavesTheDocumentOpenForEditing() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            try Library.insertBook("saved", document)
            try await document.save()
            do {
                try await FaultInjection.with({ call, _ in call == .chmod ? .error(EPERM) : nil }) {
                    try await document.lock()
                }
                Issue.record("locked")
            } catch let error as DocumentError {
                #expect(error.code == .permission)
            }
            #expect(document.isOpen && document.mode == .editing && !document.isLocked)
            #expect(DocumentLock.holder(of: document.url.path) != nil)
            #expect(try Library.titles(document) == ["saved"])
            try Library.insertBook("next", document)
            try await document.save()
            try await document.lock()
            // Another program holds it: the mark stays.
            let other = try DocumentLock.acquire(document.url.path, document: nil)
            await #expect(throws: DocumentError.self) { try await document.unlock() }
            #expect(document.isLocked && document.mode == .reading)
            other.release()
            try await document.unlock()
            #expect(try Library.titles(document) == ["next", "saved"])
            try await document.close()
        }
    }
}

extension HandoverTests {
    @Test func aNameMayHaveDots() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            for (name, expected) in [
                ("Letters 1.2", "Letters 1.2.folio"), ("B", "B.folio"), ("C.folio", "C.folio"),
                ("D.v2.FOLIO", "D.v2.FOLIO"), ("E.folioz", "E.folioz"), ("F.", "F..folioz"),
            ] {
                try await document.rename(to: name)
                #expect(document.url.lastPathComponent == expected)
            }
            for name in ["", ".", "..", "a/b"] {
                await #expect(throws: DocumentError.self) { try await document.rename(to: name) }
            }
            try await document.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["F..folioz"])
        }
    }

    @Test @MainActor func twoOpeningsOfOneDocumentGiveTheSame() async throws {
        try await withFolder { folder in
            let controller = DocumentController(
                application: "folio-test-\(UUID().uuidString)",
                types: [
                    DocumentType(
                        "Library", mimeType: "application/x-folio-test", extensions: ["library"],
                        model: try Library.model())
                ])
            let url = folder.appendingPathComponent("A.library")
            // One that fails leaves the others to try for themselves.
            let failing = (0..<3).map { _ in Task { @MainActor in (try? await controller.open(url)) == nil } }
            for attempt in failing { #expect(await attempt.value) }
            try await PersistentDocument.writeEmpty(at: url, model: Library.model())
            let openings = (0..<4).map { _ in Task { @MainActor in try await ObjectIdentifier(controller.open(url)) } }
            var opened: Set<ObjectIdentifier> = []
            for opening in openings { opened.insert(try await opening.value) }
            #expect(opened.count == 1 && controller.documents.count == 1)
            try await controller.closeAll(.save)
            try controller.clearRecentDocuments()
        }
    }

    private func support(_ store: URL) -> String {
        store.deletingLastPathComponent().path + "/." + store.deletingPathExtension().lastPathComponent + "_SUPPORT"
    }

    @Test func aStoreIsMovedWithTheLargeValuesBesideIt() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.sqlite"), place = folder.appendingPathComponent("sub/B.sqlite")
            try Disk.makeDirectory(folder.path + "/sub")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .store)
            try Library.fill(document.context)
            try await document.save()
            #expect(try Disk.exists(support(url)))
            // A renaming that fails leaves the store with its values.
            await #expect(throws: DocumentError.self) {
                try await FaultInjection.with({ call, path in
                    call == .exchange && path == place.path ? .error(EIO) : nil
                }) { try await document.move(to: place) }
            }
            #expect(try Disk.list(folder.path + "/sub").isEmpty)
            func cover() throws -> Data? {
                let novel = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Novel")).first
                return try (novel?["cover"] as? LargeValue)?.data()
            }
            #expect(try cover() == Library.cover)
            try await document.move(to: place)
            #expect(try cover() == Library.cover)
            #expect(try !Disk.exists(support(url)) && Disk.exists(support(place)))
            try await document.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["sub"])
            #expect(try DocumentVerifier.verify(place, isThorough: true).isEmpty)
            // What belongs to another store is not taken over.
            let third = folder.appendingPathComponent("C.sqlite")
            try Disk.makeDirectory(support(third))
            let again = try await PersistentDocument.open(place)
            await #expect(throws: DocumentError.self) { try await again.move(to: third) }
            #expect(try Library.titles(again) == ["Essays", "Middlemarch"])
            try await again.close()
        }
    }
}

extension HandoverTests {
    @Test func valuesOfAStoreThatDidNotComeToBeAreTakenAwayAgain() async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            try Library.fill(document.context)
            try await document.save()
            let place = folder.appendingPathComponent("B.sqlite")
            await #expect(throws: DocumentError.self) {
                try await FaultInjection.with({ call, path in
                    call == .exchange && path == place.path ? .error(EIO) : nil
                }) {
                    try await document.write(to: place, form: .store)
                }
            }
            try await document.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folio"])
        }
    }
}
