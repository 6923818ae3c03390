import Foundation
import Query
package import Schema
package import SQLiteKit
import Storage

extension StoreSession {
    func rows(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        let translated = try translate(table, of: request)
        return try translated.rows(on: connection, layout: layout, identity: identity, files: files)
    }

    func explanation(of table: TableRequest, of request: RowRequest) throws -> QueryExplanation {
        try explanation(of: translate(table, of: request).statement)
    }

    private func translate(_ table: TableRequest, of request: RowRequest) throws -> TranslatedTable {
        try plans.provideFunctions(on: connection)
        return try SQLTranslation.translate(table, of: request, with: translator(request.entityIndex))
    }
}

extension TranslatedTable {
    package func rows(on connection: Connection, layout: StoreLayout, identity: StoreIdentity, files: ExternalValues)
        throws -> [[PropertyValue]]
    {
        var rows: [[PropertyValue]] = []
        try connection.withStatement(statement.text) { result in
            try result.bind(statement.arguments)
            while try result.step() { rows.append(values(of: result, layout, identity, files)) }
        }
        return rows
    }

    /// The values of a result row.
    private func values(
        of cells: some ResultCells, _ layout: StoreLayout, _ identity: StoreIdentity, _ files: ExternalValues
    ) -> [PropertyValue] {
        var place = 0
        return zip(readers, columns).map { reader, column in
            let value: PropertyValue
            switch reader {
            case .attribute(let attribute):
                value = cells.propertyValue(at: place, attribute, files)
                place += 1
            case .composite(let leaves):
                value = cells.composite(leaves, at: place, files)
                place += leaves.count
            case .object(let entityIndex, let hasEntity):
                value = cells.object(at: place, entityIndex, hasEntity, layout, identity)
                place += hasEntity ? 2 : 1
            case .computed(let type):
                value = cells.computed(type, at: place)
                place += 1
            }
            return column.value(value)
        }
    }
}

extension ResultCells {
    /// A reference. If its row is missing, its entity is the destination of the key path.
    fileprivate func object(
        at place: Int, _ entityIndex: Int, _ hasEntity: Bool, _ layout: StoreLayout, _ identity: StoreIdentity
    ) -> PropertyValue {
        guard typeNumber(at: place) != CellType.null else { return .null }
        let own = hasEntity ? layout.entityIndex(number: int64(at: place + 1)) : nil
        return .object(ManagedObjectID(store: identity, entityIndex: own ?? entityIndex, key: int64(at: place)))
    }

    /// The value of a computed SQL expression.
    fileprivate func computed(_ type: StaticType, at place: Int) -> PropertyValue {
        switch typeNumber(at: place) {
        case CellType.integer, CellType.real:
            if case .date = type { return .date(Date(timeIntervalSinceReferenceDate: double(at: place))) }
            return typeNumber(at: place) == CellType.integer ? .int(int64(at: place)) : .double(double(at: place))
        case CellType.text: return .string(string(at: place))
        case CellType.blob:
            if case .uuid = type { return uuid(at: place).map(PropertyValue.uuid) ?? .null }
            return .data(data(at: place))
        default: return .null
        }
    }
}
