public import RowMemory
import Synchronization

/// Where the values of a typed property stand in the rows of a context's objects.
@usableFromInline
struct PropertyPosition: Sendable {
    @usableFromInline let cell: RowCell
    /// The entities whose objects have it there: the one that declares the property, and its
    /// descendants. None, while nobody has asked.
    @usableFromInline let firstEntity: UInt16
    @usableFromInline let entityCount: UInt16
    /// The place among the entity's properties.
    @usableFromInline let index: UInt16

    static let unknown = PropertyPosition(
        cell: RowCell(RowSlot(kind: .int, presenceMask: 0, index: 0, offset: 0, presenceOffset: 0)), firstEntity: 0,
        entityCount: 0, index: 0)

    private static let lastNumber = Atomic<Int>(0)

    /// Numbers of typed properties are small and dense: contexts keep their places in an array.
    static func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// What a property of the model is, for the one who declares its Swift type.
struct PropertyFit {
    let kind: SlotKind
    let isToMany: Bool
}
