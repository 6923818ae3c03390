import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

/// Being told of changes, and following what was moved.
struct FileWatcherTests {
    /// Waits until something was told, at most ten seconds.
    private func waits(for count: @autoclosure () -> Int, toPass number: Int) async throws -> Bool {
        for _ in 0..<500 {
            if count() > number { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .sequentiallyConsistent) }
        func raise() { count.add(1, ordering: .sequentiallyConsistent) }
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        try await TestSupport.withFolder { try await body($0.path) }
    }

    @Test func tellsOfANameThatComesAndGoesAndOfNoOther() async throws {
        try await withFolder { folder in
            let counter = Counter(), other = Counter()
            let watch = try FileWatcher.shared().watch([.init(folder, names: ["a"])]) { counter.raise() }
            let second = try FileWatcher.shared().watch([.init(folder, names: ["b"])]) { other.raise() }
            try Disk.replaceFile(folder + "/a", with: [1])
            #expect(try await waits(for: counter.value, toPass: 0))
            #expect(other.value == 0)
            // A write is several events, which may be told one by one, but in their order.
            let end = Counter()
            let last = try FileWatcher.shared().watch([.init(folder, names: ["end"])]) { end.raise() }
            try Disk.replaceFile(folder + "/end", with: [1])
            #expect(try await waits(for: end.value, toPass: 0))
            last.cancel()
            let before = counter.value
            try Disk.replaceFile(folder + "/b", with: [1])
            #expect(try await waits(for: other.value, toPass: 0))
            #expect(counter.value == before)
            try Disk.removeFile(folder + "/a")
            #expect(try await waits(for: counter.value, toPass: before))
            second.cancel()
            withExtendedLifetime(watch) {}
        }
    }

    @Test func aCancelledWatchIsToldNothingAndOthersOfTheFolderStillAre() async throws {
        try await withFolder { folder in
            let counter = Counter(), other = Counter()
            let first = try FileWatcher.shared().watch([.init(folder)]) { counter.raise() }
            let second = try FileWatcher.shared().watch([.init(folder)]) { other.raise() }
            first.cancel()
            try Disk.replaceFile(folder + "/a", with: [1])
            #expect(try await waits(for: other.value, toPass: 0))
            #expect(counter.value == 0)
            withExtendedLifetime(second) {}
        }
    }

    @Test func aPlaceWhereNothingIsIsLeftOut() async throws {
        try await withFolder { folder in
            let counter = Counter()
            let watch = try FileWatcher.shared().watch([.init(folder + "/none"), .init(folder)]) { counter.raise() }
            try Disk.makeDirectory(folder + "/a")
            #expect(try await waits(for: counter.value, toPass: 0))
            withExtendedLifetime(watch) {}
        }
    }

    @Test func theLackOfWatchesIsAnErrorAndLeavesNoListener() throws {
        try withTemporaryDirectory { folder in
            do {
                _ = try FaultInjection.with({ call, path in
                    call == .watch && path.hasSuffix("/b") ? .error(ENOSPC) : nil
                }) {
                    try Disk.makeDirectory(folder.path + "/a")
                    return try FileWatcher.shared().watch([.init(folder.path + "/a"), .init(folder.path + "/b")]) {
                        Issue.record("told")
                    }
                }
                Issue.record("watched")
            } catch let error as FileSystemError {
                #expect(error.code == .noSpace)
            }
            try Disk.replaceFile(folder.path + "/a/x", with: [1])
        }
    }

    @Test func anAnchorFollowsWhatIsMovedAndKnowsWhatIsGone() throws {
        try withTemporaryDirectory { folder in
            let old = folder.path + "/A.folio", new = folder.path + "/B (deleted)"
            try Disk.makeDirectory(old)
            try Disk.makeDirectory(old + "/store")
            try Disk.replaceFile(old + "/store/a", with: [1])
            let anchor = try PathAnchor(old), part = try Disk.identity(of: old + "/store/a")
            #expect(try part != nil && anchor.identity(of: "store/a") == part && anchor.identity(of: "store/b") == nil)
            #expect(try anchor.currentPath().map { FilePath.name($0) } == "A.folio")
            try Disk.rename(old, to: new)
            #expect(try anchor.identity(of: "store/a") == part)
            #expect(try anchor.currentPath().map { FilePath.name($0) } == "B (deleted)")
            try Disk.makeDirectory(old)
            #expect(try Disk.identity(of: old)?.isSameFile(as: anchor.status().identity) == false)
            try Disk.removeTree(new)
            #expect(try anchor.currentPath() == nil)
        }
    }
}
