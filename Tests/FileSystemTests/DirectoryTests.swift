import FileSystem
import Foundation
import Glibc
import TestSupport
import Testing

struct DirectoryTests {
    /// With and without `openat2`.
    @Test(arguments: [false, true])
    func filesBeneathAreOpenedAndNothingElse(old: Bool) throws {
        try withTemporaryDirectory { folder in
            let top = folder.path + "/top"
            try Disk.makeDirectories(top + "/a/b")
            try Disk.replaceFile(top + "/a/b/file", with: [7])
            try Disk.replaceFile(folder.path + "/outside", with: [8])
            #expect(symlink(folder.path, top + "/a/out") == 0)
            #expect(symlink("b", top + "/a/in") == 0)
            #expect(symlink("file", top + "/a/b/link") == 0)
            #expect(mkfifo(top + "/fifo", 0o600) == 0)
            #expect(link(top + "/a/b/file", top + "/hard") == 0)
            let directory = try Directory(top)
            // Each opening asks the kernel first; the second call is the walk.
            func open(_ name: String, hard: Bool = false) throws -> [UInt8] {
                guard old else { return try directory.file(name, refusingHardLinks: hard).readAll(limit: 9) }
                return try FaultInjection.with(Breaker().hook(.open, .error(ENOSYS))) {
                    try directory.file(name, refusingHardLinks: hard).readAll(limit: 9)
                }
            }
            #expect(try open("a/b/file") == [7])
            #expect(try open("hard") == [7])
            for name in [
                "a/out/outside", "a/in/file", "a/b/link", "fifo", "a", "../outside", "/etc/passwd", "a//b/file",
                "./hard", "", "a/b/../b/file", "hard/", "/hard", ".", "..", "a/b/.", "a/b/..",
            ] {
                #expect(throws: FileSystemError.self, "\(name)") { try open(name) }
            }
            let error = #expect(throws: FileSystemError.self) { try open("hard", hard: true) }
            #expect(error?.code == .unsuitableFile)
            #expect(try directory.directory("a/b").entries().map(\.name) == ["file", "link"])
            #expect(throws: FileSystemError.self) { try directory.directory("a/in") }
            #expect(try directory.status(of: "fifo")?.kind == .other)
            #expect(try directory.status(of: "none") == nil)
        }
    }

    /// More than the kernel gives at a time, at first and later.
    @Test(arguments: [0, 1, 3, 4, 5, 8, 200]) func aFolderIsListedWhole(count: Int) throws {
        try withTemporaryDirectory { folder in
            let names = (0..<count).map { String($0) + String(repeating: "x", count: 240) }
            for name in names { try Disk.replaceFile(folder.path + "/" + name, with: []) }
            try Disk.makeDirectory(folder.path + "/...")
            #expect(try Disk.list(folder.path).map(\.name) == (names + ["..."]).sorted())
            #expect(try Set(Disk.names(in: folder.path)) == Set(names + ["..."]))
            // Full stops alone may be a name.
            #expect(try Directory(folder.path).directory("...").names().isEmpty)
        }
    }

    @Test func aFileIsMadeBeneath() throws {
        try withTemporaryDirectory { folder in
            let directory = try Directory(folder.path)
            try directory.file("new", .create(mode: 0o600)).append([1])
            #expect(try directory.read("new", limit: 1) == [1])
            #expect(try directory.status(of: "new")?.mode == 0o600)
        }
    }

    @Test func whatCrashesLeftOfReplacingFilesIsRemovedAndNothingElse() throws {
        try withTemporaryDirectory { folder in
            let id = "6f0518c5-2f2c-4b6c-8d7e-87777d43da56", top = folder.path + "/top"
            try Disk.makeDirectory(top)
            let kept = [".file.tmp-", ".file.tmp-\(id.uppercased())", ".tmp-\(id)x", "file.tmp-\(id)", ".old-\(id)"]
            for name in kept + [".file.tmp-\(id)", ".a.b.tmp-\(id)"] {
                try Disk.replaceFile(top + "/" + name, with: [1])
            }
            try Disk.removeTemporaries(in: top)
            #expect(try Disk.list(top).map(\.name) == kept.sorted())
            try Disk.removeTemporaries(in: top + "/missing")
        }
    }

    @Test func aFileIsReplacedByWayOfAnotherFolder() throws {
        try withTemporaryDirectory { folder in
            try Disk.makeDirectory(folder.path + "/a")
            #expect(throws: FileSystemError.self) {
                try FaultInjection.with({ call, _ in call == .rename ? .error(5) : nil }) {
                    try Disk.replaceFile(folder.path + "/a/file", by: folder.path) { try $0.append([1]) }
                }
            }
            #expect(try Disk.list(folder.path + "/a").isEmpty)
            try Disk.replaceFile(folder.path + "/a/file", by: folder.path) { try $0.append([1]) }
            #expect(try Disk.read(folder.path + "/a/file", limit: 10) == [1])
            #expect(try Disk.list(folder.path).map(\.name) == ["a"])
        }
    }
}
