import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import Schema
import Synchronization
import TestSupport
import Testing

/// What packing must not lose, and must not leave.
struct PackingTests {
    private func makePackage(_ url: URL, titles: [String] = ["One"]) async throws {
        let document = try await PersistentDocument.create(at: url, model: Library.model())
        for title in titles { try Library.insertBook(title, document) }
        try await document.save()
        try await document.close()
    }

    private func archives(in folder: URL) -> (package: URL, archive: URL, back: URL) {
        (
            folder.appendingPathComponent("A.folio"), folder.appendingPathComponent("A.folioz"),
            folder.appendingPathComponent("B.folio")
        )
    }

    @Test func autosavedWorkIsRefusedNotLost() async throws {
        try await withFolder { folder in
            let (package, archive, back) = archives(in: folder)
            try await makePackage(package)
            let editor = try await PersistentDocument.open(package)
            try Library.insertBook("Unsaved", editor)
            try await editor.autosave()
            try await editor.close()
            await #expect { try await PersistentDocument.pack(package, to: archive) } throws: {
                ($0 as? DocumentError)?.code == .recoverable
            }
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folio"])
            let kept = try await PersistentDocument.open(package, recovery: .keep)
            try await kept.save()
            try await kept.close()
            try await PersistentDocument.pack(package, to: archive)
            try await PersistentDocument.unpack(archive, to: back)
            let document = try await PersistentDocument.open(back, mode: .reading)
            #expect(try Library.titles(document) == ["One", "Unsaved"])
            try await document.close()
        }
    }

    @Test func autosavedWorkOfAnArchiveIsRefusedNotLost() async throws {
        try await withFolder { folder in
            let (package, archive, back) = archives(in: folder)
            try await makePackage(package)
            try await PersistentDocument.pack(package, to: archive)
            let editor = try await PersistentDocument.open(archive)
            try Library.insertBook("Unsaved", editor)
            try await editor.autosave()
            try await editor.close()
            await #expect { try await PersistentDocument.unpack(archive, to: back) } throws: {
                ($0 as? DocumentError)?.code == .recoverable
            }
            try await PersistentDocument.open(archive, recovery: .discard).close()
            try await PersistentDocument.unpack(archive, to: back)
            #expect(try DocumentVerifier.verify(back, isThorough: true).isEmpty)
        }
    }

    @Test func aSaveThatAReaderKeptFromTheMainFileIsFoldedIn() async throws {
        try await withFolder { folder in
            let (package, archive, back) = archives(in: folder)
            try await makePackage(package)
            let reader = try await PersistentDocument.open(package, mode: .reading)
            #expect(try Library.titles(reader) == ["One"])
            let editor = try await PersistentDocument.open(package)
            try Library.insertBook("Two", editor)
            // The checkpoint does not happen: the log stays as a crash right after the commit
            // leaves it.
            await FaultInjection.with({ call, path in call == .write && path.hasSuffix("store.sqlite") ? .error(5) : nil
            }) {
                try? await editor.save()
                try? await editor.close()
            }
            try await reader.close()
            #expect(try (Disk.status(of: package.path + "/store/store.sqlite-wal")?.size ?? 0) > 0)
            let before = try contents(of: package)
            try await PersistentDocument.pack(package, to: archive)
            #expect(try contents(of: package) == before)
            try await PersistentDocument.unpack(archive, to: back)
            #expect(try DocumentVerifier.verify(back, isThorough: true).isEmpty)
            let document = try await PersistentDocument.open(back, mode: .reading)
            #expect(try Library.titles(document) == ["One", "Two"])
            try await document.close()
        }
    }
}

extension PackingTests {
    @Test func versionsGoAlongOnlyWhenAskedFor() async throws {
        try await withFolder { folder in
            let (package, archive, back) = archives(in: folder)
            try await makePackage(package)
            try Disk.makeDirectories(package.path + "/versions")
            try Disk.replaceFile(package.path + "/versions/1.delta", with: [1, 2, 3])
            try Disk.replaceFile(package.path + "/versions/discarded.wal", with: [4])
            try Disk.makeDirectories(package.path + "/extra/a")
            try Disk.replaceFile(package.path + "/extra/a/b", with: [5])
            try await PersistentDocument.pack(package, to: archive)
            try await PersistentDocument.unpack(archive, to: back)
            #expect(
                try contents(of: back).keys.filter { $0.hasPrefix("versions") || $0.hasPrefix("extra") } == [
                    "extra/a/b"
                ])
            try await PersistentDocument.pack(package, to: archive, withVersions: true, replacing: true)
            try await PersistentDocument.unpack(archive, to: back, replacing: true)
            #expect(try contents(of: back)["versions/1.delta"] == [1, 2, 3])
            #expect(try contents(of: back)["versions/discarded.wal"] == nil)
        }
    }

    @Test func largeValuesComeAlongAndThoseOfVersionsAloneDoNot() async throws {
        try await withFolder { folder in
            let (package, archive, back) = archives(in: folder)
            let document = try await PersistentDocument.create(at: package, model: Library.model())
            try Library.fill(document.context)
            try await document.save()
            try await document.close()
            try await PersistentDocument.pack(package, to: archive)
            try await PersistentDocument.unpack(archive, to: back)
            let names = try contents(of: package).keys.filter { $0.hasPrefix("content/") }
            #expect(names.count == 1)
            #expect(try contents(of: back).keys.filter { $0.hasPrefix("content/") } == names)
            #expect(try DocumentVerifier.verify(back, isThorough: true).isEmpty)
        }
    }

    /// Lets the n-th call fail, removals spared: what could not be removed is removed by whoever
    /// opens next.
    private final class Fuse: Sendable {
        private let count = Atomic<Int>(0)
        private let nth: Int
        var hasFired: Bool { count.load(ordering: .sequentiallyConsistent) >= nth }

        init(_ nth: Int) { self.nth = nth }

        func ask(_ call: SystemCall) -> Fault? {
            guard call != .unlink, count.add(1, ordering: .sequentiallyConsistent).newValue == nth else { return nil }
            return .error(5)
        }
    }

    @Test(.enabled(if: runsSweeps), arguments: [true, false]) func aFailingSystemCallLeavesTheOldDocumentOrTheNewOne(
        packs: Bool
    ) async throws {
        try await withFolder { folder in
            let (package, archive, back) = archives(in: folder)
            try await makePackage(package)
            try await PersistentDocument.pack(package, to: archive)
            let source = packs ? package : archive, target = packs ? folder.appendingPathComponent("C.folioz") : back
            let before = try contents(of: folder)
            for nth in 1... {
                let fuse = Fuse(nth)
                let hasThrown: Bool
                do {
                    try await FaultInjection.with({ call, _ in fuse.ask(call) }) {
                        _ =
                            packs
                            ? try await PersistentDocument.pack(source, to: target)
                            : try await PersistentDocument.unpack(source, to: target)
                    }
                    hasThrown = false
                } catch {
                    hasThrown = true
                }
                // In place, but its folder's fsync failed: whole all the same.
                let isThere = try Disk.exists(target.path)
                if isThere { #expect(try DocumentVerifier.verify(target).isEmpty, "call \(nth)") }
                #expect(isThere || hasThrown, "call \(nth)")
                try Disk.removeTree(target.path)
                // A lock file that nobody holds means nothing.
                let left = try contents(of: folder).filter { !$0.key.hasSuffix(".lock") }
                #expect(left == before, "call \(nth): \(left.keys.sorted())")
                guard fuse.hasFired else {
                    #expect(!hasThrown && nth > 20)
                    return
                }
            }
        }
    }
}

extension PackingTests {
    @Test func aCancelledTaskLeavesNothing() async throws {
        try await withFolder { folder in
            let (package, archive, _) = archives(in: folder)
            try await makePackage(package)
            let task = Task {
                try await PersistentDocument.pack(package, to: archive) { _, _ in withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folio"])
        }
    }
}
