import Folio
import Foundation

/// The objects of an import file: an export, JSON, JSON lines or CSV, told apart by what is in it.
struct ImportFile {
    var records: [ImportRecord]
    /// The entities that it names, also those of which it has no objects.
    var entityNames: [String] = []
    /// The columns of a CSV file.
    var columns: [String] = []

    init(at path: String, entityName: String?) throws {
        var bytes = Array(try InputFile.bytes(at: path))
        guard String(validating: bytes, as: UTF8.self) != nil else { throw CommandError.malformed("the file is no UTF-8 text", path: path) }
        // The mark that some programs put before UTF-8 text.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        do {
            self = try Self.file(bytes, entityName: entityName)
        } catch var error as CommandError {
            error.path = error.path ?? path
            throw error
        } catch let failure as JSONReader.Failure {
            throw CommandError.malformed("\(failure)", path: path)
        }
    }

    private init(records: [ImportRecord], entityNames: [String] = [], columns: [String] = []) {
        self.records = records
        self.entityNames = entityNames
        self.columns = columns
    }

    private static func file(_ bytes: [UInt8], entityName: String?) throws -> ImportFile {
        let first = bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return try csv(bytes, entityName: entityName) }
        if first == UInt8(ascii: "{"), let lines = try jsonLines(bytes, entityName: entityName) { return ImportFile(records: lines) }
        let json = try JSONReader.value(of: bytes)
        if isExport(json) { return try export(json, entityName: entityName) }
        let elements = json.array ?? [json]
        return ImportFile(records: try elements.enumerated().map { try ImportRecord($1, entityName: entityName, place: "object \($0 + 1)") })
    }

    private static func isExport(_ json: JSONValue) -> Bool { json["format"] == .string("folio-export") }

    /// Lines that are each an object, where the first one is; nil for one object, over however many lines.
    private static func jsonLines(_ bytes: [UInt8], entityName: String?) throws -> [ImportRecord]? {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().filter { $1.contains { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 } }
        guard lines.count > 1, let first = lines.first, let object = try? JSONReader.value(of: Array(first.element)), !isExport(object) else { return nil }
        return try lines.map { index, line in
            let place = "line \(index + 1)"
            do {
                return try ImportRecord(try JSONReader.value(of: Array(line)), entityName: entityName, place: place)
            } catch let failure as JSONReader.Failure {
                throw CommandError.malformed("\(place): \(failure)")
            }
        }
    }

    private static func export(_ json: JSONValue, entityName: String?) throws -> ImportFile {
        guard json["formatVersion"] == .number("1") else {
            throw CommandError(.newer, "newer", "the export is of a newer format than this program knows")
        }
        guard let entities = json["entities"]?.object else { throw CommandError.malformed("the export has no entities") }
        if let entityName, entities[entityName] == nil { throw CommandError.malformed("the export has no entity \(entityName)") }
        var records: [ImportRecord] = []
        for (name, objects) in entities.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) where entityName == nil || entityName == name {
            guard let objects = objects.array else { throw CommandError.malformed("\(name): expected an array, found \(objects.kind)") }
            for (index, object) in objects.enumerated() {
                records.append(try ImportRecord(object, entityName: name, place: "\(name) \(index + 1)"))
            }
        }
        return ImportFile(records: records, entityNames: entityName.map { [$0] } ?? entities.keys.sorted())
    }

    private static func csv(_ bytes: [UInt8], entityName: String?) throws -> ImportFile {
        let records = try CSV.records(of: String(decoding: bytes, as: UTF8.self))
        guard let header = records.first else { return ImportFile(records: []) }
        guard let entityName else { throw CommandError.usage("a CSV file does not say of which entity its objects are", hint: "name it with --entity") }
        let names = try header.map { name in
            guard let name else { throw CommandError.malformed("line 1: a column without a name") }
            return name
        }
        var seen: Set<String> = []
        // The export has the object first, and then perhaps an attribute that is called id too.
        for name in names.first == "id" ? names[1...] : names[...] where !seen.insert(name).inserted {
            throw CommandError.malformed("line 1: the column \(name) comes twice")
        }
        let objects = try records.dropFirst().enumerated().map { index, fields in
            guard fields.count == names.count else {
                throw CommandError.malformed("record \(index + 1): \(fields.count) fields, but \(names.count) columns")
            }
            return ImportRecord(entityName: entityName, fields: Array(zip(names, fields)).map { (name: $0, text: $1) }, place: "record \(index + 1)")
        }
        return ImportFile(records: objects, entityNames: [entityName], columns: names)
    }
}
