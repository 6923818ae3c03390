import Schema
import SQLiteKit

/// Attributes: the old column if there is one, converted where its representation changes.
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
        // Core Data does not enforce mandatory attributes, so NULLs are replaced only if the
        // attribute was optional before.
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

    /// Converts numbers to the new type, and adds or removes the first byte of values that may be
    /// external.
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

    /// A SQL function that returns the value of a cell that may refer to an external file.
    static let externalValueFunction = "folio_external_value"
}
