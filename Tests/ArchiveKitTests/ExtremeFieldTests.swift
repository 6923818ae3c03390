import ArchiveKit
import FileSystem
import Foundation
import TestSupport
import Testing

/// Zip archives whose fields say impossible things: a typed error or a result, and no arithmetic
/// that runs over.
struct ExtremeFieldTests {
    /// Where a record's numbers stand, after its signature.
    private struct Record {
        let signature: [UInt8]
        let fields: [(place: Int, count: Int)]
    }

    private let records = [
        Record(signature: [0x50, 0x4B, 3, 4], fields: [(6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)]),
        Record(
            signature: [0x50, 0x4B, 1, 2],
            fields: [(8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (34, 2), (38, 4), (42, 4)]),
        Record(signature: [0x50, 0x4B, 5, 6], fields: [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)]),
        Record(signature: [0x50, 0x4B, 6, 6], fields: [(4, 8), (16, 4), (20, 4), (24, 8), (32, 8), (40, 8), (48, 8)]),
        Record(signature: [0x50, 0x4B, 6, 7], fields: [(4, 4), (8, 8), (16, 4)]),
    ]

    @Test func archivesAreReadOrRefused() throws {
        var dice = SplitMix(state: 24)
        try withTemporaryDirectory { folder in
            let small = try ArchiveFixture.bytes(
                [("mimetype", [1]), ("a", [UInt8](repeating: 7, count: 300)), ("b/c", [2, 3])], in: folder)
            for good in [small, wide(small)] {
                let places = places(in: good), path = folder.path + "/x.zip"
                for round in 0..<sweep(500, all: 8_000) {
                    var bytes = good
                    for _ in 0...(dice.next() % 3) {
                        let place = places[Int(dice.next() % UInt64(places.count))]
                        dice.putExtreme(into: &bytes, at: place.0, count: place.1)
                    }
                    try Data(bytes).write(to: URL(fileURLWithPath: path))
                    do {
                        let file = try File(path)
                        for entry in try ZipDirectory(file).entries {
                            #expect(entry.dataOffset + entry.compressedSize <= Int64(bytes.count))
                        }
                        if round % 10 == 0 {
                            let target = folder.path + "/out"
                            defer { try? Disk.removeTree(target) }
                            try ArchiveReader(file).extract(to: target)
                        }
                    } catch is ArchiveError {}
                    guard round % 20 == 0 else { continue }
                    let target = folder.path + "/salvaged"
                    try Disk.makeDirectory(target)
                    defer { try? Disk.removeTree(target) }
                    do {
                        var salvager = try ArchiveSalvager(File(path)) { _ in true }
                        _ = try salvager.extract(to: target)
                    } catch is ArchiveError {}
                }
            }
        }
    }

    private func places(in bytes: [UInt8]) -> [(Int, Int)] {
        var places: [(Int, Int)] = []
        for start in 0..<bytes.count - 4 {
            for record in records where bytes[start..<start + 4].elementsEqual(record.signature) {
                places += record.fields.map { (start + $0.place, $0.count) }
            }
        }
        return places
    }

    /// The same archive with a Zip64 end, and sizes and places in the extra field of its last
    /// entry.
    private func wide(_ bytes: [UInt8]) -> [UInt8] {
        func number(_ place: Int, _ count: Int) -> UInt64 {
            bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func little(_ number: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        }
        let end = bytes.count - 22, directory = Int(number(end + 16, 4))
        let last = (directory..<end).last { bytes[$0..<$0 + 4].elementsEqual([0x50, 0x4B, 1, 2]) } ?? directory
        let name = Int(number(last + 28, 2)), extra = Int(number(last + 30, 2))
        var header = Array(bytes[last..<last + 46 + name])
        let field =
            little(1, 2) + little(24, 2) + little(number(last + 24, 4), 8) + little(number(last + 20, 4), 8)
            + little(number(last + 42, 4), 8)
        header.replaceSubrange(20..<28, with: [UInt8](repeating: 0xFF, count: 8))
        header.replaceSubrange(42..<46, with: [UInt8](repeating: 0xFF, count: 4))
        header.replaceSubrange(30..<32, with: little(UInt64(field.count + extra), 2))
        let tail = Array(bytes[(last + 46 + name)..<end])
        var result = Array(bytes[..<last]) + header + field + tail
        let size = UInt64(result.count - directory), count = number(end + 10, 2), place = UInt64(result.count)
        result +=
            [0x50, 0x4B, 6, 6] + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 4) + little(0, 4)
            + little(count, 8) + little(count, 8) + little(size, 8) + little(UInt64(directory), 8)
        result += [0x50, 0x4B, 6, 7] + little(0, 4) + little(place, 8) + little(1, 4)
        return result + [0x50, 0x4B, 5, 6] + little(0, 4) + little(count, 2) + little(count, 2)
            + [UInt8](repeating: 0xFF, count: 8) + little(0, 2)
    }

    @Test func theWideArchiveIsReadAsItIs() throws {
        try withTemporaryDirectory { folder in
            let small = try ArchiveFixture.bytes([("mimetype", [1]), ("b/c", [2, 3])], in: folder)
            #expect(try ArchiveFixture.refusal(wide(small), in: folder) == nil)
        }
    }
}
