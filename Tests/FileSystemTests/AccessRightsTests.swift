import FileSystem
import Foundation
import TestSupport
import Testing

/// What replaces a file has its owner, group, mode and access list.
struct AccessRightsTests {
    private static let name = "system.posix_acl_access"

    /// A list that gives another user everything, and the group reading only. The mask, which the
    /// mode shows as the group's permissions, is reading and writing.
    private static let list: [UInt8] = {
        func entry(_ tag: UInt8, _ rights: UInt8, _ id: [UInt8] = [255, 255, 255, 255]) -> [UInt8] {
            [tag, 0, rights, 0] + id
        }
        return [2, 0, 0, 0] + entry(1, 6) + entry(2, 6, [0x39, 0x30, 0, 0]) + entry(4, 4) + entry(16, 6) + entry(32, 0)
    }()

    /// Nil on file systems without access lists.
    private func makeListed(_ path: String) throws -> [UInt8]? {
        let file = try File(path, .create(mode: 0o640))
        try file.append(Array("old".utf8))
        guard (try? file.setAttribute(Self.name, to: Self.list)) != nil else { return nil }
        return file.attribute(Self.name)
    }

    @Test func aReplacedFileKeepsItsAccessList() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            guard let list = try makeListed(path) else { return }
            let mode = try Disk.status(of: path)?.mode
            try Disk.replaceFile(path, with: Array("new".utf8))
            #expect(try File(path).attribute(Self.name) == list)
            #expect(try Disk.status(of: path)?.mode == mode)
        }
    }

    @Test func aCopiedFileKeepsItsAccessList() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a", copy = folder.path + "/b"
            guard let list = try makeListed(path) else { return }
            try Disk.copyFile(path, to: copy)
            #expect(try File(copy).attribute(Self.name) == list)
        }
    }

    /// The folder's rule gives the new file a list that the old one did not have.
    @Test func aReplacedFileGetsNoAccessListFromItsFolder() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            try Disk.replaceFile(path, with: [1])
            try Disk.setMode(0o600, of: path)
            guard lsetDefault(folder.path) else { return }
            try Disk.replaceFile(path, with: [2])
            #expect(try File(path).attribute(Self.name) == nil)
            #expect(try Disk.status(of: path)?.mode == 0o600)
        }
    }

    private func lsetDefault(_ folder: String) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["setfacl", "-d", "-m", "u:12345:rw", folder]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test func rightsAreGivenWithinALimit() throws {
        try withTemporaryDirectory { folder in
            let old = folder.path + "/a", new = folder.path + "/b"
            try Disk.replaceFile(old, with: [1])
            try Disk.replaceFile(new, with: [2])
            try Disk.setMode(0o664, of: old)
            try AccessRights(of: old)?.give(to: new, within: 0o600)
            #expect(try Disk.status(of: new)?.mode == 0o600)
            try AccessRights(of: old)?.give(to: new)
            #expect(try Disk.status(of: new)?.mode == 0o664)
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func whatBelongsToTheSuperuserIsGivenToTheOwnerOfTheFolder() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/p"
            try Disk.makeDirectories(path + "/q/r")
            for name in ["a", "q/b", "q/r/c"] { try Disk.replaceFile("\(path)/\(name)", with: [1]) }
            #expect(link(path + "/a", folder.path + "/elsewhere") == 0)
            #expect(chown(path, 12345, 12345) == 0)
            let rights = try #require(try AccessRights(of: path))
            #expect(rights.isOfAnotherUser)
            rights.giveOwner(toContentsOf: path)
            for name in ["q", "q/b", "q/r", "q/r/c"] {
                #expect(try Disk.status(of: "\(path)/\(name)")?.user == 12345)
            }
            // Another name of it may be outside.
            #expect(try Disk.status(of: path + "/a")?.user == 0)
        }
    }
}
