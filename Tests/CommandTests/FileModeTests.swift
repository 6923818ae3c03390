import Foundation
import TestSupport
import Testing

/// Nothing that a command makes is open to more people than what it was made from or what it
/// replaces.
struct FileModeTests {
    private static func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// The files and folders in and at a path that others than the owner have any right to.
    private static func openPaths(_ path: String) throws -> [String] {
        let inner =
            try mode(path) & 0o077 == 0
            ? [] : (FileManager.default.subpaths(atPath: path) ?? []).map { path + "/" + $0 }
        return try ([path] + inner).filter { try mode($0) & 0o077 != 0 }
    }

    private static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// A private document of a form, with a large value.
    private static func document(_ name: String, in folder: URL) throws -> String {
        let package = try FolioCommand.copyOfDocument(in: folder), path = folder.path + "/" + name
        let value = folder.appendingPathComponent("value")
        try Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }).write(to: value)
        #expect(try FolioCommand.run("set", package, "Person/p1", "portrait=@\(value.path)").exit == 0)
        #expect(try FolioCommand.run("save-as", package, path).exit == 0)
        try FileManager.default.removeItem(atPath: package)
        try setMode(name.hasSuffix(".folio") ? 0o700 : 0o600, path)
        if name == "A.sqlite" { try setMode(0o700, folder.path + "/.A_SUPPORT") }
        return path
    }

    @Test(
        arguments: ["A.sqlite", "A.xml", "A.folioz", "A.folio"],
        ["Copy.sqlite", "Copy.xml", "Copy.folioz", "Copy.folio"])
    func aCopyOfAPrivateDocumentIsPrivate(name: String, copy: String) throws {
        try withTemporaryDirectory { folder in
            let document = try Self.document(name, in: folder)
            #expect(
                try FolioCommand.run("save-as", document, folder.path + "/" + copy, "--model", FolioCommand.model).exit
                    == 0)
            #expect(try Self.openPaths(folder.path + "/" + copy) == [])
            if copy == "Copy.sqlite" { #expect(try Self.openPaths(folder.path + "/.Copy_SUPPORT") == []) }
        }
    }

    @Test func packingUnpackingAndRepairingKeepADocumentPrivate() throws {
        try withTemporaryDirectory { folder in
            let archive = try Self.document("A.folioz", in: folder), package = folder.path + "/B.folio"
            #expect(try FolioCommand.run("unpack", archive, package).exit == 0)
            #expect(try Self.openPaths(package) == [])
            #expect(try FolioCommand.run("pack", package, folder.path + "/C.folioz").exit == 0)
            #expect(try Self.openPaths(folder.path + "/C.folioz") == [])
            for name in ["D.folio", "D.folioz"] {
                let source = name.hasSuffix("z") ? archive : package
                #expect(try FolioCommand.run("repair", source, "-o", folder.path + "/" + name).exit == 0)
                #expect(try Self.openPaths(folder.path + "/" + name) == [])
            }
        }
    }

    @Test func whatEveryoneMayReadStaysSo() throws {
        try withTemporaryDirectory { folder in
            let archive = try Self.document("A.folioz", in: folder), package = folder.path + "/B.folio", mask = umask(0)
            umask(mask)
            try Self.setMode(0o644, archive)
            #expect(try FolioCommand.run("unpack", archive, package).exit == 0)
            #expect(try Self.mode(package) == 0o755 & ~Int(mask))
            #expect(try Self.mode(package + "/store/store.sqlite") == 0o644 & ~Int(mask))
            #expect(try Self.mode(package + "/manifest.json") == 0o644 & ~Int(mask))
        }
    }
}

extension FileModeTests {
    @Test(arguments: ["A.sqlite", "A.folioz", "A.folio"]) func whatAMigrationKeepsAsideIsPrivate(name: String) throws {
        try withTemporaryDirectory { folder in
            let document = try Self.document(name, in: folder),
                model = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
            let outcome = try FolioCommand.run("migrate", document, "--model", model)
            #expect(outcome.exit == 0, "\(outcome.messages)")
            for entry in try FileManager.default.contentsOfDirectory(atPath: folder.path)
            where entry.hasPrefix("A") || entry.hasPrefix(".A") {
                #expect(try Self.openPaths(folder.path + "/" + entry) == [], "\(entry)")
            }
        }
    }

    @Test func aValueBesideAPrivateStoreIsPrivate() throws {
        try withTemporaryDirectory { folder in
            let store = try Self.document("A.sqlite", in: folder), value = folder.appendingPathComponent("other")
            try FileManager.default.removeItem(atPath: folder.path + "/.A_SUPPORT")
            try Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 11) }).write(to: value)
            #expect(try FolioCommand.run("set", store, "Person/p2", "portrait=@\(value.path)").exit == 0)
            #expect(try Self.openPaths(folder.path + "/.A_SUPPORT") == [])
            let package = try FolioCommand.copyOfDocument(in: folder)
            try Self.setMode(0o600, package + "/store/store.sqlite")
            #expect(try FolioCommand.run("set", package, "Person/p2", "portrait=@\(value.path)").exit == 0)
            #expect(try Self.openPaths(package + "/content") == [])
        }
    }

    /// A file of somebody else's stays theirs, where the process may give files away.
    @Test(.enabled(if: geteuid() == 0, "only root may give files away"), arguments: ["A.folioz", "A.xml"])
    func aDocumentThatRootEditsKeepsItsOwner(name: String) throws {
        try withTemporaryDirectory { folder in
            let document = try Self.document(name, in: folder)
            #expect(chown(document, 12_345, 12_346) == 0)
            #expect(
                try FolioCommand.run("set", document, "Person/p1", "name=Edited", "--model", FolioCommand.model).exit
                    == 0)
            let attributes = try FileManager.default.attributesOfItem(atPath: document)
            #expect(attributes[.ownerAccountID] as? Int == 12_345 && attributes[.groupOwnerAccountID] as? Int == 12_346)
            #expect(try Self.mode(document) == 0o600)
        }
    }

    /// Runs the command as somebody of two groups.
    private static let member = ["/usr/bin/setpriv", "--reuid", "12345", "--regid", "12346", "--groups", "12347"]
    /// Whether this process may become somebody else, who can run the command where it is.
    private static let canBeMember = geteuid() == 0 && (try? FolioCommand.run(["--version"], through: member).exit) == 0

    /// A group that the old file was not of gets nothing of the new one.
    @Test(
        .enabled(if: canBeMember, "only root may become somebody else"), arguments: ["A.folioz", "A.xml"],
        [12_347, 12_348])
    func anEditKeepsTheGroupOrGivesItNothing(name: String, group: Int) throws {
        try withTemporaryDirectory { folder in
            let document = try Self.document(name, in: folder), state = folder.path + "/state"
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
            for path in [folder.path, state] { #expect(chown(path, 12_345, 12_346) == 0) }
            #expect(chown(document, 12_345, gid_t(group)) == 0)
            try Self.setMode(0o640, document)
            let runner = Self.member + ["/usr/bin/env", "XDG_STATE_HOME=\(state)"]
            let outcome = try FolioCommand.run(
                ["set", document, "Person/p1", "name=Edited", "--model", FolioCommand.model], through: runner)
            #expect(outcome.exit == 0, "\(outcome.messages)")
            let after = try #require(
                try FileManager.default.attributesOfItem(atPath: document)[.groupOwnerAccountID] as? Int)
            #expect(after == (group == 12_347 ? group : 12_346))
            #expect(try Self.mode(document) == (after == group ? 0o640 : 0o600))
        }
    }
}
