import Coding
import Folio

/// Reads the objects of a JSON text one after the other: those of an export or an array, or several
/// top-level objects (JSON lines).
struct JSONObjects {
    struct Element {
        let value: JSONValue
        /// The entity under which the object is listed in an export.
        var entityName: String?
        let line: Int
        /// `object 3`, or `object 3 of Person`.
        let ordinal: String
    }

    private enum Place {
        case sequence
        case array
        /// In an export, before one of its members.
        case export
        /// In an export, before an entity.
        case entities
        case objects(of: String)
        /// In an export with an unusual order of members, which has been read into memory.
        case whole([Element])
        case end
    }

    private var scanner: JSONScanner
    private var place = Place.sequence
    private let only: String?
    private let model: ManagedObjectModel
    /// The number of objects that have been read, in the text or for the current entity.
    private var count = 0
    private var isFirst = true
    private var format: JSONValue?
    private var formatVersion: JSONValue?
    private var hasFoundEntity = false

    var offset: Int64 { scanner.offset }

    /// - Parameter only: The only entity to read from an export.
    init(_ scanner: JSONScanner, only: String?, _ model: ManagedObjectModel) throws {
        self.scanner = scanner
        self.only = only
        self.model = model
        if try self.scanner.accept("[") {
            place = .array
            return
        }
        // Exports begin with their entities or their format. An object with another first member is
        // read as a whole.
        var ahead = scanner
        guard try ahead.accept("{"), try ahead.next() == UInt8(ascii: "\""), let name = try? ahead.name() else {
            return
        }
        let isExport =
            name == "entities"
            ? try ahead.next() == UInt8(ascii: "{")
            : name == "format" && (try? ahead.value()) == .string("folio-export")
        if isExport, try self.scanner.accept("{") { place = .export }
    }

    mutating func next() throws -> Element? {
        while true {
            switch place {
            case .end: return nil
            case .sequence:
                guard try scanner.next() != nil else { return nil }
                let element = try element("object")
                guard count == 1, element.value["format"] == .string("folio-export") else { return element }
                place = .whole(try elements(ofWhole: element.value, line: element.line).reversed())
            case .array:
                if try endsList("]") {
                    try expectEnd()
                    return nil
                }
                return try element("object")
            case .export: try nextMember()
            case .entities: try nextEntity()
            case .objects(let name):
                if try endsList("]") {
                    place = .entities
                    isFirst = false
                } else if let element = try objectOfExport(name) {
                    return element
                }
            case .whole(var rest):
                guard let element = rest.popLast() else {
                    place = .end
                    continue
                }
                place = .whole(rest)
                return element
            }
        }
    }

    private mutating func element(_ kind: String) throws -> Element {
        _ = try scanner.next()
        let line = scanner.line
        count += 1
        return Element(value: try scanner.value(), line: line, ordinal: "\(kind) \(count)")
    }

    /// Whether a list or object ends here, before an element. Consumes the separator.
    private mutating func endsList(_ bracket: UnicodeScalar) throws -> Bool {
        if try scanner.accept(bracket) { return true }
        if !isFirst { try scanner.expect(",") }
        isFirst = false
        return false
    }

    private mutating func expectEnd() throws {
        place = .end
        guard try scanner.next() == nil else {
            throw InterchangeError.malformed("line \(scanner.line): text after the JSON value")
        }
    }

    // MARK: Exports

    private mutating func nextMember() throws {
        if try endsList("}") {
            try expectEnd()
            return try checkExport()
        }
        switch try scanner.name() {
        case "entities":
            try scanner.expect("{")
            place = .entities
            isFirst = true
        case "format": format = try scanner.value()
        case "formatVersion":
            formatVersion = try scanner.value()
            try checkVersion()
        default: _ = try scanner.value()
        }
    }

    private mutating func nextEntity() throws {
        if try endsList("}") {
            place = .export
            return
        }
        let line = scanner.line, name = try scanner.name()
        if only == nil || only == name { try check(name, line) }
        guard try scanner.accept("[") else {
            throw InterchangeError.malformed(
                "line \(scanner.line): \(name): expected an array, found \(try scanner.value().kind)")
        }
        place = .objects(of: name)
        isFirst = true
        count = 0
    }

    private mutating func objectOfExport(_ name: String) throws -> Element? {
        guard only == nil || only == name else {
            _ = try scanner.value()
            return nil
        }
        var element = try element("object")
        element = Element(
            value: element.value, entityName: name, line: element.line, ordinal: element.ordinal + " of \(name)")
        return element
    }

    private mutating func check(_ entityName: String, _ line: Int) throws {
        hasFoundEntity = true
        do { _ = try EntityLookup.entity(named: entityName, in: model) } catch {
            throw ImportFailure.malformed(error, "line \(line)")
        }
    }

    /// Checks the version as soon as it is read, because the rest of a newer format may not follow
    /// the rules of this one.
    private func checkVersion() throws {
        guard formatVersion != nil else {
            throw InterchangeError.malformed("the export does not say its formatVersion")
        }
        guard formatVersion == .number("1") else {
            throw InterchangeError(.newer, "newer", "the export is of a newer format than this program knows")
        }
    }

    /// Checks the format at the end, because the members may come in any order.
    private func checkExport() throws {
        guard format == .string("folio-export") else {
            throw InterchangeError.malformed("the text is no export: its format is not folio-export")
        }
        try checkVersion()
        if let only, !hasFoundEntity { throw InterchangeError.malformed("the export has no entity \(only)") }
    }

    private mutating func elements(ofWhole json: JSONValue, line: Int) throws -> [Element] {
        (format, formatVersion) = (json["format"], json["formatVersion"])
        try checkVersion()
        guard let entities = json["entities"]?.object else {
            throw InterchangeError.malformed("the export has no entities")
        }
        var elements: [Element] = []
        for (name, objects) in entities.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        where only == nil || only == name {
            try check(name, line)
            guard let objects = objects.array else {
                throw InterchangeError.malformed("\(name): expected an array, found \(objects.kind)")
            }
            for (index, object) in objects.enumerated() {
                elements.append(
                    Element(value: object, entityName: name, line: line, ordinal: "object \(index + 1) of \(name)"))
            }
        }
        try checkExport()
        return elements
    }
}
