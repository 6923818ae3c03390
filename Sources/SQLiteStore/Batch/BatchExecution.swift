import Foundation
import Query
import RowMemory
import Schema
import SQLiteKit
import Storage

/// Runs batch requests as SQL statements, each request in one transaction.
struct BatchExecution {
    let session: StoreSession

    init(_ session: StoreSession) { self.session = session }

    /// Sets columns of all rows that a request selects, in one statement.
    func update(_ update: BatchUpdate, _ origin: ChangeOrigin) throws -> BatchReceipt {
        try session.checkWritable()
        let storage = try session.layout.storage(of: update.request.entityIndex)
        var assignments = [SQLFragment("Z_OPT = ifnull(\(SelectStatement.rootAlias).Z_OPT, 0) + 1")]
        for assignment in update.assignments { assignments += try self.assignments(for: assignment, storage) }
        let selected = try session.select(update.request).selecting(["\(SelectStatement.rootAlias).Z_PK"])
        var statement = SQLFragment("UPDATE \(SQLName.quoted(storage.table)) AS \(SelectStatement.rootAlias) SET ")
        statement += assignments.joined(", ")
        statement +=
            SQLFragment(" WHERE \(SelectStatement.rootAlias).Z_PK IN (") + selected
            + SQLFragment(") RETURNING Z_PK, Z_ENT")
        return try session.writing {
            session.derived.begin()
            let selected = references(try session.connection.rows(statement.text, statement.arguments))
            var changed = PropertySet()
            for assignment in update.assignments { changed.insert(assignment.propertyIndex) }
            if !selected.isEmpty {
                try session.historyWriter.begin(origin, on: session.connection)?.note(
                    .update, selected, columns: changed)
            }
            return BatchReceipt(selected: selected, changed: session.derived.takeReferences(besides: selected))
        }
    }

    func references(_ rows: [[SQLiteValue]]) -> [ObjectReference] {
        rows.compactMap { row in
            guard let key = row[0].integer, let number = row[1].integer,
                let index = session.layout.entityIndex(number: number)
            else { return nil }
            return ObjectReference(key: key, entityIndex: index)
        }
    }

    private func assignments(for assignment: BatchUpdate.Assignment, _ storage: EntityStorage) throws -> [SQLFragment] {
        let property = session.layout.model.entities[storage.entityIndex].properties[assignment.propertyIndex]
        switch storage.properties[assignment.propertyIndex] {
        case .attribute(let column):
            // A large value may belong in an external file.
            guard !column.hasStoragePrefix else { throw notInSQL(property) }
            let name = SQLName.quoted(column.name)
            if case .constant(let value) = assignment.value {
                guard !SQLiteValue.isUnstorable(value) else {
                    throw StorageError.unstorable(
                        value, property.name, entity: session.layout.model.entities[storage.entityIndex].name)
                }
                return [SQLFragment("\(name) = ?", [SQLiteValue(value, column)])]
            }
            return [SQLFragment("\(name) = ") + (try expression(assignment.value, for: column, property, storage))]
        case .toOne(let columns):
            guard case .constant(let value) = assignment.value else { throw notInSQL(property) }
            return try assignments(of: value, to: columns, property)
        case .none, .composite, .toMany, .manyToMany: throw notInSQL(property)
        }
    }

    private func assignments(of value: PropertyValue, to columns: ToOneColumns, _ property: PropertyDescription) throws
        -> [SQLFragment]
    {
        var names = [columns.key], values = [SQLiteValue.null]
        if case .object(let id) = value {
            // An ordered inverse needs a position for every member.
            guard columns.order == nil, let number = session.layout[id.entityIndex]?.number else {
                throw notInSQL(property)
            }
            values = [.integer(id.key)]
            if let entity = columns.entity {
                names.append(entity)
                values.append(.integer(number))
            }
        } else {
            names += [columns.entity, columns.order].compactMap { $0 }
        }
        return names.enumerated().map {
            SQLFragment("\(SQLName.quoted($1)) = ?", [$0 < values.count ? values[$0] : .null])
        }
    }

    private func notInSQL(_ property: PropertyDescription) -> QueryError {
        QueryError(.unsupported, "SQL can't set \(property.name) of many objects at once", key: property.name)
    }

    /// The SQL of a value computed from the row's own columns, where its type is known to match the
    /// column's type.
    private func expression(
        _ value: QueryExpression, for column: AttributeColumn, _ property: PropertyDescription, _ storage: EntityStorage
    ) throws -> SQLFragment {
        try session.plans.provideFunctions(on: session.connection)
        let entity = session.layout.model.entities[storage.entityIndex]
        let translator = try session.translator(storage.entityIndex)
        let scalar = try translator.single(value)
        guard translator.root.tables.isEmpty else { throw notInSQL(property) }
        let fits: Bool =
            switch column.type {
            case .double: scalar.kind == .number
            case .string: scalar.kind == .text
            case .date: scalar.kind == .date
            case .boolean, .float, .integer16, .integer32, .integer64:
                scalar.isColumn && isSame(value, column.type, entity)
            default: false
            }
        guard fits else { throw notInSQL(property) }
        return column.type == .double ? SQLFragment("CAST(") + scalar.sql + SQLFragment(" AS REAL)") : scalar.sql
    }

    private func isSame(_ value: QueryExpression, _ type: AttributeType, _ entity: EntityDescription) -> Bool {
        guard case .keyPath(nil, let components) = value, components.count == 1 else { return false }
        return entity.property(named: components[0])?.attribute?.type == type
    }
}

extension StoreSession {
    /// Runs batch requests through this session.
    var batch: BatchExecution { BatchExecution(self) }
}
