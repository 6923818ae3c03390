package import Schema
internal import Synchronization

/// The locations of an entity's property values in the memory of its rows.
///
/// Invariants:
/// 1. Slots have the order of `EntityDescription.properties`; slot `i` belongs to property `i`.
/// 2. The layout of a subentity begins with that of its superentity, so a slot is valid for all
///    descendants' rows.
/// 3. A row begins with its key and version (16 bytes); every slot is aligned for its kind; no two
///    slots overlap.
/// 4. Zeroed memory is a row without values.
public final class RowLayout: Sendable {
    public let entityIndex: Int
    public let slots: [RowSlot]
    /// Slots whose values must be destroyed.
    package let managedSlots: [RowSlot]
    /// Whether there is a to-many slot.
    package let hasToMany: Bool
    /// The number of bytes from one row to the next.
    public let stride: Int
    private let modelNumber: UInt64
    /// The offset from which a subentity's own slots may begin.
    private let end: Int

    package static let headerSize = 16

    package init(entity: EntityDescription, parent: RowLayout?) {
        entityIndex = entity.index
        modelNumber = entity.modelNumber
        var slots = parent?.slots ?? []
        let own = entity.properties[slots.count...]
        let presenceStart = parent?.end ?? Self.headerSize
        var offset = presenceStart + (own.count + 7) / 8
        var placed = [Int: Int](minimumCapacity: own.count)
        // Slots with the greatest alignment come first, so that there are no gaps between slots.
        // Small ones fill the gap after the presence bits.
        var pending = own.map { ($0.index, Self.kind(of: $0)) }.sorted {
            ($1.1.alignment, $0.0) < ($0.1.alignment, $1.0)
        }
        let gapEnd = pending.first.map { Self.aligned(offset, $0.1.alignment) } ?? offset
        for (index, kind) in pending.reversed() where Self.aligned(offset, kind.alignment) + kind.size <= gapEnd {
            offset = Self.aligned(offset, kind.alignment)
            placed[index] = offset
            offset += kind.size
        }
        pending.removeAll { placed[$0.0] != nil }
        for (index, kind) in pending {
            offset = Self.aligned(offset, kind.alignment)
            placed[index] = offset
            offset += kind.size
        }
        for (position, property) in own.enumerated() {
            slots.append(
                RowSlot(
                    kind: Self.kind(of: property), presenceMask: 1 << UInt8(position % 8),
                    index: UInt16(property.index),
                    offset: UInt32(placed[property.index] ?? 0), presenceOffset: UInt32(presenceStart + position / 8)))
        }
        self.slots = slots
        managedSlots = slots.filter { $0.kind.isManaged }
        hasToMany = slots.contains { $0.kind == .toMany }
        end = offset
        stride = Self.aligned(offset, 8)
    }

    /// Whether both layouts are equivalent. This is true for all layouts of one entity, and for
    /// those of an equal entity of an equal model.
    package func isSame(as other: RowLayout) -> Bool {
        self === other
            || (entityIndex == other.entityIndex && (modelNumber == other.modelNumber || slots == other.slots))
    }

    /// Cached layouts by the number of the model, which is unique in the process.
    private static let recent = Mutex(RecentlyUsed<UInt64, [RowLayout]>())

    /// The layouts of all entities of a model, by index. Cached for the models that were used last.
    package static func layouts(for model: ManagedObjectModel) -> [RowLayout] {
        recent.value(for: model.number) {
            var layouts: [RowLayout] = []
            layouts.reserveCapacity(model.entities.count)
            for entity in model.entities {
                layouts.append(RowLayout(entity: entity, parent: entity.superentity.map { layouts[$0.index] }))
            }
            return layouts
        }
    }

    /// The layout of an entity, for callers without a list of layouts. Costs one layout for each
    /// superentity, unless its model is cached.
    package static func layout(of entity: EntityDescription) -> RowLayout {
        if let known = recent.withLock({ $0.value(for: entity.modelNumber) }) { return known[entity.index] }
        return RowLayout(entity: entity, parent: entity.superentity.map { layout(of: $0) })
    }

    private static func aligned(_ offset: Int, _ alignment: Int) -> Int { (offset + alignment - 1) & ~(alignment - 1) }

    private static func kind(of property: PropertyDescription) -> SlotKind {
        switch property.kind {
        case .relationship(let relationship): relationship.isToMany ? .toMany : .toOne
        case .attribute(let attribute): SlotKind(attribute)
        }
    }
}

extension SlotKind {
    package init(_ attribute: AttributeDescription) {
        self =
            switch attribute.type {
            case .integer16, .integer32, .integer64: .int
            case .boolean: .bool
            case .double: .double
            case .float: .float
            case .date: .date
            case .string: .string
            case .uri: .uri
            case .uuid: .uuid
            case .decimal: .decimal
            case .binary, .transformable: attribute.allowsExternalBinaryDataStorage ? .large : .data
            case .composite, .undefined, .objectID: .boxed
            }
    }
}
