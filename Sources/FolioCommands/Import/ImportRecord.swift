import Folio
import Foundation

/// An object as an import file describes it.
struct ImportRecord {
    /// A value as its file gives it: CSV has text, the others JSON.
    enum Value {
        case json(JSONValue)
        case text(String?)
    }

    var entityName: String
    /// The URI, or `Entity/p7`, that it had where it came from.
    var id: String?
    var values: [String: Value]
    /// Where it stands in the file, for messages.
    var place: String

    /// `Entity/p7` of a URI or short name.
    static func shortName(_ id: String) -> String {
        id.hasPrefix("x-coredata:") ? id.split(separator: "/").suffix(2).joined(separator: "/") : id
    }

    /// The number in `Entity/p7`.
    var number: Int64? {
        guard let name = id.map(Self.shortName), let slash = name.lastIndex(of: "/"), name[slash...].hasPrefix("/p") else { return nil }
        return Int64(name[slash...].dropFirst(2)).flatMap { $0 > 0 ? $0 : nil }
    }

    /// The entity that an object's name says; nil for text that is no object's name, such as the value of an attribute that is called `id`.
    private static func entityName(_ id: String) -> String? {
        let parts = shortName(id).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].first == "p", Int64(parts[1].dropFirst()) != nil else { return nil }
        return String(parts[0]).removingPercentEncoding
    }

    /// One object of the export's shape, or a flat one.
    /// - Parameter entityName: the entity where the object does not say it.
    init(_ json: JSONValue, entityName: String?, place: String) throws {
        guard let members = json.object else { throw CommandError.malformed("\(place): expected an object, found \(json.kind)") }
        self.place = place
        let named = members["id"]?.string.flatMap(Self.entityName)
        id = named == nil ? nil : members["id"]?.string
        values = [:]
        if members["attributes"]?.object != nil || members["relationships"]?.object != nil {
            for group in ["attributes", "relationships"] {
                for (key, value) in members[group]?.object ?? [:] { values[key] = .json(value) }
            }
        } else {
            for (key, value) in members where key != "id" || id == nil { values[key] = .json(value) }
        }
        guard let entity = named ?? entityName else {
            throw CommandError.malformed("\(place): nothing says of which entity the object is", hint: "name it with --entity")
        }
        self.entityName = entity
    }

    /// A line of CSV, of whose columns the first may be the object.
    init(entityName: String, fields: [(name: String, text: String?)], place: String) {
        self.place = place
        let named = fields.first.flatMap { $0.name == "id" ? $0.text.flatMap(Self.entityName) : nil }
        self.entityName = named ?? entityName
        id = named == nil ? nil : fields.first?.text
        values = [:]
        for field in named == nil ? fields[...] : fields[1...] { values[field.name] = .text(field.text) }
    }
}
