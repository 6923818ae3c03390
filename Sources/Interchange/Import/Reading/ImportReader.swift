import Coding
import Folio

/// Reads the records of an import file: an export, JSON, JSON lines or CSV. The format is detected
/// from the content.
final class ImportReader {
    enum Form {
        case csv, json, empty
    }

    private enum Source {
        case csv(CSVReader, names: [String])
        case json(JSONObjects)
        case empty
    }

    private let file: ImportFile
    private let settings: ImportSettings
    private let model: ManagedObjectModel
    private var source: Source
    private var columns: [Int: [[String]: ImportColumns]] = [:]
    /// The columns of CSV, by entity and by whether the first column is the object's name.
    private var columnsOfCSV: [Int: ImportColumns] = [:]
    private var fields: [String?] = []
    /// The column of CSV with the names of the objects; nil without one.
    private var nameColumn: Int?

    init(_ file: ImportFile, _ settings: ImportSettings, _ model: ManagedObjectModel) throws {
        self.file = file
        self.settings = settings
        self.model = model
        var window = try ByteWindow(file.bytes)
        var first: UInt8?
        while let byte = try window.peek() {
            first = byte
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            window.position += 1
        }
        source = .empty
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            source = .json(try JSONObjects(JSONScanner(try ByteWindow(file.bytes)), only: settings.entityName, model))
        } else if first != nil {
            source = try csv()
        }
    }

    var form: Form {
        switch source {
        case .csv: .csv
        case .json: .json
        case .empty: .empty
        }
    }

    /// The columns of CSV; nil for JSON, whose objects may have different members.
    func header() throws -> ImportColumns? {
        guard case .csv(_, let names) = source, let entity = file.entity else { return nil }
        return try csvColumns(names, entity, isNamed: nameColumn == 0)
    }

    /// Whether the objects may have names by which others refer to them.
    var namesObjects: Bool {
        switch source {
        case .csv: nameColumn != nil
        case .json: true
        case .empty: false
        }
    }

    /// Whether anything follows the header of CSV.
    func hasRecords() throws -> Bool {
        guard case .csv(var reader, let names) = source else { return form == .json }
        source = .empty
        defer { source = .csv(reader, names: names) }
        return try !reader.isAtEnd()
    }

    /// The number of bytes that have been read.
    var offset: Int64 {
        switch source {
        case .csv(let reader, _): reader.offset
        case .json(let objects): objects.offset
        case .empty: 0
        }
    }

    /// - Throws: An error for malformed data with its location.
    func next() throws -> ImportRecord? {
        switch source {
        case .empty: return nil
        case .csv(var reader, let names):
            source = .empty
            defer { source = .csv(reader, names: names) }
            guard try reader.next(&fields) else { return nil }
            return try record(fields, names, line: reader.recordLine)
        case .json(var objects):
            source = .empty
            defer { source = .json(objects) }
            guard let object = try objects.next() else { return nil }
            return try record(object)
        }
    }

    // MARK: CSV

    private func csv() throws -> Source {
        guard let entity = file.entity else {
            throw InterchangeError.usage(
                "a CSV file does not say of which entity its objects are",
                hint: "name it with --entity, or write Entity=FILE")
        }
        let delimiter =
            try settings.delimiter
            ?? CSVHeader.delimiter(of: file.bytes) { name in
                ImportSettings.nameKeys.contains(name)
                    || entity.property(named: String(name.prefix { $0 != "." })) != nil
            }
        var reader = CSVReader(try ByteWindow(file.bytes), delimiter: delimiter), fields: [String?] = []
        guard try reader.next(&fields) else { return .empty }
        let names = try CSVHeader.names(fields)
        // The first column of an export is the object's URI, whatever the properties are named.
        nameColumn =
            names.first == "id" ? 0 : names.firstIndex { ImportSettings.isName($0, of: entity) }
        return .csv(reader, names: names)
    }

    private func record(_ fields: [String?], _ names: [String], line: Int) throws -> ImportRecord {
        guard fields.count == names.count else {
            throw InterchangeError.malformed(
                "line \(line): \(fields.count) field\(fields.count == 1 ? "" : "s"), but \(names.count) column\(names.count == 1 ? "" : "s")"
            )
        }
        // An attribute may be named `id`, too. Its values are not names of objects.
        let name = nameColumn.flatMap { fields[$0] }, named = name.flatMap(ImportRecord.name)
        let place = "line \(line), column \((nameColumn ?? 0) + 1)"
        let entity: EntityDescription?
        do { entity = try named.map { try EntityLookup.entity(named: $0.entity, in: model) } ?? file.entity } catch {
            throw ImportFailure.malformed(error, place)
        }
        guard let entity else { preconditionFailure("A CSV file without an entity was refused") }
        if named == nil, let name, let nameColumn, ImportSettings.isName(names[nameColumn], of: entity) {
            throw InterchangeError.malformed(
                "\(place): \(name) is no name of an object", hint: "Entity/p1, or the URI that export prints")
        }
        let columns = try csvColumns(names, entity, isNamed: named != nil)
        return ImportRecord(
            columns: columns, values: fields.map { .text($0) }, id: named == nil ? nil : name, line: line,
            ordinal: nil)
    }

    private func csvColumns(_ names: [String], _ entity: EntityDescription, isNamed: Bool) throws -> ImportColumns {
        let place = entity.index * 2 + (isNamed ? 1 : 0)
        if let known = columnsOfCSV[place] { return known }
        var names = names
        if let nameColumn, isNamed || ImportSettings.isName(names[nameColumn], of: entity) { names[nameColumn] = "" }
        let made = try columns(names, entity, tellsColumns: true, hasName: nameColumn != nil)
        columnsOfCSV[place] = made
        return made
    }

    // MARK: JSON

    private func record(_ object: JSONObjects.Element) throws -> ImportRecord {
        let place = "line \(object.line), \(object.ordinal)"
        let parts: (entity: EntityDescription, id: String?, values: [(name: String, value: JSONValue)])
        do { parts = try self.parts(of: object) } catch { throw ImportFailure.malformed(error, place) }
        // The first object of an entity is treated like a CSV header: if it lacks a key of --match,
        // the command line is wrong.
        let isFirst = columns[parts.entity.index] == nil
        do {
            let columns = try columns(
                parts.values.map(\.name), parts.entity, tellsColumns: false, hasName: parts.id != nil)
            return ImportRecord(
                columns: columns, values: parts.values.map { .json($0.value) }, id: parts.id, line: object.line,
                ordinal: object.ordinal)
        } catch {
            throw isFirst ? ImportFailure.placed(error, place) : ImportFailure.malformed(error, place)
        }
    }

    /// The entity of an object, its name, and its members.
    private func parts(of object: JSONObjects.Element) throws -> (
        entity: EntityDescription, id: String?, values: [(name: String, value: JSONValue)]
    ) {
        guard let members = object.value.object else {
            throw InterchangeError.malformed("expected an object, found \(object.value.kind)")
        }
        let key = ImportSettings.nameKeys.first { members[$0]?.string.flatMap(ImportRecord.name) != nil }
        let id = key.flatMap { members[$0]?.string }, named = id.flatMap(ImportRecord.name)
        guard
            let entity = try (named?.entity ?? object.entityName).map({ try EntityLookup.entity(named: $0, in: model) })
                ?? file.entity
        else {
            throw InterchangeError.malformed(
                "nothing says of which entity the object is", hint: "name it with --entity, or write Entity=FILE")
        }
        var values: [(name: String, value: JSONValue)] = []
        if members["attributes"]?.object != nil || members["relationships"]?.object != nil {
            for group in ["attributes", "relationships"] {
                for (name, value) in members[group]?.object ?? [:] { values.append((name, value)) }
            }
        } else {
            for (name, value) in members where name != key {
                // An object without a name is a new one.
                if value == .null, ImportSettings.isName(name, of: entity) { continue }
                // An object as the value of a relationship contains the attribute values that
                // identify its destination.
                if case .object(let parts) = value, entity.property(named: name)?.relationship != nil {
                    for (part, value) in parts { values.append(("\(name).\(part)", value)) }
                } else {
                    values.append((name, value))
                }
            }
        }
        values.sort { $0.name < $1.name }
        return (entity, named == nil ? nil : id, values)
    }

    /// - Parameter hasName: Whether a column or member names the object.
    private func columns(_ names: [String], _ entity: EntityDescription, tellsColumns: Bool, hasName: Bool) throws
        -> ImportColumns
    {
        if let known = columns[entity.index]?[names] { return known }
        if let key = settings.nameKey(entity), !hasName, tellsColumns || columns[entity.index] == nil {
            throw InterchangeError.usage(
                "--match \(key): there is no \(tellsColumns ? "column" : "member") that names objects",
                hint: "export and fetch print it as id")
        }
        let made = try ImportColumns(
            names, of: entity, in: model, matching: try settings.matchKey(entity), tellsColumns: tellsColumns)
        columns[entity.index, default: [:]][names] = made
        return made
    }
}
