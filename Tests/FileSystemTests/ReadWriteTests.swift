import FileSystem
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Counts calls of one kind and breaks the n-th.
final class Breaker: Sendable {
    let calls = Mutex<[SystemCall]>([])
    func hook(_ call: SystemCall, at index: Int = 0, _ fault: Fault?) -> FaultInjection.Hook {
        { seen, _ in
            self.calls.withLock { $0.append(seen) }
            let count = self.calls.withLock { $0.count { $0 == call } }
            return seen == call && count == index + 1 ? fault : nil
        }
    }
}

struct ReadWriteTests {
    @Test func aWholeFileIsReadUpToItsBound() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            try Disk.replaceFile(path, with: Array("hello".utf8))
            #expect(try Disk.read(path, limit: 5) == Array("hello".utf8))
            let error = #expect(throws: FileSystemError.self) { try Disk.read(path, limit: 4) }
            #expect(error?.code == .tooLarge)
            #expect(try Disk.read("/proc/self/stat", limit: 1 << 20).count > 10)
        }
    }

    @Test func shortAndInterruptedTransfersAreContinued() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let count = Mutex(0)
            try FaultInjection.with({ call, _ in
                guard call == .write || call == .read else { return nil }
                return count.withLock {
                    $0 += 1; return $0 % 3 == 0 ? .error(EINTR) : .short(777)
                }
            }) {
                try Disk.replaceFile(path, with: bytes)
                #expect(try Disk.read(path, limit: 1 << 20) == bytes)
            }
            #expect(count.withLock { $0 } > 300)
        }
    }

    @Test(arguments: [(SystemCall.write, EIO), (.write, ENOSPC), (.fsync, EIO), (.rename, EIO), (.open, EMFILE)])
    func aFailedReplacementLeavesTheOldFileAndNothingElse(call: SystemCall, number: Int32) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            try Disk.replaceFile(path, with: [1, 2, 3])
            let error = #expect(throws: FileSystemError.self) {
                try FaultInjection.with(Breaker().hook(call, .error(number))) { try Disk.replaceFile(path, with: [4]) }
            }
            #expect(error?.errno == number)
            #expect(error?.message.contains(String(cString: strerror(number))) == true)
            #expect(try Disk.read(path, limit: 10) == [1, 2, 3])
            #expect(try Disk.list(folder.path).map(\.name) == ["a"])
        }
    }

    @Test func aReplacementFsyncsTheFileThenRenamesThenFsyncsTheFolder() throws {
        try withTemporaryDirectory { folder in
            let breaker = Breaker()
            try FaultInjection.with(breaker.hook(.list, nil)) { try Disk.replaceFile(folder.path + "/a", with: [4]) }
            let calls = breaker.calls.withLock { $0 }
            let order = calls.filter { [.write, .fsync, .rename].contains($0) }
            #expect(order == [.write, .fsync, .rename, .fsync])
        }
    }

    @Test func aReplacementKeepsTheMode() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            try Disk.replaceFile(path, with: [1], mode: 0o600)
            try Disk.replaceFile(path, with: [2])
            #expect(try Disk.status(of: path)?.mode == 0o600)
        }
    }

    @Test func aFailedFsyncPoisonsTheFile() throws {
        try withTemporaryDirectory { folder in
            let file = try File(folder.path + "/a", .create())
            try file.append([1])
            let first = #expect(throws: FileSystemError.self) {
                try FaultInjection.with(Breaker().hook(.fsync, .error(EIO))) { try file.synchronize() }
            }
            #expect(first?.code == .synchronizationFailed)
            let again = #expect(throws: FileSystemError.self) { try file.synchronize() }
            #expect(again?.code == .synchronizationFailed)
            let write = #expect(throws: FileSystemError.self) { try file.append([2]) }
            #expect(write?.code == .synchronizationFailed)
        }
    }
}

extension ReadWriteTests {
    @Test func anInterruptedFsyncIsNotTriedAgain() throws {
        try withTemporaryDirectory { folder in
            let file = try File(folder.path + "/a", .create())
            let error = #expect(throws: FileSystemError.self) {
                try FaultInjection.with(Breaker().hook(.fsync, .error(EINTR))) { try file.synchronize() }
            }
            #expect(error?.code == .synchronizationFailed)
        }
    }

    @Test func aPathWithANULIsRefused() {
        let error = #expect(throws: FileSystemError.self) { try Disk.exists("/etc/passwd\0.txt") }
        #expect(error?.code == .invalidPath)
    }

    @Test func linksAndFIFOsAreNotOpened() throws {
        try withTemporaryDirectory { folder in
            let fifo = folder.path + "/fifo", link = folder.path + "/link", real = folder.path + "/real"
            #expect(mkfifo(fifo, 0o600) == 0)
            try Disk.replaceFile(real, with: [1])
            #expect(symlink(real, link) == 0)
            for path in [fifo, link, "/dev/null", folder.path] {
                let error = #expect(throws: FileSystemError.self) { try File(path) }
                #expect(error?.code == .unsuitableFile)
            }
            let error = #expect(throws: FileSystemError.self) { try Disk.replaceFile(link, with: [2]) }
            #expect(error?.code == .unsuitableFile)
            #expect(try Disk.read(real, limit: 9) == [1])
        }
    }

    @Test func aHookOfOneTaskIsNotSeenByAnother() async throws {
        let hook: FaultInjection.Hook = { _, _ in .error(EIO) }
        let (other, own) = await FaultInjection.with(hook) {
            (await Task.detached { try? Disk.exists("/") }.value, try? Disk.exists("/"))
        }
        #expect(other == true)
        #expect(own == nil)
    }

    @Test func identityTellsAChangedFile() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            #expect(try Disk.identity(of: path) == nil)
            try Disk.replaceFile(path, with: [1])
            let first = try #require(try Disk.identity(of: path))
            #expect(try Disk.identity(of: path) == first)
            try Disk.replaceFile(path, with: [1])
            let second = try #require(try Disk.identity(of: path))
            #expect(!second.isSameFile(as: first))
        }
    }
}
