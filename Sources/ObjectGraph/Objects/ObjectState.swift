/// What an object is to its context, in one byte.
@usableFromInline
struct ObjectState: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Not filled yet; the row may be at hand or not.
    @usableFromInline static let fault = ObjectState(rawValue: 1)
    /// New since the last save.
    static let inserted = ObjectState(rawValue: 2)
    /// Changed since the last save; never with `inserted`.
    static let updated = ObjectState(rawValue: 4)
    static let deleted = ObjectState(rawValue: 8)
    /// Inserted in this very event: values are written without any bookkeeping.
    @usableFromInline static let free = ObjectState(rawValue: 16)
    /// The store has no such object; all its values are nil.
    static let inaccessible = ObjectState(rawValue: 32)
    /// Part of a save that is under way.
    static let saving = ObjectState(rawValue: 64)
    /// Inserted and deleted again within one event: observers never heard of it.
    static let unannounced = ObjectState(rawValue: 128)

    @inlinable var isFault: Bool { rawValue & 1 != 0 }
    @inlinable var isFree: Bool { rawValue & 16 != 0 }
}
