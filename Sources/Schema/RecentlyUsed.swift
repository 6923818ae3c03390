package import Synchronization

/// A small cache of the most recently used values by key.
///
///     private static let models = Mutex(RecentlyUsed<UInt64, Layout>())
///     let layout = models.value(for: model.number) { Layout(model) }
package struct RecentlyUsed<Key, Value> {
    private let capacity: Int
    private let isKept: @Sendable (Key) -> Bool
    /// The most recently used key is at the end of both arrays. The arrays are separate so that
    /// callers that know the key's type can search the keys.
    private var keys: [Key] = []
    private var values: [Value] = []

    /// - Parameter isKept: Whether to cache the value for a key. Large keys are not worth it.
    package init(capacity: Int = 8, keeping isKept: @escaping @Sendable (Key) -> Bool = { _ in true }) {
        self.capacity = capacity
        self.isKept = isKept
    }

    /// The value for a key, which becomes the most recently used one.
    /// - Parameter index: Finds the index of the key.
    private mutating func value(at index: ([Key]) -> Int?) -> Value? {
        guard let index = index(keys) else { return nil }
        if index != keys.count - 1 {
            keys.append(keys.remove(at: index))
            values.append(values.remove(at: index))
        }
        return values[values.count - 1]
    }

    /// Adds a value. If the cache is full, the least recently used value is removed.
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
    /// The value for a key, which becomes the most recently used one; nil if it is not cached.
    package mutating func value(for key: Key) -> Value? { value { $0.lastIndex(of: key) } }

    package func contains(where isMatch: (Key) -> Bool) -> Bool { keys.contains(where: isMatch) }
}

extension RecentlyUsed where Key == [UInt8] {
    /// The same for byte keys, whose comparison is specialized to compare words.
    package mutating func value(for key: [UInt8]) -> Value? { value { $0.lastIndex { $0 == key } } }
}

extension RecentlyUsed: Sendable where Key: Sendable, Value: Sendable {}

extension Mutex {
    /// The cached value for a key, or the result of `make`. The lock is not held while `make` runs.
    package func value<Key: Equatable & Sendable, Made: Sendable>(for key: Key, make: () throws -> Made) rethrows
        -> Made
    where Value == RecentlyUsed<Key, Made> {
        if let known = withLock({ $0.value(for: key) }) { return known }
        let made = try make()
        withLock { $0.keep(made, for: key) }
        return made
    }

    /// The same for byte keys, with their specialized comparison.
    package func value<Made: Sendable>(for key: [UInt8], make: () throws -> Made) rethrows -> Made
    where Value == RecentlyUsed<[UInt8], Made> {
        if let known = withLock({ $0.value(for: key) }) { return known }
        let made = try make()
        withLock { $0.keep(made, for: key) }
        return made
    }
}
