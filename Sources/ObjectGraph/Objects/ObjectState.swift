/// The state of an object in its context, in one byte.
@usableFromInline
struct ObjectState: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The object is a fault. Its row may be present.
    @usableFromInline static let fault = ObjectState(rawValue: 1)
    /// Inserted since the last save.
    static let inserted = ObjectState(rawValue: 2)
    /// Changed since the last save. Never combined with `inserted`.
    static let updated = ObjectState(rawValue: 4)
    static let deleted = ObjectState(rawValue: 8)
    /// Inserted in the current event: changes of values are not recorded.
    @usableFromInline static let free = ObjectState(rawValue: 16)
    /// The object does not exist in the store; all its values are nil.
    static let inaccessible = ObjectState(rawValue: 32)
    /// Part of a save in progress.
    static let saving = ObjectState(rawValue: 64)
    /// Inserted and deleted in the same event, so observers were never notified of it.
    static let unannounced = ObjectState(rawValue: 128)

    @inlinable var isFault: Bool { rawValue & 1 != 0 }
    @inlinable var isFree: Bool { rawValue & 16 != 0 }
}
