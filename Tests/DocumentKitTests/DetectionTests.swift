import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import TestSupport
import Storage
import Testing

struct DetectionTests {
    /// What looking at a path says where it refuses.
    private func refusal(_ path: String) throws -> DocumentError? {
        do {
            _ = try DetectedDocument(path)
            return nil
        } catch let error as DocumentError {
            return error
        }
    }

    private static func header(pages: UInt8) -> [UInt8] {
        var bytes = Array("SQLite format 3\u{0}".utf8) + [UInt8](repeating: 0, count: 84)
        bytes[16] = 0x10
        bytes[31] = pages
        return bytes
    }

    @Test func nothingThereIsNotFound() throws {
        try withTemporaryDirectory { folder throws in
            #expect(try refusal(folder.path + "/none")?.code == .notFound)
        }
    }

    @Test func aFolderWithoutManifestIsNamedAsSuch() throws {
        try withTemporaryDirectory { folder throws in
            let error = try refusal(folder.path)
            #expect(error?.code == .malformed)
            #expect(error?.message == "a folder without manifest.json, not a document")
        }
    }

    @Test func aTextFileIsNamedAsSuch() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a.sqlite"
            try Disk.replaceFile(path, with: Array("hello".utf8))
            #expect(try refusal(path)?.message == "a text file, not a document")
            try Disk.replaceFile(path, with: [])
            #expect(try refusal(path)?.message == "an empty file, not a document")
            try Disk.replaceFile(path, with: [0xFF, 0, 0xFE])
            #expect(try refusal(path)?.code == .malformed)
        }
    }

    @Test func aTruncatedStoreIsNamedAsSuch() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a"
            for bytes in [Self.header(pages: 5), Array(Self.header(pages: 1).prefix(50)), Array("SQLite for".utf8)] {
                try Disk.replaceFile(path, with: bytes)
                let error = try refusal(path)
                #expect(error?.code == .malformed)
                #expect(error?.message.hasPrefix("a truncated store") == true, "\(error?.message ?? "")")
            }
        }
    }

    @Test func otherStoreTypesAreKnown() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a"
            try Disk.replaceFile(path, with: Array("bplist00rest".utf8))
            #expect(try refusal(path)?.code == .unsupported)
            try Disk.replaceFile(
                path, with: Array("<?xml version=\"1.0\"?><!DOCTYPE database SYSTEM \"x\"><database></database>".utf8))
            #expect(try DetectedDocument(path).storeType == .xml)
            try Disk.replaceFile(path, with: [0x89, 0x46, 0x4F, 0x4C, 0x49, 0x4F, 0x0D, 0x0A, 1, 0, 0, 0])
            #expect(try DetectedDocument(path).storeType == .binary)
            #expect(try DetectedDocument(path).kind == .store)
        }
    }

    @Test func aFIFOIsRefusedWithoutWaiting() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a"
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/mkfifo")
            process.arguments = [path]
            try process.run()
            process.waitUntilExit()
            #expect(try refusal(path)?.message == "neither a file nor a folder")
        }
    }

    @Test func contentDecidesNotTheName() throws {
        try withTemporaryDirectory { folder throws in
            try Disk.replaceFile(folder.path + "/a.txt", with: Self.header(pages: 0))
            #expect(try DetectedDocument(folder.path + "/a.txt").kind == .store)
            try Disk.makeDirectories(folder.path + "/b.sqlite/StoreContent")
            try Disk.replaceFile(folder.path + "/b.sqlite/StoreContent/persistentStore", with: Self.header(pages: 0))
            #expect(try DetectedDocument(folder.path + "/b.sqlite").kind == .managedDocument)
            try Disk.makeDirectory(folder.path + "/c")
            try Disk.replaceFile(folder.path + "/c/manifest.json", with: [])
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/d", withDestinationPath: "c")
            #expect(try DetectedDocument(folder.path + "/d").kind == .package)
            #expect(try DetectedDocument(folder.path + "/d").path.hasSuffix("/c"))
        }
    }
}
