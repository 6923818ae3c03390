/// How a slot keeps its value in a row's memory.
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
    /// 16 bytes in place.
    case uuid
    case decimal
    case data
    /// `LargeValue`, for attributes with external storage.
    case large
    /// `BoxedValue`, for composites and attributes without a type.
    case boxed
    /// `ObjectReference`
    case toOne
    /// An object of the graph that knows the members; nil is a fault. Never filled by a store and
    /// never copied.
    case toMany
}

/// Where a property's value stands in the rows of an entity and of all its sub-entities.
public struct RowSlot: Sendable, Hashable {
    public let kind: SlotKind
    /// The bit in the byte at `presenceOffset` that is set while there is a value.
    public let presenceMask: UInt8
    /// The place among the entity's properties.
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

/// What a to-one slot holds: the number of the destination and the entity it really is of.
public struct ObjectReference: Sendable, Hashable {
    public var key: Int64
    /// Position in the model.
    public var entityIndex: Int

    @inlinable public init(key: Int64, entityIndex: Int) {
        self.key = key
        self.entityIndex = entityIndex
    }
}
