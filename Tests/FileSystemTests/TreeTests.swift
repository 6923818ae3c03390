import FileSystem
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

struct TreeTests {
    private func makeTree(_ top: String) throws {
        try Disk.makeDirectories(top + "/a/b")
        try Disk.replaceFile(top + "/one", with: [1])
        try Disk.replaceFile(top + "/a/two", with: [2, 2])
        try Disk.replaceFile(top + "/a/b/three", with: [3], mode: 0o600)
    }

    @Test func aTreeIsCopiedWithModes() throws {
        try withTemporaryDirectory { folder in
            let source = folder.path + "/source", copy = folder.path + "/copy"
            try makeTree(source)
            try Disk.copyTree(source, to: copy) { path, _ in path != "a/two" }
            #expect(try Disk.read(copy + "/a/b/three", limit: 9) == [3])
            #expect(try Disk.status(of: copy + "/a/b/three")?.mode == 0o600)
            #expect(try Disk.list(copy + "/a").map(\.name) == ["b"])
            let error = #expect(throws: FileSystemError.self) { try Disk.copyTree(source, to: copy) }
            #expect(error?.code == .exists)
        }
    }

    @Test func aTreeWithALinkOrFIFOIsNotCopied() throws {
        try withTemporaryDirectory { folder in
            let source = folder.path + "/source"
            try makeTree(source)
            #expect(mkfifo(source + "/a/fifo", 0o600) == 0)
            let error = #expect(throws: FileSystemError.self) { try Disk.copyTree(source, to: folder.path + "/copy") }
            #expect(error?.code == .unsuitableFile)
        }
    }

    @Test func removingATreeFollowsNoLink() throws {
        try withTemporaryDirectory { folder in
            let top = folder.path + "/top", outside = folder.path + "/outside"
            try makeTree(top)
            try makeTree(outside)
            #expect(symlink(outside, top + "/a/link") == 0)
            #expect(mkfifo(top + "/a/fifo", 0o600) == 0)
            let raw: [CChar] = (top + "/").utf8CString.dropLast() + [-1, -2, 0]
            #expect(mkdir(raw, 0o700) == 0)
            try Disk.removeTree(top)
            #expect(try !Disk.exists(top))
            #expect(try Disk.read(outside + "/one", limit: 9) == [1])
            try Disk.removeTree(top)
        }
    }

    @Test func aTreeIsSynchronizedFromTheBottomUp() throws {
        try withTemporaryDirectory { folder in
            let top = folder.path + "/top"
            try makeTree(top)
            let paths = Mutex<[String]>([])
            try FaultInjection.with({ call, path in
                if call == .fsync { paths.withLock { $0.append(String(path.dropFirst(top.count))) } }
                return nil
            }) { try Disk.synchronizeTree(top) }
            #expect(paths.withLock { $0 } == ["/a/b/three", "/a/b", "/a/two", "/a", "/one", ""])
            let error = #expect(throws: FileSystemError.self) {
                try FaultInjection.with(Breaker().hook(.fsync, at: 3, .error(EIO))) { try Disk.synchronizeTree(top) }
            }
            #expect(error?.code == .synchronizationFailed)
        }
    }

    @Test func everyFileOfALargeTreeIsSynchronizedBeforeItsFolders() throws {
        try withTemporaryDirectory { folder in
            let top = folder.path + "/top"
            try makeTree(top)
            for index in 0..<100 {
                try Disk.makeDirectories(top + "/\(index % 70)")
                try Disk.replaceFile(top + "/\(index % 70)/\(index)", with: [1, 2, 3])
            }
            let paths = Mutex<[String]>([])
            try FaultInjection.with({ call, path in
                if call == .fsync { paths.withLock { $0.append(path) } }
                return nil
            }) { try Disk.synchronizeTree(top) }
            let all = paths.withLock { $0 }
            #expect(all.count == 103 + 73 && Set(all).count == all.count)
            #expect(try all.prefix(103).allSatisfy { try Disk.kind(of: $0) == .file })
            #expect(all.last == top)
            for failing in [all[0], all[50], all[102], all[120], top] {
                let error = #expect(throws: FileSystemError.self) {
                    try FaultInjection.with({ call, path in
                        call == .fsync && path == failing ? .error(EIO) : nil
                    }) { try Disk.synchronizeTree(top) }
                }
                #expect(error?.code == .synchronizationFailed)
            }
        }
    }
}

extension TreeTests {
    @Test func aVeryDeepTreeIsRefusedNotOverflowed() throws {
        try withTemporaryDirectory { folder in
            try Disk.makeDirectories(folder.path + "/d" + String(repeating: "/d", count: 200))
            let error = #expect(throws: FileSystemError.self) {
                try Disk.copyTree(folder.path + "/d", to: folder.path + "/copy")
            }
            #expect(error?.code == .invalidPath)
        }
    }

    @Test(arguments: [[], [SystemCall.clone], [.clone, .copyRange]])
    func aFileIsCopiedByEachOfTheThreeWays(broken: [SystemCall]) throws {
        try withTemporaryDirectory { folder in
            let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let source = folder.path + "/source", copy = folder.path + "/copy"
            try Disk.replaceFile(source, with: bytes, mode: 0o640)
            let hasAttributes = (try? File(source).setAttribute("user.folio", to: [1])) != nil
            try FaultInjection.with({ call, _ in
                broken.contains(call) ? .error(ENOTSUP) : call == .copyRange ? .short(1_000_000) : nil
            }) {
                try Disk.copyFile(source, to: copy)
            }
            #expect(try Disk.read(copy, limit: 1 << 23) == bytes)
            #expect(try Disk.status(of: copy)?.mode == Disk.status(of: source)?.mode)
            #expect(try File(copy).attribute("user.folio") == (hasAttributes ? [1] : nil))
        }
    }

    @Test func aFullDiskEndsACopyWithoutRemains() throws {
        try withTemporaryDirectory { folder in
            try Disk.replaceFile(folder.path + "/source", with: [UInt8](repeating: 1, count: 1000))
            let error = #expect(throws: FileSystemError.self) {
                try FaultInjection.with({ call, _ in
                    call == .clone ? .error(ENOTSUP) : call == .copyRange ? .error(ENOSPC) : nil
                }) {
                    try Disk.copyFile(folder.path + "/source", to: folder.path + "/copy")
                }
            }
            #expect(error?.code == .noSpace)
            #expect(try Disk.list(folder.path).map(\.name) == ["source"])
        }
    }
}
