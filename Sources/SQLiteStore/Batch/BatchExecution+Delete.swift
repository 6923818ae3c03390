import Query
import RowMemory
import Schema
import SQLiteKit
import Storage

extension BatchExecution {
    /// Deletes rows by the model's delete rules: cascades first, then checks `deny` rules, then
    /// nullifies the references to the rows.
    func delete(_ request: RowRequest, _ origin: ChangeOrigin) throws -> BatchReceipt {
        try session.checkWritable()
        return try session.writing {
            session.derived.begin()
            var doomed = DoomedObjects()
            let selected = doomed.add(
                try doomedRows(try session.select(request).selecting(Self.doomedColumns(SelectStatement.rootAlias))),
                rootOf: rootIndex)
            var cascaded: [DoomedObjects.Row] = []
            var round = selected
            while !round.isEmpty {
                round = try cascades(of: round, &doomed)
                cascaded += round
            }
            for (entityIndex, rows) in doomed.byEntity { try release(rows.map(\.reference.key), entityIndex, &doomed) }
            var save = SaveInProgress(large: LargeValueWriter(session.files), insertions: [])
            let deletions = doomed.byEntity.values.joined().map { row in
                ChangeSet.Deletion(entityIndex: row.reference.entityIndex, key: row.reference.key, version: row.version)
            }
            let changed = doomed.changed.filter { !doomed.contains($0, root: rootIndex($0.entityIndex)) }
            if !deletions.isEmpty, let history = try session.historyWriter.begin(origin, on: session.connection) {
                try history.note(deletions)
                try history.note(.update, changed, columns: nil)
            }
            try session.writer.delete(deletions, &save)
            let derived = session.derived.takeReferences(besides: changed).filter {
                !doomed.contains($0, root: rootIndex($0.entityIndex))
            }
            return BatchReceipt(
                selected: selected.map(\.reference), cascaded: cascaded.map(\.reference), changed: changed + derived)
        }
    }

    private func rootIndex(_ entityIndex: Int) -> Int { session.layout.model.entities[entityIndex].rootIndex }

    private static func doomedColumns(_ alias: String) -> [String] {
        ["\(alias).Z_PK", "\(alias).Z_ENT", "ifnull(\(alias).Z_OPT, 0)"]
    }

    private func doomedRows(_ statement: SQLFragment) throws -> [DoomedObjects.Row] {
        try session.connection.rows(statement.text, statement.arguments).compactMap { row in
            guard let reference = references([row]).first else { return nil }
            return DoomedObjects.Row(reference: reference, version: row[2].integer ?? 0)
        }
    }

    // MARK: Rules

    /// The stored relationships of an entity, with their delete rules.
    private func relationships(of entityIndex: Int) throws -> [(
        property: PropertyDescription, rule: DeleteRule, storage: PropertyStorage
    )] {
        let storage = try session.layout.storage(of: entityIndex)
        return session.layout.model.entities[entityIndex].properties.compactMap { property in
            guard let relationship = property.relationship, storage.properties[property.index] != .none else {
                return nil
            }
            return (property, relationship.deleteRule, storage.properties[property.index])
        }
    }

    private func cascades(of rows: [DoomedObjects.Row], _ doomed: inout DoomedObjects) throws -> [DoomedObjects.Row] {
        var found: [DoomedObjects.Row] = []
        for (entityIndex, rows) in Dictionary(grouping: rows, by: \.reference.entityIndex) {
            for relationship in try relationships(of: entityIndex) where relationship.rule == .cascade {
                let targets = try targets(of: relationship.storage, rows.map(\.reference.key), entityIndex)
                found += doomed.add(targets, rootOf: rootIndex)
            }
        }
        return found
    }

    /// The destination rows of a relationship for the given owners.
    private func targets(of storage: PropertyStorage, _ owners: [Int64], _ entityIndex: Int) throws -> [DoomedObjects
        .Row]
    {
        func select(from table: String, where condition: String, _ keys: SQLFragment) throws -> [DoomedObjects.Row] {
            let columns = Self.doomedColumns("d").joined(separator: ", ")
            return try doomedRows(
                SQLFragment("SELECT \(columns) FROM \(SQLName.quoted(table)) d WHERE \(condition)", keys.arguments))
        }
        switch storage {
        case .toMany(let key):
            let keys = SQLFragment.key("d.\(SQLName.quoted(key.key))", isIn: owners)
            return try select(from: key.table, where: keys.text, keys)
        case .toOne(let columns):
            let own = try session.layout.storage(of: entityIndex).table,
                destination = try session.layout.storage(of: columns.destinationIndex)
            let keys = SQLFragment.key("o.Z_PK", isIn: owners)
            return try select(
                from: destination.table,
                where:
                    "d.Z_PK IN (SELECT o.\(SQLName.quoted(columns.key)) FROM \(SQLName.quoted(own)) o WHERE \(keys.text))",
                keys)
        case .manyToMany(let join):
            let destination = try session.layout.storage(of: join.destinationIndex)
            return try (join.isReflexive ? [join, join.reversed(destinationIndex: join.destinationIndex)] : [join])
                .flatMap { join in
                    let keys = SQLFragment.key("j.\(SQLName.quoted(join.ownerColumn))", isIn: owners)
                    return try select(
                        from: destination.table,
                        where:
                            "d.Z_PK IN (SELECT j.\(SQLName.quoted(join.memberColumn)) FROM \(SQLName.quoted(join.table)) j WHERE \(keys.text))",
                        keys)
                }
        case .none, .attribute, .composite: return []
        }
    }

    /// Nullifies the references to rows that are being deleted, unless a rule denies the deletion.
    /// The deletion itself removes rows of join tables.
    private func release(_ owners: [Int64], _ entityIndex: Int, _ doomed: inout DoomedObjects) throws {
        for relationship in try relationships(of: entityIndex) where relationship.rule != .noAction {
            if relationship.rule == .deny {
                let staying = try targets(of: relationship.storage, owners, entityIndex).filter {
                    !doomed.contains($0.reference, root: rootIndex($0.reference.entityIndex))
                }
                if let target = staying.first {
                    throw refusal(relationship.property, entityIndex, "it leads to", target.reference)
                }
            }
            guard let inverse = session.layout.model.inverse(of: relationship.property), !inverse.isToMany else {
                continue
            }
            let destination = try session.layout.storage(of: relationship.property.destinationIndex)
            guard case .toOne(let columns) = destination.properties[inverse.index] else { continue }
            let emptied = [columns.key, columns.entity, columns.order].compactMap { $0 }.map {
                "\(SQLName.quoted($0)) = NULL"
            }
            let keys = SQLFragment.key(SQLName.quoted(columns.key), isIn: owners)
            // Rows of other entities in the table may use the column for another relationship.
            let numbers = session.layout.numbers(of: destination.entityIndex, includingSubentities: true).map(
                String.init
            ).joined(separator: ", ")
            let touched = references(
                try session.connection.rows(
                    "UPDATE \(SQLName.quoted(destination.table)) SET \(emptied.joined(separator: ", ")), Z_OPT = ifnull(Z_OPT, 0) + 1 "
                        + "WHERE Z_ENT IN (\(numbers)) AND \(keys.text) RETURNING Z_PK, Z_ENT", keys.arguments))
            doomed.raiseVersions(of: touched)
            let staying = touched.filter { !doomed.contains($0, root: rootIndex($0.entityIndex)) }
            if !inverse.isOptional, let member = staying.first {
                throw refusal(relationship.property, entityIndex, "that is mandatory for", member)
            }
            doomed.changed += staying
        }
    }

    private func refusal(_ property: PropertyDescription, _ entityIndex: Int, _ why: String, _ target: ObjectReference)
        -> StorageError
    {
        let name = session.layout.model.entities[entityIndex].name
        let id = ManagedObjectID(store: session.identity, entityIndex: target.entityIndex, key: target.key)
        return StorageError(
            .constraint, "\(name) can't be deleted: by \(property.name) \(why) \(id.shortName)", entities: [name])
    }
}
