package import Coding
package import Folio
import Foundation

/// An object in an import file.
package struct ImportRecord {
    /// A value in a file: CSV contains text, the other formats JSON. Nil is an empty CSV field.
    package enum Value {
        case json(JSONValue)
        case text(String?)
    }

    package let columns: ImportColumns
    /// The values in the order of the columns.
    package var values: [Value]
    /// The name of the object in the file: a URI or `Entity/p7`.
    package var id: String?
    /// The line in which the record begins.
    package var line: Int
    /// The position of the object in a JSON text, for messages: `object 3`.
    var ordinal: String?

    package var entity: EntityDescription { columns.entity }

    /// The location for messages, including the column for CSV.
    package func place(column: Int? = nil) -> String {
        if let ordinal { return "line \(line), \(ordinal)" }
        return column.map { "line \(line), column \($0 + 1)" } ?? "line \(line)"
    }

    /// The short form `Entity/p7` of a URI or short name.
    package static func shortName(_ id: String) -> String {
        id.hasPrefix("x-coredata:") ? id.split(separator: "/").suffix(2).joined(separator: "/") : id
    }

    /// The entity and the number in an object's name; nil for other text, such as the value of an
    /// attribute named `id`.
    package static func name(_ id: String) -> (entity: String, number: Int64)? {
        let parts = shortName(id).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].first == "p", let number = Int64(parts[1].dropFirst()),
            let entity = String(parts[0]).removingPercentEncoding
        else { return nil }
        return (entity, number)
    }
}
