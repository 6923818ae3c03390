import ArchiveKit
import FileSystem
import Foundation
import TestSupport
import Testing

/// Each row of the table of threats against archives: a typed error that names the entry, and
/// nothing left behind.
struct HostileArchiveTests {
    private let content = [UInt8](repeating: 7, count: 100)

    private func good(_ folder: URL) throws -> [UInt8] {
        try ArchiveFixture.bytes([("mimetype", [1]), ("aaaaaaaa", content), ("bbbbbbbb", content)], in: folder)
    }

    @Test(arguments: [
        "../../xx", "/aaaaaaa", "aa/../bb", "a\\..\\bbb", "C:aaaaaa", "aaaa\u{0}aaa", "aaa\u{1B}[31m", "aa\u{202E}aaa",
        "aaa//aaa", "./aaaaaa",
    ])
    func unsafeNamesAreRefused(_ name: String) throws {
        try withTemporaryDirectory { folder throws in
            let bytes = ArchiveFixture.renaming("aaaaaaaa", to: Array(name.utf8), in: try good(folder))
            #expect(try ArchiveFixture.refusal(bytes, in: folder)?.code == .unsafeName)
        }
    }

    @Test func namesThatAreNoTextAreRefused() throws {
        try withTemporaryDirectory { folder throws in
            let bytes = ArchiveFixture.renaming(
                "aaaaaaaa", to: [0xFF, 0xFE, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61], in: try good(folder))
            #expect(try ArchiveFixture.refusal(bytes, in: folder)?.code == .unsafeName)
        }
    }

    @Test(arguments: ["bbbbbbbb", "BBBBBBBB"])
    func doubledNamesAreRefused(_ name: String) throws {
        try withTemporaryDirectory { folder throws in
            let bytes = ArchiveFixture.renaming("aaaaaaaa", to: Array(name.utf8), in: try good(folder))
            #expect(try ArchiveFixture.refusal(bytes, in: folder)?.code == .duplicateName)
        }
    }

    @Test func aNameThatIsFileAndFolderIsRefused() throws {
        try withTemporaryDirectory { folder throws in
            for names in [["a", "a/b"], ["a/b", "a"]] {
                let bytes = try ArchiveFixture.bytes(names.map { ($0, content) }, in: folder)
                let error = try ArchiveFixture.refusal(bytes, in: folder)
                #expect(error?.code == .duplicateName)
            }
        }
    }

    @Test func anotherNameInTheEntrysOwnHeaderIsRefused() throws {
        try withTemporaryDirectory { folder throws in
            let bytes = ArchiveFixture.renaming(
                "aaaaaaaa", to: Array("cccccccc".utf8), in: try good(folder), onlyFirst: true)
            let error = try ArchiveFixture.refusal(bytes, in: folder)
            #expect(error?.code == .ambiguous)
            #expect(error?.entry == "aaaaaaaa")
        }
    }

    @Test(arguments: [0o120777, 0o010644, 0o020644, 0o140755] as [UInt32])
    func linksAndDevicesAreRefused(_ mode: UInt32) throws {
        try withTemporaryDirectory { folder throws in
            #expect(try ArchiveFixture.refusal(withMode(mode, folder), in: folder)?.code == .unsuitableEntry)
        }
    }

    @Test func setUserModesAreRefused() throws {
        try withTemporaryDirectory { folder throws in
            #expect(try ArchiveFixture.refusal(withMode(0o104755, folder), in: folder)?.code == .unsuitableEntry)
        }
    }

    private func withMode(_ mode: UInt32, _ folder: URL) throws -> [UInt8] {
        var bytes = try good(folder)
        let place = ArchiveFixture.place(of: ArchiveFixture.centralHeader, in: bytes, skipping: 1) + 38
        withUnsafeBytes(of: (mode << 16).littleEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
        return bytes
    }

    @Test func encryptedIsToldFromDamaged() throws {
        try withTemporaryDirectory { folder throws in
            var bytes = try good(folder)
            bytes[ArchiveFixture.place(of: ArchiveFixture.localHeader, in: bytes, skipping: 1) + 6] = 1
            bytes[ArchiveFixture.place(of: ArchiveFixture.centralHeader, in: bytes, skipping: 1) + 8] = 1
            #expect(try ArchiveFixture.refusal(bytes, in: folder)?.code == .encrypted)
        }
    }
}

extension HostileArchiveTests {
    @Test func anUnknownMethodIsUnsupported() throws {
        try withTemporaryDirectory { folder throws in
            var bytes = try good(folder)
            bytes[ArchiveFixture.place(of: ArchiveFixture.localHeader, in: bytes, skipping: 1) + 8] = 14
            bytes[ArchiveFixture.place(of: ArchiveFixture.centralHeader, in: bytes, skipping: 1) + 10] = 14
            #expect(try ArchiveFixture.refusal(bytes, in: folder)?.code == .unsupported)
        }
    }

    @Test func everyCutIsRefused() throws {
        try withTemporaryDirectory { folder throws in
            let bytes = try good(folder)
            for count in 1..<bytes.count {
                let error = try ArchiveFixture.refusal(Array(bytes[..<count]), in: folder)
                #expect(error != nil, "cut to \(count) bytes")
                if count >= 4 {
                    #expect(error?.code == .truncated, "cut to \(count) bytes: \(String(describing: error))")
                }
            }
        }
    }

    @Test func junkAroundIsRefused() throws {
        try withTemporaryDirectory { folder throws in
            let bytes = try good(folder)
            #expect(try ArchiveFixture.refusal([0] + bytes, in: folder) != nil)
            #expect(try ArchiveFixture.refusal(bytes + [0], in: folder)?.code == .ambiguous)
        }
    }

    @Test func aWrongChecksumIsDamage() throws {
        try withTemporaryDirectory { folder throws in
            var bytes = try good(folder)
            bytes[ArchiveFixture.place(of: content, in: bytes) + 5] ^= 1
            let error = try ArchiveFixture.refusal(bytes, in: folder)
            #expect(error?.code == .damaged)
            #expect(error?.entry == "aaaaaaaa")
        }
    }

    @Test func overlappingEntriesAreRefused() throws {
        try withTemporaryDirectory { folder throws in
            var bytes = try good(folder)
            // The third entry's record points to the second one's header.
            let second = ArchiveFixture.place(of: ArchiveFixture.centralHeader, in: bytes, skipping: 1) + 42
            let third = ArchiveFixture.place(of: ArchiveFixture.centralHeader, in: bytes, skipping: 2) + 42
            for index in 0..<4 { bytes[third + index] = bytes[second + index] }
            #expect(try ArchiveFixture.refusal(bytes, in: folder)?.code == .ambiguous)
        }
    }

    @Test func aBombIsRefusedBeforeItIsUnpacked() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/bomb.zip"
            try ArchiveFixture.write(
                [ArchivePart(name: "bomb", content: .bytes([UInt8](repeating: 0, count: 8 << 20)))], to: path)
            // What the writer makes of it keeps to the rule; a stricter reader takes it for a bomb.
            let bytes = try Disk.read(path, limit: 1 << 30)
            #expect(try ArchiveFixture.refusal(bytes, in: folder) == nil)
            var strict = ArchiveLimits()
            strict.ratio = 20
            #expect(try ArchiveFixture.refusal(bytes, in: folder, limits: strict)?.code == .tooLarge)
        }
    }

    @Test func lyingSizesStopTheUnpacking() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/lie.zip"
            try ArchiveFixture.write(
                [ArchivePart(name: "lie", content: .bytes([UInt8](repeating: 65, count: 100_000)))], to: path)
            var bytes = try Disk.read(path, limit: 1 << 30)
            for (signature, offset) in [(ArchiveFixture.localHeader, 22), (ArchiveFixture.centralHeader, 24)] {
                let place = ArchiveFixture.place(of: signature, in: bytes) + offset
                bytes.replaceSubrange(place..<place + 4, with: [10, 0, 0, 0])
            }
            #expect(try ArchiveFixture.refusal(bytes, in: folder) != nil)
        }
    }
}

extension HostileArchiveTests {
    @Test func tooManyEntriesAndTooMuchContentAreRefused() throws {
        try withTemporaryDirectory { folder throws in
            var limits = ArchiveLimits()
            limits.entries = 2
            let bytes = try good(folder)
            #expect(try ArchiveFixture.refusal(bytes, in: folder, limits: limits)?.code == .tooMany)
            limits = ArchiveLimits()
            limits.total = 150
            #expect(try ArchiveFixture.refusal(bytes, in: folder, limits: limits)?.limit == 150)
        }
    }

    @Test func textIsNoArchive() throws {
        try withTemporaryDirectory { folder throws in
            #expect(
                try ArchiveFixture.refusal(Array("just some text, and a good deal of it".utf8), in: folder)?.code
                    == .notAnArchive)
            #expect(try ArchiveFixture.refusal([], in: folder)?.code == .notAnArchive)
        }
    }

    @Test func noFlippedBitTrapsOrEscapes() throws {
        try withTemporaryDirectory { folder throws in
            let bytes = try ArchiveFixture.bytes(
                [("mimetype", [1, 2, 3]), ("store/a", [UInt8](repeating: 9, count: 40))], in: folder)
            for bit in 0..<bytes.count * 8 {
                var spoilt = bytes
                spoilt[bit / 8] ^= 1 << UInt8(bit % 8)
                let target = folder.path + "/flip"
                do {
                    try ArchiveFixture.reader(spoilt, in: folder).extract(to: target)
                    // Times, versions and the like carry nothing here.
                    try Disk.removeTree(target)
                } catch is ArchiveError {
                    #expect(try !Disk.exists(target))
                }
            }
            #expect(try Disk.list(folder.path).allSatisfy { $0.name.hasSuffix(".zip") })
        }
    }
}
