/// Slots of a layout, to be asked all at once whether they have values.
///
/// Public, as rows are, so that loops in other rooms are compiled into them.
public struct RowPresence: Sendable {
    @usableFromInline struct Part: Sendable {
        @usableFromInline let offset: UInt32
        @usableFromInline var mask: UInt8
    }

    @usableFromInline private(set) var parts: [Part] = []

    /// For rows of the layout that the slots are of, or of a sub-entity's.
    package init(_ slots: [RowSlot]) {
        for slot in slots {
            if let place = parts.firstIndex(where: { $0.offset == slot.presenceOffset }) {
                parts[place].mask |= slot.presenceMask
            } else {
                parts.append(Part(offset: slot.presenceOffset, mask: slot.presenceMask))
            }
        }
    }
}

extension RowCells {
    /// Whether all of the slots have values.
    @inlinable public func hasValues(_ presence: RowPresence) -> Bool {
        for part in presence.parts
        where base.load(fromByteOffset: Int(part.offset), as: UInt8.self) & part.mask != part.mask { return false }
        return true
    }
}
