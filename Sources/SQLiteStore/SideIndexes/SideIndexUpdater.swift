import Query
import SQLiteKit

/// Updates the side indexes for the rows that a transaction changes. Temporary triggers of the
/// connection record these rows, so every write is noticed and the file has no additional triggers.
final class SideIndexUpdater {
    private let layout: StoreLayout
    /// Whether the connection records the changed rows.
    private var watchesRows = false

    init(_ layout: StoreLayout) { self.layout = layout }

    /// Whether the store has such indexes.
    var isNeeded: Bool { !layout.sideIndexes.isEmpty }

    static func touched(_ table: String) -> String { "FOLIO_TOUCHED_\(table)" }

    func watchTouchedRows(on connection: Connection) throws {
        guard !watchesRows else { return }
        try connection.execute("PRAGMA temp_store=MEMORY")
        try Self.registerWords(on: connection)
        for table in layout.sideIndexes.tables {
            let touched = Self.touched(table)
            let columns = layout.sideIndexes.columns(of: table)
            let list = columns.map { SQLName.quoted($0) }
            try connection.execute("CREATE TEMP TABLE \(SQLName.quoted(touched)) (key INTEGER PRIMARY KEY)")
            func watch(_ event: String, _ row: String, when condition: String) throws {
                let name = SQLName.quoted("\(touched)_\(event.prefix(6))")
                try connection.execute(
                    "CREATE TEMP TRIGGER \(name) AFTER \(event) ON main.\(SQLName.quoted(table)) WHEN \(condition) BEGIN INSERT INTO \(SQLName.quoted(touched)) "
                        + "SELECT \(row).Z_PK WHERE NOT EXISTS (SELECT 1 FROM \(SQLName.quoted(touched)) WHERE key = \(row).Z_PK); END"
                )
            }
            func filled(_ row: String) -> String { list.map { "\(row).\($0) IS NOT NULL" }.joined(separator: " OR ") }
            try watch("INSERT", "new", when: filled("new"))
            try watch("DELETE", "old", when: filled("old"))
            try watch(
                "UPDATE OF \(list.joined(separator: ", "))", "new",
                when: list.map { "old.\($0) IS NOT new.\($0)" }.joined(separator: " OR "))
        }
        watchesRows = true
    }

    func updateSideIndexes(on connection: Connection) throws {
        for table in layout.sideIndexes.tables {
            let touched = Self.touched(table)
            guard try connection.value("SELECT 1 FROM \(SQLName.quoted(touched)) LIMIT 1") != nil else {
                continue
            }
            if let index = layout.searchIndex(of: table) {
                try connection.run(index.emptying(touched: touched))
                try connection.run(index.filling(touched: touched))
            }
            for index in layout.placeIndexes(of: table) {
                try connection.run(index.emptying(touched: touched))
                try connection.run(index.filling(touched: touched))
            }
            try connection.run("DELETE FROM \(SQLName.quoted(touched))")
        }
    }

    static func registerWords(on connection: Connection) throws {
        try connection.register(function: "FolioWords", argumentCount: 1, flags: [.deterministic, .directOnly]) {
            arguments, result in
            if !arguments[0].isNull { result.set(SearchQuery.words(of: arguments[0].text)) }
        }
    }

    /// Side indexes that disagree with the rows because another program has written to the store.
    /// Costs a pass over the rows.
    func sideIndexFindings(on connection: Connection) throws -> [String] {
        guard !layout.sideIndexes.isEmpty else { return [] }
        try Self.registerWords(on: connection)
        var findings: [String] = []
        for index in layout.sideIndexes.search.values.sorted(by: { $0.table < $1.table }) {
            let count = try connection.value(index.checking)?.integer ?? 0
            if count > 0 { findings.append("the full-text index of \(index.table) differs from \(count) of its rows") }
        }
        for index in layout.sideIndexes.allPositions {
            let count = try connection.value(index.checking)?.integer ?? 0
            if count > 0 { findings.append("the R-tree \(index.name) differs from \(count) rows of \(index.table)") }
        }
        return findings
    }
}

extension SideIndexes {
    /// The columns of a table that are in any of its side indexes.
    func columns(of table: String) -> [String] {
        Set((search[table]?.columns ?? []) + (places[table] ?? []).flatMap(\.columns)).sorted()
    }
}
