import SQLiteFile
import SQLiteKit
import Schema
import Storage

/// Copies the rows of a damaged store's tables into a sound database, and reports missing rows.
struct RecoveredTables {
    private let database: DamagedDatabase
    private let layout: StoreLayout
    private let connection: Connection
    private let tables: [String: SalvagedTable]
    private let greatestKeys: [Int64: Int64]
    private(set) var findings: [ReferenceFinding]
    private(set) var rowCount = 0
    /// The limit on reported findings.
    private static let mostFindings = 1000

    init(_ recovery: StoreRecovery, _ layout: StoreLayout, _ connection: Connection) {
        var recovery = recovery
        database = recovery.database
        greatestKeys = recovery.greatestKeys
        tables = Dictionary(
            recovery.tables(of: layout).map { (SQLName.key($0.name), $0) }, uniquingKeysWith: { first, _ in first })
        findings = recovery.findings
        self.layout = layout
        self.connection = connection
    }

    private mutating func report(_ message: String, object: String? = nil) {
        if findings.count < Self.mostFindings { findings.append(ReferenceFinding(message, object: object)) }
    }

    /// Copies all tables.
    /// - Throws: `SQLiteError` if the database can't be written.
    mutating func fill() throws {
        try connection.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN")
        let schema = StoreSchema(layout), roots = layout.storedEntities.filter { $0.number == $0.rootNumber }
        for (definition, storage) in zip(schema.tables, roots) {
            try connection.execute(definition.statement())
            guard let table = tables[SQLName.key(definition.name)] else { continue }
            let names = ["Z_PK", "Z_ENT", "Z_OPT"] + definition.columns.map(\.name)
            try copy(
                table, names, properties(storage),
                Label(
                    text: layout.model.entities[storage.entityIndex].name, isLink: false,
                    greatest: greatestKeys[storage.number]))
        }
        for (storage, property, join) in schema.namingSides {
            try connection.execute(join.statement())
            guard let table = tables[SQLName.key(join.table)] else { continue }
            let names = [join.ownerColumn, join.memberColumn] + [join.ownerOrder, join.memberOrder].compactMap { $0 }
            try copy(
                table, names, [:],
                Label(
                    text: "\(layout.model.entities[storage.entityIndex].name).\(property.name)", isLink: true,
                    greatest: nil))
        }
        try connection.execute("COMMIT")
    }

    /// The name of a table's rows in findings.
    private struct Label {
        let text: String
        let isLink: Bool
        let greatest: Int64?

        var rows: String { isLink ? "the links in the rows" : "the rows" }
        func object(_ key: Int64) -> String { isLink ? text : "\(text)/p\(key)" }
    }

    private mutating func copy(
        _ table: SalvagedTable, _ names: [String], _ properties: [String: String], _ label: Label
    ) throws {
        let columns = names.map { table.column($0) ?? SalvagedTable.Column(name: $0, field: nil, standard: .null) }
        let key = label.isLink ? nil : 0
        let list = names.map(SQLName.quoted).joined(separator: ", "),
            places = names.map { _ in "?" }.joined(separator: ", ")
        let statement = try connection.prepare(
            "INSERT OR IGNORE INTO \(SQLName.quoted(table.name)) (\(list)) VALUES (\(places))")
        defer { statement.reset() }
        for leaf in table.tree.leaves {
            try Task.checkCancellation()
            var isOrdered = true, last: Int64?
            let isWhole = try database.forEachRow(ofLeaf: leaf.page) { row in
                if !leaf.range.contains(row.key) || last.map({ $0 >= row.key }) == true { isOrdered = false }
                last = row.key
                try insert(row, table, columns, key: key, statement, properties, label)
            }
            if !isWhole { report("page \(leaf.page) is damaged: rows in it may be missing", object: label.text) }
            if !isOrdered {
                report(
                    "page \(leaf.page) is damaged: its rows have numbers that do not belong there", object: label.text)
            }
        }
        if table.tree.isDamaged { report("its table is damaged: not all of its rows may be found", object: label.text) }
        for range in Self.merged(table.tree.lost, upTo: label.greatest) {
            report("\(label.rows) \(Self.text(range)) can't be read", object: label.text)
        }
    }

    private mutating func insert(
        _ row: SalvagedRow, _ table: SalvagedTable, _ columns: [SalvagedTable.Column], key: Int?,
        _ statement: Statement, _ properties: [String: String], _ label: Label
    ) throws {
        var unreadable = 0
        for (index, column) in columns.enumerated() {
            // The rowid supplies the value of the primary key column.
            let cell = index == key ? .integer(row.key) : table.cell(column, row)
            try bind(cell, statement, index + 1)
            guard cell == .unreadable else { continue }
            unreadable += 1
            if let property = properties[SQLName.key(column.name)] {
                report("\(property) can't be read", object: label.object(row.key))
            }
        }
        if !row.isSound, unreadable == 0 || label.isLink {
            report("the record is damaged", object: label.object(row.key))
        }
        statement.reset()
        try statement.run()
        rowCount += connection.changes
        if connection.changes == 0, !label.isLink { report("comes twice", object: label.object(row.key)) }
    }

    private func bind(_ cell: SalvagedCell, _ statement: Statement, _ place: Int) throws {
        switch cell {
        case .null, .unreadable: try statement.bindNull(at: place)
        case .integer(let value): try statement.bind(value, at: place)
        case .real(let value): try statement.bind(value, at: place)
        case .blob(let value): try statement.bind(value, at: place)
        case .text(let bytes):
            // Bind the bytes unchanged: invalid text is replaced when it is read.
            if database.encoding == .utf8 {
                try bytes.withUnsafeBufferPointer { try statement.bind(text: $0, at: place) }
            } else {
                try statement.bind(database.text(cell) ?? "", at: place)
            }
        }
    }

    /// The properties of a hierarchy by the keys of their columns.
    private func properties(_ root: EntityStorage) -> [String: String] {
        var names: [String: String] = [:]
        for storage in layout.storedEntities where storage.rootNumber == root.number {
            for (property, place) in zip(layout.model.entities[storage.entityIndex].properties, storage.properties) {
                switch place {
                case .attribute(let column): names[SQLName.key(column.name)] = property.name
                case .composite(let leaves): for leaf in leaves { names[SQLName.key(leaf.column.name)] = property.name }
                case .toOne(let columns): names[SQLName.key(columns.key)] = property.name
                case .none, .toMany, .manyToMany: break
                }
            }
        }
        return names
    }

    // MARK: Ranges

    private static func text(_ range: ClosedRange<Int64>) -> String {
        range.upperBound == .max
            ? "from \(range.lowerBound) on"
            : range.lowerBound == range.upperBound
                ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    /// Merges adjacent ranges. Primary keys beyond the greatest allocated one are cut off, if any
    /// others remain.
    private static func merged(_ ranges: [ClosedRange<Int64>], upTo greatest: Int64?) -> [ClosedRange<Int64>] {
        var result: [ClosedRange<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let low = max(range.lowerBound, 1), end = max(range.upperBound, low)
            let high = greatest.map { $0 >= low ? min(end, $0) : end } ?? end
            if let last = result.last, last.upperBound >= low - 1 {
                result[result.count - 1] = last.lowerBound...max(last.upperBound, high)
            } else {
                result.append(low...high)
            }
        }
        return result
    }
}
