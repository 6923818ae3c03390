import Schema

/// The declared types of columns.
enum ColumnType: String {
    case integer = "INTEGER"
    case float = "FLOAT"
    case timestamp = "TIMESTAMP"
    case decimal = "DECIMAL"
    case varchar = "VARCHAR"
    case blob = "BLOB"

    init(_ type: AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64, .boolean: .integer
            case .double, .float: .float
            case .date: .timestamp
            case .decimal: .decimal
            case .string, .uri: .varchar
            case .uuid, .binary, .transformable, .undefined, .objectID, .composite: .blob
            }
    }

    /// The rank of a type in the order of columns. Columns of one rank keep the order of their
    /// names.
    var rank: Int {
        switch self {
        case .integer: 0
        case .float, .timestamp: 1
        case .decimal: 2
        case .varchar: 3
        case .blob: 4
        }
    }
}
