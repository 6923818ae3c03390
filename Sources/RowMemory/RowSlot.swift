/// The representation of a slot's value in a row's memory.
public enum SlotKind: UInt8, Sendable {
    /// Integer attributes of every width, as `Int64`.
    case int
    case bool
    case double
    case float
    /// Seconds since 2001-01-01 00:00 UTC, as `Double`.
    case date
    case string
    /// The text of a URI, as `String`.
    case uri
    /// 16 bytes in the row.
    case uuid
    case decimal
    case data
    /// `LargeValue`, for attributes with external storage.
    case large
    /// `BoxedValue`, for composites and attributes without a type.
    case boxed
    /// `ObjectReference`
    case toOne
    /// The graph's object for the members; nil is a fault. Never set by a store and never copied.
    case toMany
}

/// The location of a property's value in the rows of an entity and of all its subentities.
public struct RowSlot: Sendable, Hashable {
    public let kind: SlotKind
    /// The bit in the byte at `presenceOffset` that is set if there is a value.
    public let presenceMask: UInt8
    /// The index among the entity's properties.
    public let index: UInt16
    public let offset: UInt32
    public let presenceOffset: UInt32

    @inlinable public init(kind: SlotKind, presenceMask: UInt8, index: UInt16, offset: UInt32, presenceOffset: UInt32) {
        self.kind = kind
        self.presenceMask = presenceMask
        self.index = index
        self.offset = offset
        self.presenceOffset = presenceOffset
    }
}

/// The value of a to-one slot: the primary key of the destination and its actual entity.
public struct ObjectReference: Sendable, Hashable {
    public var key: Int64
    /// Index in the model.
    public var entityIndex: Int

    @inlinable public init(key: Int64, entityIndex: Int) {
        self.key = key
        self.entityIndex = entityIndex
    }
}
