internal import FileSystem
internal import Foundation
internal import SQLiteKit

extension VersionIndex {
    /// Reads the index of a folder; an empty one where there is none.
    /// - Throws: `DocumentError.malformed` for what is no index, `.newer` for one of a newer program.
    static func read(in folder: String) throws -> VersionIndex {
        let path = FilePath.join(folder, fileName)
        let bytes: [UInt8]
        do {
            switch try Disk.kind(of: folder) {
            case nil: return VersionIndex()
            case .directory: break
            default: throw DocumentError(.malformed, "the folder of versions is none", path: folder)
            }
            bytes = try Disk.read(path, limit: JSONCoding.maximumSize)
        } catch let error as FileSystemError where error.code == .notFound || error.code == .notDirectory {
            return VersionIndex()
        } catch let error as FileSystemError where error.code == .tooLarge {
            throw damaged("more than \(JSONCoding.maximumSize) bytes", path)
        }
        if let objection = JSONCoding.objection(to: bytes) { throw damaged(objection, path) }
        let stored: Stored
        do {
            let version = try JSONDecoder().decode(Format.self, from: Data(bytes)).format
            guard version <= format else {
                throw DocumentError(.newer, "its versions are kept in format \(version), this program reads \(format)", path: path)
            }
            stored = try JSONDecoder().decode(Stored.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw damaged("\(error)", path)
        }
        let index = VersionIndex(next: stored.next, head: stored.head, rows: stored.versions)
        if let objection = index.objection { throw damaged(objection, path) }
        return index
    }

    /// Puts the index in the place of the one before; durable when it returns.
    func write(in folder: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(Stored(format: Self.format, next: next, head: head, columns: Row.columns, versions: rows))
        try Disk.replaceFile(FilePath.join(folder, Self.fileName), with: Array(bytes))
    }

    private static func damaged(_ reason: String, _ path: String) -> DocumentError {
        DocumentError(.malformed, "the index of versions is damaged: \(reason)", path: path)
    }

    private struct Format: Decodable {
        let format: Int
    }

    private struct Stored: Codable {
        var format: Int
        var next: Int
        var head: Head?
        var columns: [String]
        var versions: [Row]
    }

    /// What is wrong with an index that was read; nil for a good one.
    private var objection: String? {
        if !Self.numbers.contains(next) { return "its next number is \(next)" }
        if rows.count > Self.maximumCount { return "more than \(Self.maximumCount) versions" }
        if let wal = head?.wal, wal.frames < 0 { return "its head has \(wal.frames) frames" }
        if head == nil, !rows.isEmpty { return "versions without a head" }
        var last = 0
        for row in rows {
            guard row.number > last else { return "version \(row.number) is out of order" }
            last = row.number
            guard row.number < next else { return "version \(row.number) is beyond the next number" }
            guard Self.numbers.contains(row.revision), row.size >= 0, row.deltaBytes >= 0, row.baseBytes >= 0, row.size < Self.maximumSize,
                row.deltaBytes < Self.maximumSize, row.baseBytes < Self.maximumSize
            else { return "version \(row.number) has impossible sizes" }
            guard !row.flags.isDisjoint(with: [.isLinked, .hasBase]) else { return "version \(row.number) has no content" }
        }
        return nil
    }

    /// What counts up, as far as it can be raised.
    private static let numbers = 0...(1 << 60)
    /// The largest database that SQLite has, and then some.
    private static let maximumSize: Int64 = 1 << 49
}

extension VersionIndex.Row: Codable {
    static let columns = ["number", "generation", "saved", "reason", "flags", "revision", "size", "deltaBytes", "baseBytes", "sum", "name"]

    init(from decoder: any Decoder) throws {
        var row = try decoder.unkeyedContainer()
        number = try row.decode(Int.self)
        generation = try row.decode(Int.self)
        saved = try row.decode(Int64.self)
        reason = try row.decode(String.self)
        flags = VersionIndex.Flags(rawValue: try row.decode(Int.self))
        revision = try row.decode(Int.self)
        size = try row.decode(Int64.self)
        deltaBytes = try row.decode(Int64.self)
        baseBytes = try row.decode(Int64.self)
        sum = try row.decodeIfPresent(StateSum.self)
        name = try row.decodeIfPresent(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var row = encoder.unkeyedContainer()
        try row.encode(number)
        try row.encode(generation)
        try row.encode(saved)
        try row.encode(reason)
        try row.encode(flags.rawValue)
        try row.encode(revision)
        try row.encode(size)
        try row.encode(deltaBytes)
        try row.encode(baseBytes)
        if let sum { try row.encode(sum) } else { try row.encodeNil() }
        if let name { try row.encode(name) } else { try row.encodeNil() }
    }
}
