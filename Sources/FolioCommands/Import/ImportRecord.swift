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

    /// One object of the export's shape, or a flat one.
    init(_ json: JSONValue, entityName: String?, place: String) throws {
        guard let members = json.object else { throw CommandError.malformed("\(place): expected an object, found \(json.kind)") }
        self.place = place
        let id = members["id"]?.string
        var values: [String: Value] = [:]
        if members["attributes"]?.object != nil || members["relationships"]?.object != nil {
            for group in ["attributes", "relationships"] {
                for (key, value) in members[group]?.object ?? [:] { values[key] = .json(value) }
            }
        } else {
            for (key, value) in members where key != "id" || id == nil { values[key] = .json(value) }
        }
        self.values = values
        self.id = id
        let named = id.flatMap { name in Self.shortName(name).split(separator: "/").first.flatMap { String($0).removingPercentEncoding } }
        guard let entity = entityName ?? named else {
            throw CommandError.malformed("\(place): nothing says of which entity the object is", hint: "name it with --entity")
        }
        self.entityName = entity
    }

    init(entityName: String, fields: [(name: String, text: String?)], place: String) {
        self.entityName = entityName
        self.place = place
        id = fields.first { $0.name == "id" }?.text
        values = [:]
        for field in fields where field.name != "id" { values[field.name] = .text(field.text) }
    }
}
