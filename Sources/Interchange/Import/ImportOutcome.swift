package import Folio

/// The results of an import so far.
package struct ImportOutcome {
    /// The results for the records of a file.
    package struct Counts {
        package var inserted = 0
        package var updated = 0
        package var unchanged = 0

        package var total: Int { inserted + updated + unchanged }

        /// `3 inserted, 2 updated`
        package var text: String {
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
    package struct MissingValue {
        /// The object and the key, by the name that the file uses: `Person/p7.portrait`.
        package let value: String
        package let fileName: String
    }

    /// The object for a record. Recorded only for `--json`.
    package struct Made {
        package let file: Int
        package let id: String?
        package let line: Int
        package let object: ObjectName
    }

    /// An object by its ID, or the object itself until it has a permanent ID.
    package enum ObjectName {
        case object(ManagedObject)
        case id(ManagedObjectID)

        package var uri: String {
            switch self {
            case .object(let object): object.objectID.description
            case .id(let id): id.description
            }
        }
    }

    package var counts: [Counts]
    /// The number of objects that were created because a natural key refers to them.
    package var created = 0
    package var missing: [MissingValue] = []
    package var made: [Made] = []

    package var total: Counts { counts.reduce(Counts(), +) }

    package init(files: Int) { counts = Array(repeating: Counts(), count: files) }
}
