import Coding
import FileSystem
import Foundation
import RowMemory
import Schema
import Storage

/// Reads an XML store: its metadata on initialization, and its objects into a table once the model
/// is known.
///
/// `XMLReader` never loads the document type and rejects entities; depth and sizes are limited.
struct XMLStoreReader {
    private(set) var metadata: StoreMetadata
    private let next: Int64
    /// The reader, positioned after the metadata.
    private let objects: XMLReader

    private static let largestDocument = 1 << 30

    /// - Throws: `StorageError.notAStore` for other XML, `damaged`; `CodingError`.
    init(_ bytes: [UInt8]) throws {
        var reader: XMLReader
        do {
            reader = try XMLReader(bytes, limits: .init(bytes: Self.largestDocument))
            guard case .start("database", _) = try reader.next() else {
                throw StorageError(.notAStore, "This is an XML file, but no store")
            }
        } catch let error as CodingError where !XMLStoreFormat.begins(bytes) {
            throw StorageError(.notAStore, "This is no XML store: \(error)", underlying: error)
        }
        var info: XMLTree?
        if case .start("databaseInfo", _) = try reader.nextTag() { info = try reader.rest(of: "databaseInfo", []) }
        guard let info,
            let uuid = info.children(named: "UUID").first?.text.trimmingCharacters(in: .whitespacesAndNewlines),
            StoreIdentity.isLegal(uuid)
        else {
            throw StorageError(.damaged, "The XML store does not say which one it is: it has no UUID")
        }
        var values: [String: PropertyListValue] = [:]
        if let list = info.children(named: "metadata").first?.children.first {
            guard let dictionary = try XMLPropertyListReader.value(of: list).dictionary else {
                throw StorageError(.damaged, "The store's metadata are no dictionary")
            }
            values = dictionary
        }
        metadata = StoreMetadata(uuid: uuid, type: .xml, values: values)
        next =
            info.children(named: "nextObjectID").first.flatMap {
                Int64($0.text.trimmingCharacters(in: .whitespacesAndNewlines))
            } ?? 1
        objects = reader
    }

    /// Loads the objects into an empty table.
    /// - Parameter ignoresUnknown: Whether objects and properties that the model lacks are passed
    ///   over.
    /// - Returns: The names of what was passed over.
    /// - Throws: `StorageError.damaged`, or `incompatibleModel` for objects and properties that the
    ///   model lacks.
    func load(into table: RowTable, ignoringUnknown ignoresUnknown: Bool) throws -> Set<String> {
        let names = try XMLStoreNames(table.shape)
        var loader = XMLObjectLoader(
            names,
            numbering: try XMLStoreNumbering(table.shape, next: next, metadata, ignoringUnknown: ignoresUnknown),
            ignoringUnknown: ignoresUnknown)
        var reader = objects
        while let event = try reader.nextTag() {
            switch event {
            case .start("object", let attributes): try loader.read(attributes, from: &reader)
            case .start(let name, _):
                throw StorageError(.damaged, "An XML store has no element “\(name)” (line \(reader.line))")
            case .end, .text: break
            }
        }
        try loader.finish(into: table)
        return loader.unknown
    }

    /// Counts the objects by entity. Other elements are skipped.
    func objectCounts() throws -> [String: Int] {
        var counts = Dictionary(metadata.versionHashes.keys.map { ($0, 0) }) { first, _ in first }
        let names = Dictionary(counts.keys.map { ($0.uppercased(), $0) }) { first, _ in first }
        var reader = objects, depth = 0
        while let event = try reader.next() {
            switch event {
            case .start("object", let attributes) where depth == 0:
                guard let type = attributes.first(where: { $0.name == "type" })?.value else {
                    throw StorageError(.damaged, "An object has no type (line \(reader.line))")
                }
                counts[names[type.uppercased()] ?? type, default: 0] += 1
                depth += 1
            case .start: depth += 1
            case .end: depth -= 1
            case .text: break
            }
        }
        return counts
    }
}

extension XMLReader {
    /// The next event other than text, which is ignored here.
    fileprivate mutating func nextTag() throws -> Event? {
        while let event = try next() {
            if case .text = event { continue }
            return event
        }
        return nil
    }

    /// The text of an element without child elements, whose start tag was just read.
    mutating func textOfElement() throws -> String {
        var text = ""
        while let event = try next() {
            switch event {
            // Usually there is only one.
            case .text(let piece): if text.isEmpty { text = piece } else { text += piece }
            case .end: return text
            case .start(let name, _):
                throw StorageError(.damaged, "A value has no element “\(name.prefix(100))” in it (line \(line))")
            }
        }
        return text
    }

    /// The element whose start tag was just read, with its content.
    mutating func rest(of name: String, _ attributes: [XMLAttribute]) throws -> XMLTree {
        var stack = [XMLTree(name, attributes)]
        var count = 0
        while let event = try next() {
            switch event {
            case .start(let name, let attributes):
                count += 1
                guard count <= 1_000_000 else { throw CodingError(.tooMany, "more than a million elements") }
                stack.append(XMLTree(name, attributes))
            case .text(let text): stack[stack.count - 1].text += text
            case .end:
                let done = stack.removeLast()
                guard !stack.isEmpty else { return done }
                stack[stack.count - 1].children.append(done)
            }
        }
        throw CodingError(.truncated, "the element “\(name)” is not closed")
    }
}
