import ArchiveKit
import FileSystem
import Foundation
import TestSupport
import Testing

/// Entries that are read in pieces, wherever they lie.
struct EntryInputTests {
    private static let text = (0..<900_000).map { UInt8(truncatingIfNeeded: ($0 / 64) &* 7) }
    private static let noise = { (0..<900_000).map { _ in UInt8.random(in: .min ... .max) } }()

    private func read(_ input: EntryInput, from start: Int64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let done = try bytes.withUnsafeMutableBytes { try input.read(into: $0, at: start) }
        return Array(bytes[..<done])
    }

    private func readAll(_ input: EntryInput, by size: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while case let piece = try read(input, from: Int64(bytes.count), count: size), !piece.isEmpty { bytes += piece }
        return bytes
    }

    @Test(arguments: [true, false]) func anEntryIsReadFromFrontToBackAndAnywhere(isStored: Bool) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a.zip"
            try ArchiveFixture.write(
                [
                    ArchivePart(name: "before", content: .bytes(Self.noise)),
                    ArchivePart(name: "value", content: .bytes(Self.text), isStored: isStored),
                    ArchivePart(name: "empty", content: .bytes([])),
                ], to: path)
            let reader = try ArchiveReader(File(path))
            let entry = try #require(reader.directory["value"])
            #expect((entry.method == .stored) == isStored)
            for size in [1 << 20, 70_001, 4096] { #expect(try readAll(reader.input(of: entry), by: size) == Self.text) }
            let input = try reader.input(of: entry)
            for start in [500_000, 10, 899_990, 0, 300_000, 300_100] {
                #expect(
                    try read(input, from: Int64(start), count: 100)
                        == Array(Self.text[start..<min(start + 100, Self.text.count)]))
            }
            #expect(try read(input, from: 900_000, count: 5).isEmpty)
            #expect(try readAll(reader.input(of: #require(reader.directory["empty"])), by: 10).isEmpty)
        }
    }

    @Test(arguments: [true, false]) func whoReadsADamagedEntryToItsEndIsTold(isStored: Bool) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a.zip"
            try ArchiveFixture.write(
                [ArchivePart(name: "value", content: .bytes(Self.text), isStored: isStored)], to: path)
            let entry = try #require(try ZipDirectory(File(path))["value"])
            var bytes = try Disk.read(path, limit: 1 << 30)
            bytes[Int(entry.dataOffset + entry.compressedSize / 2)] ^= 4
            try Disk.replaceFile(path, with: bytes)
            let input = try ArchiveReader(File(path)).input(of: entry)
            let error = #expect(throws: ArchiveError.self) { try readAll(input, by: 50_000) }
            #expect([.damaged, .truncated, .tooLarge].contains(error?.code), "\(String(describing: error))")
            #expect(error?.entry == "value")
        }
    }

    /// What is as good as empty would be taken for a bomb if it were compressed as far as it can
    /// be.
    @Test(arguments: [1 << 20, (1 << 20) + 1, 5 << 20, 60 << 20]) func emptyContentIsWrittenSoThatItCanBeReadAgain(
        size: Int
    ) throws {
        try withTemporaryDirectory { folder in
            let source = folder.path + "/zeros", path = folder.path + "/a.zip"
            try File(source, .create()).truncate(to: Int64(size))
            let part = ArchivePart(name: "value", content: .file(path: source))
            try ArchiveFixture.write([part], to: path)
            let reader = try ArchiveReader(File(path))
            let entry = try #require(reader.directory["value"])
            #expect(entry.size == Int64(size))
            #expect(entry.compressedSize < Int64(size) / 2)
            try reader.extract(to: folder.path + "/out")
            #expect(try Disk.read(folder.path + "/out/value", limit: 1 << 30) == [UInt8](repeating: 0, count: size))
            // Reproducible as all else.
            try ArchiveFixture.write([part], to: folder.path + "/b.zip")
            #expect(try Disk.read(path, limit: 1 << 30) == Disk.read(folder.path + "/b.zip", limit: 1 << 30))
        }
    }
}
