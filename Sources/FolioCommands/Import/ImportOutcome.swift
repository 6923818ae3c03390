import Folio

/// What an import has done so far.
struct ImportOutcome {
    /// What became of the records of a file.
    struct Counts {
        var inserted = 0
        var updated = 0
        var unchanged = 0

        var total: Int { inserted + updated + unchanged }

        /// `3 inserted, 2 updated`
        var text: String {
            let parts = [(inserted, "inserted"), (updated, "updated"), (unchanged, "unchanged")].filter { $0.0 > 0 }.map
            { "\($0.0) \($0.1)" }
            return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
        }

        static func + (left: Counts, right: Counts) -> Counts {
            Counts(
                inserted: left.inserted + right.inserted, updated: left.updated + right.updated,
                unchanged: left.unchanged + right.unchanged)
        }
    }

    /// A value that an export could not give, as its file was missing.
    struct MissingValue {
        /// `Person/p7.portrait`, by the name that the file has for the object.
        let value: String
        let fileName: String
    }

    /// Which object a record became. Kept only where somebody asks for it.
    struct Made {
        let file: Int
        let id: String?
        let line: Int
        let object: ObjectName
    }

    /// An object by its ID, or, until it has one for good, itself.
    enum ObjectName {
        case object(ManagedObject)
        case id(ManagedObjectID)

        var uri: String {
            switch self {
            case .object(let object): object.objectID.description
            case .id(let id): id.description
            }
        }
    }

    var counts: [Counts]
    /// Objects that only natural keys name.
    var created = 0
    var missing: [MissingValue] = []
    var made: [Made] = []

    var total: Counts { counts.reduce(Counts(), +) }

    init(files: Int) { counts = Array(repeating: Counts(), count: files) }
}
