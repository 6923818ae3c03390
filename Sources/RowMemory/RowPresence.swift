/// A set of slots of a layout whose presence can be tested together.
///
/// Public, like rows, so that it is inlined into loops in other modules.
public struct RowPresence: Sendable {
    @usableFromInline struct Part: Sendable {
        @usableFromInline let offset: UInt32
        @usableFromInline var mask: UInt8
    }

    @usableFromInline private(set) var parts: [Part] = []

    /// For rows of the slots' layout, or of a subentity's.
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
