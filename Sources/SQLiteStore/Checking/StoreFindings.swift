import Schema
import SQLiteKit
import Storage

/// Checks a store against its model and for internal consistency. Each check costs a pass over the
/// tables that it examines.
struct StoreFindings {
    let session: StoreSession

    init(_ session: StoreSession) { self.session = session }

    private static let mostFindings = 100

    func referenceFindings() throws -> [ReferenceFinding] {
        var findings: [ReferenceFinding] = []
        var joinTables: Set<String> = []
        for storage in session.layout.storedEntities {
            let entity = session.layout.model.entities[storage.entityIndex]
            if entity.superentity == nil { findings += try damagedNumbers(storage, entity) }
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                switch storage.properties[property.index] {
                case .toOne(let columns): findings += try danglingKeys(columns, property, storage, entity)
                case .manyToMany(let join) where joinTables.insert(join.table).inserted:
                    findings += try danglingLinks(join, storage, entity, property)
                default: break
                }
            }
        }
        return findings
    }

    private func damagedNumbers(_ storage: EntityStorage, _ entity: EntityDescription) throws -> [ReferenceFinding] {
        let table = SQLName.quoted(storage.table)
        let numbers = session.layout.numbers(of: entity.index, includingSubentities: true).map(String.init).joined(
            separator: ", ")
        var findings: [ReferenceFinding] = []
        for row in try session.connection.rows(
            "SELECT Z_PK, Z_ENT FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers)) LIMIT \(Self.mostFindings)"
        ) {
            findings.append(
                ReferenceFinding(
                    "the row is of no entity of the model (\(row[1].integer.map(String.init) ?? "NULL"))",
                    object: "\(entity.name)/p\(row[0].integer ?? 0)"))
        }
        for part in session.layout.model.entities[entity.family] where part.isAbstract {
            guard let number = session.layout[part.index]?.number else { continue }
            for row in try session.connection.rows(
                "SELECT Z_PK FROM \(table) WHERE Z_ENT = ? LIMIT \(Self.mostFindings)", [.integer(number)])
            {
                findings.append(
                    ReferenceFinding(
                        "the row is of the entity \(part.name), which is abstract",
                        object: "\(part.name)/p\(row[0].integer ?? 0)"))
            }
        }
        for row in try session.connection.rows("SELECT Z_PK FROM \(table) WHERE Z_PK < 1 LIMIT \(Self.mostFindings)") {
            findings.append(
                ReferenceFinding(
                    "\(entity.name): a row has the number \(row[0].integer ?? 0), which no object can have"))
        }
        let greatest = try session.connection.value("SELECT max(Z_PK) FROM \(table)")?.integer ?? 0
        let recorded =
            try session.connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(storage.number)])?
            .integer ?? 0
        if greatest > recorded {
            findings.append(
                ReferenceFinding(
                    "\(entity.name): numbers up to \(greatest) are in use, but only \(recorded) were given out"))
        }
        return findings
    }

    private func danglingKeys(
        _ columns: ToOneColumns, _ property: PropertyDescription, _ storage: EntityStorage, _ entity: EntityDescription
    )
        throws -> [ReferenceFinding]
    {
        let destination = try session.layout.storage(of: columns.destinationIndex)
        let key = SQLName.quoted(columns.key)
        let rows = try session.connection.rows(
            "SELECT Z_PK, \(key) FROM \(SQLName.quoted(storage.table)) WHERE \(key) IS NOT NULL AND \(key) NOT IN (SELECT Z_PK FROM "
                + "\(SQLName.quoted(destination.table))) LIMIT \(Self.mostFindings)")
        let target = session.layout.model.entities[columns.destinationIndex].name
        return rows.map {
            ReferenceFinding(
                "\(property.name) leads to \(target)/p\($0[1].integer ?? 0), which is not there",
                object: "\(entity.name)/p\($0[0].integer ?? 0)")
        }
    }

    private func danglingLinks(
        _ join: JoinTable, _ storage: EntityStorage, _ entity: EntityDescription, _ property: PropertyDescription
    )
        throws -> [ReferenceFinding]
    {
        let destination = try session.layout.storage(of: join.destinationIndex)
        let (owner, member) = (SQLName.quoted(join.ownerColumn), SQLName.quoted(join.memberColumn))
        let rows = try session.connection.rows(
            "SELECT \(owner), \(member) FROM \(SQLName.quoted(join.table)) WHERE \(owner) NOT IN (SELECT Z_PK FROM \(SQLName.quoted(storage.table))) "
                + "OR \(member) NOT IN (SELECT Z_PK FROM \(SQLName.quoted(destination.table))) LIMIT \(Self.mostFindings)"
        )
        let target = session.layout.model.entities[join.destinationIndex].name
        return rows.map {
            ReferenceFinding(
                "\(property.name) links it with \(target)/p\($0[1].integer ?? 0), but not both are there",
                object: "\(entity.name)/p\($0[0].integer ?? 0)")
        }
    }
}
