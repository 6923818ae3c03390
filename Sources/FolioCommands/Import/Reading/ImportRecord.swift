import Folio
import Foundation

/// An object as an import file describes it.
struct ImportRecord {
    /// A value as its file gives it: CSV has text, the others JSON. Nil in CSV is nothing at all.
    enum Value {
        case json(JSONValue)
        case text(String?)
    }

    let columns: ImportColumns
    /// In the order of the columns.
    var values: [Value]
    /// The URI, or `Entity/p7`, that it had where it came from.
    var id: String?
    /// The line in which it begins.
    var line: Int
    /// Which object of a JSON text it is, for messages: `object 3`.
    var ordinal: String?

    var entity: EntityDescription { columns.entity }

    /// Where it stands, for messages; a column where it is one of CSV.
    func place(column: Int? = nil) -> String {
        if let ordinal { return "line \(line), \(ordinal)" }
        return column.map { "line \(line), column \($0 + 1)" } ?? "line \(line)"
    }

    /// `Entity/p7` of a URI or short name.
    static func shortName(_ id: String) -> String {
        id.hasPrefix("x-coredata:") ? id.split(separator: "/").suffix(2).joined(separator: "/") : id
    }

    /// The entity and the number that an object's name says; nil for text that is no object's name,
    /// such as the value of an attribute that is called `id`.
    static func name(_ id: String) -> (entity: String, number: Int64)? {
        let parts = shortName(id).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].first == "p", let number = Int64(parts[1].dropFirst()),
            let entity = String(parts[0]).removingPercentEncoding
        else { return nil }
        return (entity, number)
    }
}
