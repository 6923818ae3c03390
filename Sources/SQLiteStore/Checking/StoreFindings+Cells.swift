import Schema
import SQLiteKit
import Storage

/// Cells that are not of their property's type. SQLite keeps any value in any column, and other
/// programs write into stores.
extension StoreFindings {
    private static let mostFindings = 100
    /// How much of a text or a blob a message shows.
    private static let shownLength = 40

    /// - Parameter onlyLost: Whether cells that read as what they say are left out.
    func cellFindings(onlyLost: Bool = false) throws -> [ReferenceFinding] {
        try session.plans.provideFunctions(on: session.connection)
        var findings: [ReferenceFinding] = []
        for storage in session.layout.storedEntities {
            let entity = session.layout.model.entities[storage.entityIndex]
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                switch storage.properties[property.index] {
                case .attribute(let column):
                    findings += try cells(property.name, column, storage, entity, onlyLost)
                case .composite(let leaves):
                    for leaf in leaves {
                        let name = leaf.path.joined(separator: ".")
                        findings += try cells(name, leaf.column, storage, entity, onlyLost)
                    }
                case .toOne(let columns):
                    let key = SQLFragment.sql("\(name: columns.key)")
                    findings += try cells(
                        property.name, columns.key, .sql("\(Irregularity.regular(key, .toOne)) IS NULL"),
                        "primary key, and reads as nil", storage, entity)
                case .none, .toMany, .manyToMany: break
                }
            }
        }
        return findings
    }

    private func cells(
        _ name: String, _ column: AttributeColumn, _ storage: EntityStorage, _ entity: EntityDescription,
        _ onlyLost: Bool
    ) throws -> [ReferenceFinding] {
        let kind = CellReader.Kind(column), cell = SQLFragment.sql("\(name: column.name)")
        let type = column.type.name
        var findings = try cells(
            name, column.name, .sql("\(Irregularity.regular(cell, kind)) IS NULL"), "\(type), and reads as nil",
            storage,
            entity)
        guard !onlyLost else { return findings }
        let range: ClosedRange<Int64>
        switch column.type {
        case .uuid, .boolean:
            // It reads as what the text or the number says.
            return findings
                + (try cells(
                    name, column.name,
                    .sql("typeof(\(cell)) IN ('text', 'real') AND \(Irregularity.regular(cell, kind)) IS NOT NULL"),
                    type, storage, entity))
        case .string, .uri:
            return findings
                + (try cells(
                    name, column.name,
                    .sql("typeof(\(cell)) = 'text' AND \(Irregularity.regular(cell, kind)) IS NOT \(cell)"),
                    "\(type) in UTF-8, and reads with U+FFFD in the place of what is not", storage, entity))
        case .integer16: range = Int64(Int16.min)...Int64(Int16.max)
        case .integer32: range = Int64(Int32.min)...Int64(Int32.max)
        default: return findings
        }
        findings += try cells(
            name, column.name,
            .sql(
                "typeof(\(cell)) = 'integer' AND \(cell) NOT BETWEEN \(value: .integer(range.lowerBound)) AND \(value: .integer(range.upperBound))"
            ), type, storage, entity)
        return findings
    }

    private func cells(
        _ name: String, _ column: String, _ condition: SQLFragment, _ expected: String, _ storage: EntityStorage,
        _ entity: EntityDescription
    ) throws -> [ReferenceFinding] {
        let cell = SQLFragment.sql("\(name: column)")
        let number = storage.sharesTable ? SQLFragment.sql("Z_ENT") : .sql("NULL")
        let start = SQLFragment.sql("substr(\(cell), 1, \(value: .integer(Int64(Self.shownLength))))")
        let statement = SQLFragment.sql(
            "SELECT Z_PK, \(number), typeof(\(cell)), \(start), length(\(cell)) FROM \(name: storage.table) WHERE \(cell) IS NOT NULL AND \(condition) LIMIT \(value: .integer(Int64(Self.mostFindings)))"
        )
        return try session.connection.rows(statement.text, statement.arguments).map { row in
            let index = row[1].integer.flatMap(session.layout.entityIndex(number:)) ?? entity.index
            let article = expected.hasPrefix("Integer") || expected.hasPrefix("Undefined") ? "an" : "a"
            return ReferenceFinding(
                "\(name) (column \(column)) is \(Self.description(row)), which is not \(article) \(expected)",
                object: "\(session.layout.model.entities[index].name)/p\(row[0].integer ?? 0)")
        }
    }

    private static func description(_ row: [SQLiteValue]) -> String {
        let length = row[4].integer ?? 0
        switch row[2].text {
        case "text": return "the text “\(row[3].text ?? "")\(length > Int64(shownLength) ? "…" : "")”"
        case "blob": return length == 1 ? "1 byte" : "\(length) bytes"
        case "real": return "the number \(row[3].text ?? "")"
        default: return "the integer \(row[3].text ?? row[3].integer.map(String.init) ?? "")"
        }
    }
}

extension StoreFindings {
    /// Counts only where a search finds something.
    func omissions() throws -> StoreOmissions {
        var omissions = StoreOmissions()
        guard !session.description.isInMemory else { return omissions }
        let plans = session.plans, connection = session.connection
        try plans.forgetIrregularities(ofOtherStatesThan: connection)
        var joins: Set<String> = []
        func count(_ statement: SQLFragment) throws -> Int {
            Int(try connection.value(statement.text, statement.arguments)?.integer ?? 0)
        }
        func countCells(_ column: String, _ kind: CellReader.Kind, _ table: String) throws {
            guard try plans.has(.cells(table: table, column: column, kind), on: connection) else { return }
            let cell = SQLFragment.sql("\(name: column)")
            omissions.cells += try count(
                .sql(
                    "SELECT count(*) FROM \(name: table) WHERE \(cell) IS NOT NULL AND \(Irregularity.regular(cell, kind)) IS NULL"
                ))
        }
        for storage in session.layout.storedEntities {
            let entity = session.layout.model.entities[storage.entityIndex]
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                switch storage.properties[property.index] {
                case .attribute(let column): try countCells(column.name, .init(column), storage.table)
                case .composite(let leaves):
                    for leaf in leaves { try countCells(leaf.column.name, .init(leaf.column), storage.table) }
                case .toOne(let columns): try countCells(columns.key, .toOne, storage.table)
                case .manyToMany(let join) where joins.insert(join.table).inserted:
                    let members = try session.layout.storage(of: join.destinationIndex)
                    omissions.links += try count(
                        .sql(
                            "SELECT count(*) FROM \(name: join.table) WHERE \(name: join.ownerColumn) NOT IN (SELECT Z_PK FROM \(name: storage.table)) OR \(name: join.memberColumn) NOT IN (SELECT Z_PK FROM \(name: members.table))"
                        ))
                case .none, .toMany, .manyToMany: break
                }
            }
        }
        return omissions
    }
}
