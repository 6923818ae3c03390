import Schema
import SQLiteKit

/// Attributes: the old column where there is one, converted where only its form changes.
extension MigrationBuilder {
    func attributeCell(_ property: PropertyDescription, _ column: AttributeColumn, _ entityIndex: Int) -> CellOrigin {
        guard let attribute = property.attribute else { return .null }
        let value = attribute.isDerived ? CellOrigin.null : .defaultValue(attribute.defaultValue, column)
        guard let (former, storage) = formerStorage(entityIndex: entityIndex, propertyIndex: property.index),
            case .attribute(let old) = storage
        else {
            return value
        }
        let cell = converted(old, to: column)
        // Core Data does not enforce what is mandatory, so only what was optional is looked
        // through.
        guard former.isOptional, !attribute.isOptional, value != .null else { return cell }
        switch (cell, value) {
        case (.column(let name), .literal(let literal)): return .columnOr(name, literal: literal)
        default: return .computed("ifnull(\(cell.expression), \(value.expression))")
        }
    }

    func leafCell(_ property: PropertyDescription, _ leaf: CompositeLeaf, _ entityIndex: Int) -> CellOrigin {
        guard let (_, storage) = formerStorage(entityIndex: entityIndex, propertyIndex: property.index),
            case .composite(let leaves) = storage,
            let old = leaves.first(where: { $0.path == leaf.path })
        else { return .null }
        return converted(old.column, to: leaf.column)
    }

    /// Numbers become numbers of the new type. The first byte of a value that may be kept in a file
    /// says where it is.
    private func converted(_ old: AttributeColumn, to new: AttributeColumn) -> CellOrigin {
        if NumberConversion.isNeeded(from: old.type, to: new.type) {
            return .computed(NumberConversion.expression(old.name, new.type))
        }
        let name = SQLName.quoted(old.name)
        switch (old.hasStoragePrefix, new.hasStoragePrefix) {
        case (false, true): return .computed("CAST(x'01' || \(name) AS BLOB)")
        case (true, false): return .computed("\(Self.externalValueFunction)(\(name))")
        default: return .column(old.name)
        }
    }

    /// A function of SQL that gives the value itself for a cell that may refer to a file.
    static let externalValueFunction = "folio_external_value"
}
