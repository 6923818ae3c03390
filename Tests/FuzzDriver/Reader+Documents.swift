import ArchiveKit
import Coding
import DocumentFiles
import FileSystem
import Foundation
import ModelFiles
import Storage

/// Readers of what documents keep beside their stores. Each keeps its files open or has none.
extension Reader {
    static func makeOther(_ name: String, _ fixtures: Fixtures, _ place: String) throws -> Reader {
        switch name {
        case "compiled-mapping":
            return Reader(name: name, seeds: [compiledMapping()]) { _ = try MappingFile.decode(Data($0)) }
        case "marker":
            return Reader(
                name: name,
                seeds: try [fixtures.package, fixtures.packageWithWAL].map {
                    try documentMetadata($0 + "/store/store.sqlite")
                }
            ) { bytes in
                guard case .dictionary(let pairs) = try PropertyList.decode(Data(bytes)) else { return }
                _ = DocumentMarker(pairs.mapValues { MetadataValue($0) })?.nextSave().metadata
            }
        case "origin":
            let text = """
                {"path": "/a/A.folioz", "pending": {"digest": "ab", "identity": {"device": 1, "inode": 9, "modified": 12, "modifiedNanoseconds": 3, "size": 7}},
                 "state": {"digest": "cd", "identity": {"device": 1, "inode": 8, "modified": 12, "modifiedNanoseconds": 3, "size": 7}}}
                """
            return Reader(name: name, seeds: [Array(text.utf8)], isText: true) { _ = WorkingSetOrigin.decode($0) }
        case "zip64":
            let file = try File(place, .openOrCreate(mode: 0o600))
            return Reader(name: name, seeds: [Zip64.archive]) { bytes in
                try rewrite(file, bytes)
                let reader = try ArchiveReader(file)
                for entry in reader.directory.entries where !entry.isDirectory {
                    _ = try? reader.read(entry.name, limit: 1 << 16)
                }
            }
        case "page-sums": return try pageSums(place)
        default: throw Fixtures.Failure(description: "no reader \(name)")
        }
    }

    private static func rewrite(_ file: File, _ bytes: [UInt8]) throws {
        try file.truncate(to: Int64(bytes.count))
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// An archive whose store has sums; only these are written anew.
    private static func pageSums(_ place: String) throws -> Reader {
        let store = place + ".sqlite", archive = try File(place, .create(mode: 0o600))
        let pages = [UInt8]((0..<3 * PageSums.pageSize + 100).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try Data(pages).write(to: URL(fileURLWithPath: store))
        let parts = try StoreCheck.$largestWhole.withValue(0) { try PageSums.storeParts(store) }
        try ArchiveWriter.write(parts, to: archive)
        let reader = try ArchiveReader(archive), directory = reader.directory
        guard let entry = directory["store/store.sums"] else { throw Fixtures.Failure(description: "no sums") }
        let seed = try reader.read(entry.name, limit: 1 << 16)
        let mend: ([UInt8]) -> [UInt8] = { bytes in
            guard bytes.count >= 32 else { return bytes }
            let sum = CRC32.checksum(Array(bytes[..<28]))
            return bytes[..<28] + (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(8 * $0)) } + bytes[32...]
        }
        return Reader(name: "page-sums", seeds: [seed], mend: mend) { bytes in
            let fitting =
                Array(bytes.prefix(seed.count)) + [UInt8](repeating: 0, count: max(0, seed.count - bytes.count))
            try fitting.withUnsafeBytes { try archive.write($0, at: entry.dataOffset) }
            guard let sums = try PageSums(directory, in: archive) else { return }
            for page in [0, 1, 3, Int64.max / Int64(PageSums.pageSize)] {
                _ = try pages.withUnsafeBytes { try sums.areSound($0, at: page * Int64(PageSums.pageSize)) }
            }
        }
    }

    private static func compiledMapping() -> [UInt8] {
        var writer = KeyedArchiveWriter()
        func array(_ elements: [KeyedArchiveWriter.Reference]) -> KeyedArchiveWriter.Reference {
            writer.add(class: ["NSArray", "NSObject"], fields: ["NS.objects": .array(elements.map(\.value))])
        }
        func property(_ name: String) -> KeyedArchiveWriter.Reference {
            let source = writer.add(
                class: ["NSSelfExpression", "NSExpression", "NSObject"], fields: ["NSExpressionType": .integer(1)])
            return writer.add(
                class: ["NSPropertyMapping", "NSObject"],
                fields: [
                    "NSDestinationPropertyName": writer.add(string: name).value, "NSValueExpression": source.value,
                ])
        }
        let attributes = array([property("name"), property("age")]), relationships = array([property("friends")])
        let entity = writer.add(
            class: ["NSEntityMapping", "NSObject"],
            fields: [
                "NSMappingName": writer.add(string: "PersonToPerson").value, "NSMappingType": .integer(4),
                "NSSourceEntityName": writer.add(string: "Person").value,
                "NSDestinationEntityName": writer.add(string: "Person").value, "NSAttributeMappings": attributes.value,
                "NSRelationshipMappings": relationships.value,
            ])
        return Array(
            writer.finish(
                root: writer.add(
                    class: ["NSMappingModel", "NSObject"], fields: ["NSEntityMappings": array([entity]).value])))
    }
}

/// A small archive with all its numbers in Zip64 fields.
private enum Zip64 {
    private static func bytes(_ numbers: [(value: UInt64, size: Int)]) -> [UInt8] {
        numbers.flatMap { number in (0..<number.size).map { UInt8(truncatingIfNeeded: number.value >> UInt64(8 * $0)) }
        }
    }

    static var archive: [UInt8] {
        let name = Array("extra/one".utf8), content = Array("content".utf8), sum = UInt64(CRC32.checksum(content)),
            all = UInt64(UInt32.max), size = UInt64(content.count)
        func extra(_ values: [UInt64]) -> [UInt8] {
            bytes([(1, 2), (UInt64(8 * values.count), 2)] + values.map { ($0, 8) })
        }
        let localExtra = extra([size, size]), centralExtra = extra([size, size, 0])
        let local =
            bytes([
                (0x0403_4b50, 4), (45, 2), (0, 2), (0, 2), (0, 2), (0x21, 2), (sum, 4), (all, 4), (all, 4),
                (UInt64(name.count), 2), (UInt64(localExtra.count), 2),
            ]) + name + localExtra + content
        let central =
            bytes([
                (0x0201_4b50, 4), (0x032d, 2), (45, 2), (0, 2), (0, 2), (0, 2), (0x21, 2), (sum, 4), (all, 4), (all, 4),
                (UInt64(name.count), 2), (UInt64(centralExtra.count), 2), (0, 2), (0, 2), (0, 2),
                (0o100_600 << 16, 4), (all, 4),
            ]) + name + centralExtra
        let place = UInt64(local.count), end = UInt64(local.count + central.count)
        let wide = bytes([
            (0x0606_4b50, 4), (44, 8), (0x032d, 2), (45, 2), (0, 4), (0, 4), (1, 8), (1, 8), (UInt64(central.count), 8),
            (place, 8),
        ])
        let locator = bytes([(0x0706_4b50, 4), (0, 4), (end, 8), (1, 4)])
        let narrow = bytes([(0x0605_4b50, 4), (0, 2), (0, 2), (0xFFFF, 2), (0xFFFF, 2), (all, 4), (all, 4), (0, 2)])
        return local + central + wide + locator + narrow
    }
}
