public import RowMemory
import Synchronization

/// The location of a typed property's values in the rows of a context's objects.
@usableFromInline
struct PropertyPosition: Sendable {
    @usableFromInline let cell: RowCell
    /// The entities to which the location applies: the entity that declares the property, and its
    /// sub-entities. Empty before the first lookup.
    @usableFromInline let firstEntity: UInt16
    @usableFromInline let entityCount: UInt16
    /// The index among the entity's properties.
    @usableFromInline let index: UInt16

    static let unknown = PropertyPosition(
        cell: RowCell(RowSlot(kind: .int, presenceMask: 0, index: 0, offset: 0, presenceOffset: 0)), firstEntity: 0,
        entityCount: 0, index: 0)

    private static let lastNumber = Atomic<Int>(0)

    /// The number of a new typed property. Numbers are small and dense, because contexts use them
    /// as indexes of an array.
    static func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// The kind of a property in the model, to be compared with the Swift type that a class declares.
struct PropertyFit {
    let kind: SlotKind
    let isToMany: Bool
}
