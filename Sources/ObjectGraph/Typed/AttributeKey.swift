import Foundation
public import RowMemory
public import Schema

/// A key for fast access to an attribute of an entity, without looking up its name.
///
/// Create it once, and use it for all objects of the entity and its sub-entities:
///
/// ```swift
/// let title = try book.entity.attribute("title", as: String.self)
/// book[title] = "Middlemarch"
/// print(book[title] ?? "–")
/// ```
public struct AttributeKey<Value: AttributeValue>: Sendable {
    @usableFromInline let access: AttributeAccess

    package var slot: RowSlot { access.slot }

    init(slot: RowSlot, entity: EntityDescription) {
        access = AttributeAccess(slot: slot, entity: entity)
    }
}

/// The part of a key that does not depend on the type of the value, so that code without generics
/// can use it.
@usableFromInline
struct AttributeAccess: Sendable {
    @usableFromInline let cell: RowCell
    @usableFromInline let modelNumber: UInt64
    @usableFromInline let firstEntity: UInt16
    @usableFromInline let entityCount: UInt16
    @usableFromInline let slot: RowSlot

    init(slot: RowSlot, entity: EntityDescription) {
        cell = RowCell(slot)
        modelNumber = entity.modelNumber
        firstEntity = UInt16(entity.family.lowerBound)
        entityCount = UInt16(entity.family.count)
        self.slot = slot
    }
}

extension EntityDescription {
    /// A key for typed access to an attribute: `object[key]`.
    ///
    /// Integers of every width can be accessed as `Int64`, `Int`, `Int32` and `Int16`. Binary data
    /// with external storage are accessed as ``LargeValue``, without it as `Data`.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey` or `wrongType`.
    public func attribute<Value: AttributeValue>(_ name: String, as type: Value.Type = Value.self) throws
        -> AttributeKey<Value>
    {
        guard let property = property(named: name), let attribute = property.attribute else {
            throw GraphError.unknownKey(name, of: self, kind: "attribute")
        }
        let slot = RowLayout.layout(of: self).slots[property.index]
        guard slot.kind.holds(Value.Stored.self) else {
            throw GraphError(
                .wrongType, "\(self.name).\(name) is \(attribute.type.name) and can't be used as \(Value.self)",
                entity: self.name, key: name)
        }
        return AttributeKey(slot: slot, entity: self)
    }
}

extension SlotKind {
    /// Whether values of this kind are stored as `type`.
    func holds(_ type: Any.Type) -> Bool {
        switch self {
        case .int: type == Int64.self
        case .bool: type == Bool.self
        case .double, .date: type == Double.self
        case .float: type == Float.self
        case .string, .uri: type == String.self
        case .uuid: type == UUID.self
        case .decimal: type == Decimal.self
        case .data: type == Data.self
        case .large: type == LargeValue.self
        case .boxed, .toOne, .toMany: false
        }
    }
}
