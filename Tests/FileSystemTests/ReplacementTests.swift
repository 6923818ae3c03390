import FileSystem
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

struct ReplacementTests {
    private func makePackage(_ path: String, _ byte: UInt8) throws {
        try Disk.makeDirectory(path)
        try Disk.replaceFile(path + "/content", with: [byte])
    }

    private func content(_ path: String) throws -> UInt8? { try Disk.read(path + "/content", limit: 1).first }

    /// Runs `body` as on a file system that refuses the flags of `renameat2`.
    private func withoutFlags<Result>(_ number: Int32, _ body: () throws -> Result) rethrows -> Result {
        try FaultInjection.with({ call, _ in call == .exchange ? .error(number) : nil }, body)
    }

    @Test func aNewTargetIsPutInPlace() throws {
        try withTemporaryDirectory { folder in
            let replacement = Replacement(of: folder.path + "/Doc.folio")
            try makePackage(replacement.temporary, 1)
            try Disk.synchronizeTree(replacement.temporary)
            try replacement.commit(expecting: nil)
            #expect(try content(replacement.target) == 1)
            #expect(try Disk.list(folder.path).map(\.name) == ["Doc.folio"])
        }
    }

    @Test(arguments: [0, EXDEV, EINVAL, ENOSYS])
    func aTargetIsExchangedAndTheOldOneStandsInTheTemporaryPlace(number: Int32) throws {
        try withTemporaryDirectory { folder in
            let target = folder.path + "/Doc.folio"
            try makePackage(target, 1)
            let identity = try Disk.identity(of: target)
            let replacement = Replacement(of: target)
            try makePackage(replacement.temporary, 2)
            if number == 0 {
                try replacement.commit(expecting: identity)
            } else {
                try withoutFlags(number) { try replacement.commit(expecting: identity) }
            }
            #expect(try content(target) == 2)
            #expect(try content(replacement.temporary) == 1)
            #expect(try Disk.list(folder.path).count == 2)
        }
    }

    @Test(arguments: [0, ENOSYS])
    func somethingNewAtTheTargetIsAConflict(number: Int32) throws {
        try withTemporaryDirectory { folder in
            let target = folder.path + "/Doc.folio"
            try makePackage(target, 1)
            let identity = try Disk.identity(of: target)
            try Disk.rename(target, to: folder.path + "/moved")
            try makePackage(target, 3)
            let replacement = Replacement(of: target)
            try makePackage(replacement.temporary, 2)
            let changed = #expect(throws: FileSystemError.self) { try replacement.commit(expecting: identity) }
            #expect(changed?.code == .changed)
            let exists = #expect(throws: FileSystemError.self) {
                if number == 0 {
                    try replacement.commit(expecting: nil)
                } else {
                    try withoutFlags(number) { try replacement.commit(expecting: nil) }
                }
            }
            #expect(exists?.code == .exists)
            #expect(try content(target) == 3)
        }
    }

    @Test func anExchangeThatMayNotLastIsUndone() throws {
        try withTemporaryDirectory { folder in
            let target = folder.path + "/Doc.folio"
            try makePackage(target, 1)
            let replacement = Replacement(of: target)
            try makePackage(replacement.temporary, 2)
            let identity = try Disk.identity(of: target)
            #expect(throws: FileSystemError.self) {
                try FaultInjection.with({ call, _ in call == .fsync ? .error(ENOSPC) : nil }) {
                    try replacement.commit(expecting: identity)
                }
            }
            #expect(try content(target) == 1)
            #expect(try content(replacement.temporary) == 2)
        }
    }
}

extension ReplacementTests {
    /// The process dies before each call of the two-step exchange in turn; the next open finds the
    /// old form or the new one.
    @Test func aNewTargetWhoseNameMayNotLastIsTakenBack() throws {
        try withTemporaryDirectory { folder in
            let replacement = Replacement(of: folder.path + "/Doc.folio")
            try makePackage(replacement.temporary, 1)
            #expect(throws: FileSystemError.self) {
                try FaultInjection.with({ call, path in call == .fsync && path == folder.path ? .error(EIO) : nil }) {
                    try replacement.commit(expecting: nil)
                }
            }
            #expect(try !Disk.exists(replacement.target))
            #expect(try content(replacement.temporary) == 1)
        }
    }

    /// A file that is replaced, or made, with the folder that can't be synchronized.
    @Test(arguments: [true, false], [0, EINVAL]) func aFileIsAsItWasWhereItsReplacementMayNotLast(
        isThere: Bool, refusal: Int32
    ) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            if isThere { try Disk.replaceFile(path, with: [1]) }
            let before = try Disk.identity(of: path)
            @Sendable func hook(_ call: SystemCall, _ path: String) -> Fault? {
                if call == .exchange, refusal != 0 { return .error(refusal) }
                return call == .fsync && path == folder.path ? .error(EIO) : nil
            }
            let error = #expect(throws: FileSystemError.self) {
                try FaultInjection.with(hook) {
                    try Disk.replaceFile(path, undoes: true, writing: { try $0.append([2]) })
                }
            }
            #expect(error?.errno == EIO)
            // Without exchange there is nothing to put back.
            let isKept = isThere && refusal != 0
            #expect(try isThere ? Disk.read(path, limit: 1) == [isKept ? 2 : 1] : !Disk.exists(path))
            if !isKept { #expect(try Disk.identity(of: path)?.inode == before?.inode) }
            #expect(try Disk.names(in: folder.path) == (isThere ? ["a"] : []))
            try Disk.replaceFile(path, undoes: true, writing: { try $0.append([3]) })
            #expect(try Disk.read(path, limit: 1) == [3] && Disk.names(in: folder.path) == ["a"])
        }
    }

    @Test func everyCrashOfTheTwoStepExchangeIsRecovered() throws {
        struct Crash: Error {}
        var outcomes: Set<String> = []
        for point in 0..<20 {
            let finished = try withTemporaryDirectory { folder in
                let target = folder.path + "/Doc.folio"
                try makePackage(target, 1)
                let identity = try Disk.identity(of: target)
                let replacement = Replacement(of: target)
                try makePackage(replacement.temporary, 2)
                let steps = Breaker()
                // A sticky error stands for the death of the process: nothing after it has any
                // effect.
                let hook: FaultInjection.Hook = { call, _ in
                    if call == .exchange { return .error(ENOSYS) }
                    guard call == .rename || call == .fsync else { return nil }
                    steps.calls.withLock { $0.append(call) }
                    return steps.calls.withLock { $0.count } > point ? .error(EIO) : nil
                }
                var failed = false
                do { try FaultInjection.with(hook) { try replacement.commit(expecting: identity) } } catch {
                    failed = true
                }
                let (recovery, leftovers) = try Replacement.recover(target)
                for path in leftovers { try Disk.removeTree(path) }
                #expect(try Disk.list(folder.path).map(\.name) == ["Doc.folio"])
                let byte = try #require(try content(target))
                outcomes.insert("\(recovery) \(byte)")
                return !failed
            }
            if finished { break }
        }
        #expect(outcomes.contains("finished 2"))
        #expect(outcomes.contains("none 1"))
        #expect(outcomes.contains("none 2"))
    }
}

extension ReplacementTests {
    @Test func aDisplacedTargetWithoutSuccessorIsPutBack() throws {
        try withTemporaryDirectory { folder in
            let replacement = Replacement(of: folder.path + "/" + String(repeating: "n", count: 250))
            try makePackage(replacement.displaced, 1)
            let (recovery, leftovers) = try Replacement.recover(replacement.target)
            #expect(recovery == .undone)
            #expect(leftovers.isEmpty)
            #expect(try content(replacement.target) == 1)
        }
    }

    @Test func otherFilesAreNoLeftovers() throws {
        try withTemporaryDirectory { folder in
            for name in [
                ".Doc.folio.tmp-nonsense", ".Other.folio.tmp-\(UniqueName.make())",
                "Doc.folio.old-\(UniqueName.make())",
            ] {
                try Disk.replaceFile(folder.path + "/" + name, with: [])
            }
            let (recovery, leftovers) = try Replacement.recover(folder.path + "/Doc.folio")
            #expect(recovery == .none)
            #expect(leftovers.isEmpty)
        }
    }

    @Test func aNameOfOthersThatIsNoTextIsNoObstacle() throws {
        try withTemporaryDirectory { folder in
            close(creat((folder.path + "/").utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0], 0o600))
            let replacement = Replacement(of: folder.path + "/Doc.folio")
            try makePackage(replacement.temporary, 1)
            #expect(throws: FileSystemError.self) { try Disk.list(folder.path) }
            #expect(try Replacement.recover(replacement.target).leftovers == [replacement.temporary])
            #expect(try !Replacement.isInterrupted(replacement.target))
        }
    }

    @Test func leftoversOfANameThatOnlyReadsTheSameAreNotOurs() throws {
        try withTemporaryDirectory { folder in
            let other = Replacement(of: folder.path + "/Caf\u{E9}.folio")
            try makePackage(other.temporary, 1)
            #expect(try Replacement.recover(folder.path + "/Cafe\u{301}.folio").leftovers == [])
            #expect(try Replacement.recover(other.target).leftovers == [other.temporary])
        }
    }

    @Test func aSlashBeforeACombiningMarkPartsAPath() throws {
        #expect(FilePath.parent("/home/ada/\u{301}x.folio") == "/home/ada")
        #expect(FilePath.name("/home/ada/\u{301}x.folio//") == "\u{301}x.folio")
        #expect(FilePath.join("/", "\u{301}x") == "/" + "\u{301}x")
        try withTemporaryDirectory { folder in
            _ = #expect(throws: FileSystemError.self) {
                try Directory(folder.path).file("../\u{301}x", .create(mode: 0o600))
            }
        }
    }
}
