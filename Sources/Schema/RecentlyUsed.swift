package import Synchronization

/// The values that were used last, a few of them, by their keys.
///
///     private static let models = Mutex(RecentlyUsed<UInt64, Layout>())
///     let layout = models.value(for: model.number) { Layout(model) }
package struct RecentlyUsed<Key, Value> {
    private let capacity: Int
    private let isKept: @Sendable (Key) -> Bool
    /// The key used last stands at the end of both. Apart, since keys are looked through by code
    /// that knows their type.
    private var keys: [Key] = []
    private var values: [Value] = []

    /// - Parameter isKept: Whether a key is worth keeping: large ones are not.
    package init(capacity: Int = 8, keeping isKept: @escaping @Sendable (Key) -> Bool = { _ in true }) {
        self.capacity = capacity
        self.isKept = isKept
    }

    /// The value of a key, which is the one used last from here on.
    /// - Parameter index: Finds the key.
    private mutating func value(at index: ([Key]) -> Int?) -> Value? {
        guard let index = index(keys) else { return nil }
        if index != keys.count - 1 {
            keys.append(keys.remove(at: index))
            values.append(values.remove(at: index))
        }
        return values[values.count - 1]
    }

    /// Keeps a value, and forgets the one whose use is longest ago where there are too many.
    package mutating func keep(_ value: Value, for key: Key) {
        guard isKept(key) else { return }
        if keys.count == capacity {
            keys.removeFirst()
            values.removeFirst()
        }
        keys.append(key)
        values.append(value)
    }
}

extension RecentlyUsed where Key: Equatable {
    /// The value of a key, which is the one used last from here on; nil where it is not known.
    package mutating func value(for key: Key) -> Value? { value { $0.lastIndex(of: key) } }

    package func contains(where isMatch: (Key) -> Bool) -> Bool { keys.contains(where: isMatch) }
}

extension RecentlyUsed where Key == [UInt8] {
    /// The same, with a comparison that takes whole words at a time.
    package mutating func value(for key: [UInt8]) -> Value? { value { $0.lastIndex { $0 == key } } }
}

extension RecentlyUsed: Sendable where Key: Sendable, Value: Sendable {}

extension Mutex {
    /// The value of a key; `make` makes it where it is not known. The lock is free meanwhile.
    package func value<Key: Equatable & Sendable, Made: Sendable>(for key: Key, make: () throws -> Made) rethrows
        -> Made
    where Value == RecentlyUsed<Key, Made> {
        if let known = withLock({ $0.value(for: key) }) { return known }
        let made = try make()
        withLock { $0.keep(made, for: key) }
        return made
    }

    /// The same for bytes, with their own comparison.
    package func value<Made: Sendable>(for key: [UInt8], make: () throws -> Made) rethrows -> Made
    where Value == RecentlyUsed<[UInt8], Made> {
        if let known = withLock({ $0.value(for: key) }) { return known }
        let made = try make()
        withLock { $0.keep(made, for: key) }
        return made
    }
}
