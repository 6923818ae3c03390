internal import Coding
internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit

extension VersionIndex {
    /// Reads the index of a folder; returns an empty one if it does not exist.
    /// - Throws: `DocumentError.malformed` for an invalid index, `.newer` for one of a newer
    ///   program.
    package static func read(in folder: String) throws -> VersionIndex {
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
        let index: VersionIndex
        do {
            let value = try JSONReader.value(of: bytes, greatestDepth: JSONCoding.maximumDepth)
            let fields = try JSONFields(value)
            let version: Int = try fields.int("format")
            guard version <= format else {
                throw DocumentError(
                    .newer, "its versions are kept in format \(version), this program reads \(format)", path: path)
            }
            index = try VersionIndex(
                next: fields.int("next"),
                head: fields.optional("head") { $0 }.map { try Head(JSONFields($0, path: "head")) },
                rows: fields.required("versions") { value in
                    guard let rows = value.array?.map({ Row($0) }) else { return nil }
                    let read = rows.compactMap { $0 }
                    return read.count == rows.count ? read : nil
                })
        } catch let error as JSONFields.Failure {
            throw damaged(error.description, path)
        } catch let error as JSONReader.Failure {
            throw damaged(error.description, path)
        }
        if let objection = index.objection { throw damaged(objection, path) }
        return index
    }

    /// Replaces the index atomically. It is durable when the method returns.
    package func write(in folder: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(
            Stored(format: Self.format, next: next, head: head, columns: Row.columns, versions: rows))
        try Disk.replaceFile(FilePath.join(folder, Self.fileName), with: CheckedJSON.adding(to: Array(bytes)))
    }

    /// Whether the index of a folder was altered, according to its checksum. False for an index
    /// without a checksum.
    static func isAltered(in folder: String) throws -> Bool {
        let path = FilePath.join(folder, fileName)
        guard try Disk.kind(of: path) == .file else { return false }
        let bytes = try Disk.read(path, limit: JSONCoding.maximumSize)
        switch CheckedJSON.verdict(on: bytes) {
        case .sound: return false
        case .altered: return true
        // An index without a checksum begins with this text; any other text was altered.
        case .unknown: return !bytes.starts(with: Array("{\"columns\":".utf8))
        }
    }

    private static func damaged(_ reason: String, _ path: String) -> DocumentError {
        DocumentError(.malformed, "the index of versions is damaged: \(reason)", path: path)
    }

    private struct Stored: Encodable {
        var format: Int
        var next: Int
        var head: Head?
        var columns: [String]
        var versions: [Row]
    }

    /// The error in an index; nil if it is valid.
    private var objection: String? {
        if !CommitNumbers.valid.contains(next) { return "its next number is \(next)" }
        if rows.count > Self.maximumCount { return "more than \(Self.maximumCount) versions" }
        if let wal = head?.wal, !Self.frames.contains(wal.frames) { return "its head has \(wal.frames) frames" }
        if let head,
            !CommitNumbers.valid.contains(head.generation) || !CommitNumbers.valid.contains(head.counter)
                || !Date.wholeMilliseconds.contains(head.saved)
        {
            return "its head has impossible numbers"
        }
        if head == nil, !rows.isEmpty { return "versions without a head" }
        var last = 0
        for row in rows {
            guard row.number > last else { return "version \(row.number) is out of order" }
            last = row.number
            guard row.number < next else { return "version \(row.number) is beyond the next number" }
            guard CommitNumbers.valid.contains(row.generation), Date.wholeMilliseconds.contains(row.saved) else {
                return "version \(row.number) has impossible numbers"
            }
            guard CommitNumbers.valid.contains(row.revision), row.size >= 0, row.deltaBytes >= 0, row.baseBytes >= 0,
                row.size < Self.maximumSize,
                row.deltaBytes < Self.maximumSize, row.baseBytes < Self.maximumSize
            else { return "version \(row.number) has impossible sizes" }
            guard !row.flags.isDisjoint(with: [.isLinked, .hasBase]) else {
                return "version \(row.number) has no content"
            }
        }
        return nil
    }

    /// The number of frames in a WAL has 32 bits.
    private static let frames = 0...Int(UInt32.max)
    /// Larger than SQLite's maximum database size.
    private static let maximumSize: Int64 = 1 << 49
}

extension VersionIndex.Head {
    fileprivate init(_ fields: JSONFields) throws {
        generation = try fields.int("generation")
        counter = try fields.int("counter")
        saved = try fields.int("saved")
        wal = try fields.optional("wal") { $0 }.map { try WriteAheadLog.Mark(JSONFields($0, path: "head.wal")) }
        sum = try fields.optional("sum") { StateSum($0) }
    }
}

extension WriteAheadLog.Mark {
    fileprivate init(_ fields: JSONFields) throws {
        self.init(salt1: try fields.int("salt1"), salt2: try fields.int("salt2"), frames: try fields.int("frames"))
    }
}

extension VersionIndex.Row: Encodable {
    static let columns = [
        "number", "generation", "saved", "reason", "flags", "revision", "size", "deltaBytes", "baseBytes", "sum",
        "name",
    ]

    /// Decodes a row; nil if a value is missing or has another type. Additional values of newer
    /// programs are ignored.
    fileprivate init?(_ value: JSONValue) {
        guard let cells = value.array, cells.count >= 9, let number = cells[0].int(Int.self),
            let generation = cells[1].int(Int.self), let saved = cells[2].int(Int64.self),
            let reason = cells[3].string, let flags = cells[4].int(Int.self), let revision = cells[5].int(Int.self),
            let size = cells[6].int(Int64.self),
            let deltaBytes = cells[7].int(Int64.self), let baseBytes = cells[8].int(Int64.self)
        else { return nil }
        self.init(
            number: number, generation: generation, saved: saved, reason: reason,
            flags: VersionIndex.Flags(rawValue: flags), revision: revision, size: size,
            deltaBytes: deltaBytes, baseBytes: baseBytes)
        if cells.count > 9, cells[9] != .null {
            guard let sum = StateSum(cells[9]) else { return nil }
            self.sum = sum
        }
        if cells.count > 10, cells[10] != .null {
            guard let name = cells[10].string else { return nil }
            self.name = name
        }
    }

    package func encode(to encoder: any Encoder) throws {
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
