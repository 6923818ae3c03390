import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// Places with rules of their own: for names, for the group and the owner of new files, for
/// removing open files.
struct OddPlaceTests {
    private func make(_ url: URL, _ form: DocumentForm = .package) async throws {
        let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
        try Library.fill(document.context)
        try await document.save()
        try await document.close()
    }

    private func edit(_ url: URL) async throws {
        let document = try await PersistentDocument.open(url, model: Library.model())
        try Library.insertBook("new", document)
        try await document.save()
        try await document.close()
    }

    // MARK: Names

    @Test func aPackageIsRefusedWhereNamesComeBackInOtherLetters() async throws {
        try await withFolder { folder in
            let package = folder.appendingPathComponent("A.folio"), archive = folder.appendingPathComponent("A.folioz")
            try await make(package)
            try await make(archive, .archive)
            func expectRefusal(_ body: () async throws -> Void) async {
                let error = await #expect(throws: DocumentError.self) { try await body() }
                #expect(error?.code == .unsupported)
            }
            try await NameKeeping.$assumed.withValue({ $0.hasPrefix(folder.path) ? false : true }) {
                await expectRefusal { try await make(folder.appendingPathComponent("B.folio")) }
                await expectRefusal {
                    try await PersistentDocument.unpack(archive, to: folder.appendingPathComponent("C.folio"))
                }
                await expectRefusal { try await edit(package) }
                // One file has one name.
                try await edit(archive)
                try await make(folder.appendingPathComponent("D.folioz"), .archive)
            }
            #expect(try Disk.list(folder.path).map(\.name).sorted() == ["A.folio", "A.folioz", "D.folioz"])
            #expect(
                try DocumentVerifier.verify(folder.appendingPathComponent("D.folioz"), isThorough: true).isEmpty)
        }
    }

    @Test func whetherNamesComeBackIsTriedOut() throws {
        try withTemporaryDirectory { folder in
            let holds = try Volume.$assumed.withValue({ _ in .userSpace }) { try NameKeeping.holds(in: folder.path) }
            #expect(holds)
            #expect(try Disk.list(folder.path).isEmpty)
        }
    }

    // MARK: Leftovers

    @Test func aLeftoverThatCantBeRemovedYetDoesNotPreventOpening() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url)
            // Nested too deep to be removed.
            let leftover = url.path + "/.store.tmp-\(UUID().uuidString.lowercased())"
            try Disk.makeDirectories(leftover + String(repeating: "/d", count: 140))
            try await edit(url)
            #expect(try DocumentVerifier.verify(url).isEmpty)
        }
    }

    @Test func aPackageWhoseManifestIsOfTheSaveBeforeIsPacked() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), packed = folder.appendingPathComponent("B.folioz")
            try await make(url)
            let manifest = url.appendingPathComponent("manifest.json"), before = try Data(contentsOf: manifest)
            try await edit(url)
            try before.write(to: manifest)
            try await PersistentDocument.pack(url, to: packed)
            #expect(try DocumentVerifier.verify(packed, isThorough: true).isEmpty)
            let document = try await PersistentDocument.open(packed, mode: .reading)
            #expect(try Library.titles(document).contains("new"))
            try await document.close()
        }
    }

    // MARK: Rights

    private func rights(_ url: URL) throws -> String {
        let status = try #require(try Disk.status(of: url.path))
        return "\(status.user) \(status.group) \(String(status.mode, radix: 8))"
    }

    @Test(.enabled(if: geteuid() == 0), arguments: [DocumentForm.package, .archive, .store, .xmlStore])
    func aSaveBySuperuserLeavesNothingOfItsOwn(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent(form == .package ? "A.folio" : "A")
            try await make(url, form)
            func own(_ path: String) throws {
                #expect(lchown(path, 12345, 12346) == 0)
                if try Disk.kind(of: path) == .directory {
                    for entry in try Disk.list(path) { try own(path + "/" + entry.name) }
                }
            }
            for entry in try Disk.list(folder.path) { try own(folder.path + "/" + entry.name) }
            let document = try await PersistentDocument.open(url, model: Library.model())
            let book = try document.context.insert("Book")
            book["cover"] = Library.cover + [1]
            try await document.save()
            try await document.close()
            if form == .package { try await PersistentDocument.restore(url, to: 1) }
            func owners(_ path: String) throws -> Set<UInt32> {
                let status = try #require(try Disk.status(of: path))
                return status.kind == .directory
                    ? try Disk.list(path).reduce(into: [status.user]) { $0.formUnion(try owners(path + "/" + $1.name)) }
                    : [status.user]
            }
            for entry in try Disk.list(folder.path) {
                #expect(try owners(folder.path + "/" + entry.name) == [12345], "\(entry.name)")
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0)) func partsOfNewPackagesGetTheGroupOfTheFolder() async throws {
        try await withFolder { folder in
            let team = folder.appendingPathComponent("team"), packed = folder.appendingPathComponent("A.folioz")
            try Disk.makeDirectory(team.path)
            #expect(chown(team.path, 0, 12346) == 0)
            try Disk.setMode(0o2775, of: team.path)
            try await make(team.appendingPathComponent("A.folio"))
            try await make(packed, .archive)
            try await PersistentDocument.unpack(packed, to: team.appendingPathComponent("B.folio"))
            try await edit(team.appendingPathComponent("A.folio"))
            func check(_ path: String) throws {
                let status = try #require(try Disk.status(of: path))
                #expect(status.group == 12346, "\(path)")
                guard status.kind == .directory else { return }
                #expect(status.mode & 0o2000 != 0, "\(path)")
                for entry in try Disk.list(path) { try check(path + "/" + entry.name) }
            }
            try check(team.path)
        }
    }

    /// A list that lets another user write, and the group read only.
    private static let list: [UInt8] =
        [2, 0, 0, 0] + [1, 0, 6, 0, 255, 255, 255, 255] + [2, 0, 6, 0, 0x39, 0x30, 0, 0]
        + [4, 0, 4, 0, 255, 255, 255, 255] + [16, 0, 6, 0, 255, 255, 255, 255] + [32, 0, 0, 0, 255, 255, 255, 255]
    private static let listName = "system.posix_acl_access"

    @Test(arguments: [DocumentForm.archive, .xmlStore, .binaryStore])
    func aReplacedFileKeepsItsAccessList(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A"), other = folder.appendingPathComponent("B")
            try await make(url, form)
            try await make(other, form)
            guard (try? File(url.path).setAttribute(Self.listName, to: Self.list)) != nil else { return }
            let list = try File(url.path).attribute(Self.listName), before = try rights(url)
            func expectSame(_ what: Comment) throws {
                #expect(try File(url.path).attribute(Self.listName) == list, what)
                #expect(try rights(url) == before, what)
            }
            try await edit(url)
            try expectSame("saved")
            let document = try await PersistentDocument.open(other, mode: .reading, model: Library.model())
            try await document.write(to: url, form: form, replacing: true)
            try await document.close()
            try expectSame("replaced")
        }
    }
}
