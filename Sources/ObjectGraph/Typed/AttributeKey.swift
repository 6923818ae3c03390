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

// The checks and slow paths of the accessors of objects.
extension AttributeAccess {
    /// Whether the values are present and have the layout that the key was made for.
    @inlinable
    func isReadable(in object: ManagedObject) -> Bool {
        !object.state.isFault && object.entityIndex &- firstEntity < entityCount
            && object.registryReference?._withUnsafeGuaranteedRef { $0.readableModelNumber == modelNumber } == true
    }

    /// Whether a value can be stored directly: the old value is not needed, or was recorded by an
    /// earlier change in the same event.
    @inlinable
    func isWritable(in object: ManagedObject) -> Bool {
        guard isReadable(in: object) else { return false }
        return object.state.isFree || object.isNoted(Int(slot.index))
    }

    /// Fires the fault if necessary. Returns false if the object has no values.
    @usableFromInline
    func prepareToRead(_ object: ManagedObject) -> Bool {
        object.noteReading(Int(slot.index))
        return object.registryReference != nil && prepare(object)
    }

    private func prepare(_ object: ManagedObject) -> Bool {
        guard object.fireFault() else { return false }
        if !isReadable(in: object) { checkLayout(of: object) }
        return true
    }

    /// Fires the fault if necessary, and records that the value changes. Returns false if the
    /// object can't be written.
    @usableFromInline
    func prepareToWrite(_ object: ManagedObject) -> Bool {
        guard prepare(object) else { return false }
        object.noteWriting(slot)
        return true
    }

    @usableFromInline
    func clearValue(of object: ManagedObject) {
        guard prepare(object) else { return }
        object.noteWriting(slot)
        object.row.clear(slot)
    }

    /// Checks that the key's slot is one of the row's own layout, without which the access is not
    /// memory-safe.
    private func checkLayout(of object: ManagedObject) {
        let slots = object.row.layout.slots
        precondition(
            Int(slot.index) < slots.count && slots[Int(slot.index)] == slot,
            "The handle is of another entity or model: make it from this object's entity")
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
