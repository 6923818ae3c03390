import Folio

/// The results of an import so far.
struct ImportOutcome {
    /// The results for the records of a file.
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

    /// A value that is missing in the export, because its file was missing.
    struct MissingValue {
        /// The object and the key, by the name that the file uses: `Person/p7.portrait`.
        let value: String
        let fileName: String
    }

    /// The object for a record. Recorded only for `--json`.
    struct Made {
        let file: Int
        let id: String?
        let line: Int
        let object: ObjectName
    }

    /// An object by its ID, or the object itself until it has a permanent ID.
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
    /// The number of objects that were created because a natural key refers to them.
    var created = 0
    var missing: [MissingValue] = []
    var made: [Made] = []

    var total: Counts { counts.reduce(Counts(), +) }

    init(files: Int) { counts = Array(repeating: Counts(), count: files) }
}
