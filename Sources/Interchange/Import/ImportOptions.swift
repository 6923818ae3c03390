/// What an import does with the records of its files.
///
/// ```swift
/// var options = ImportOptions(entity: "Book")
/// options.match = ["isbn"]
/// ```
public struct ImportOptions: Sendable {
    /// What separates the fields of CSV.
    public enum Delimiter: String, Sendable, CaseIterable {
        /// `,`
        case comma = ","
        /// `;`
        case semicolon = ";"
        /// A tabulator.
        case tab
        /// `|`
        case bar = "|"

        package var byte: UInt8 { self == .tab ? 0x09 : rawValue.utf8.first ?? 0 }
    }

    /// The entity of objects of which a file does not say it; nil for the entity that the file is
    /// named after.
    public var entity: String?
    /// The attributes by which objects are found that are there already: `isbn` or `Book.isbn`.
    /// Records with the same values update these objects. Without any, only records that name an
    /// object of the document by its URI update one.
    public var match: [String] = []
    /// Whether objects that a column `relationship.attribute` refers to are made if they do not
    /// exist.
    public var createsMissing = false
    /// Whether records that name objects of the document make new ones in the place of updating
    /// these.
    public var importsAsNew = false
    /// What separates the fields of CSV; nil if the header tells.
    public var delimiter: Delimiter?

    /// Options with the defaults of `folio import`.
    public init(entity: String? = nil) { self.entity = entity }
}
