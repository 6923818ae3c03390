internal import Synchronization

/// What was read last from small files, by their bytes: a document that is opened again says what
/// it said before, and reading that anew is a good part of what opening takes.
package final class RecentReadings<Value: Sendable>: Sendable {
    private static var greatestCount: Int { 8 }
    private static var greatestSize: Int { 32 << 10 }
    private let readings = Mutex(Readings())

    /// The one used last stands at the end of both. Apart, since the bytes are looked through by
    /// code that knows what they are.
    private struct Readings {
        var keys: [[UInt8]] = []
        var values: [Value] = []
    }

    package init() {}

    /// What these bytes say: as `read` says it, which is asked only where they are not among those
    /// that were read last.
    package func value(of bytes: [UInt8], read: () throws -> Value) rethrows -> Value {
        guard bytes.count <= Self.greatestSize else { return try read() }
        if let known = known(bytes) { return known }
        let value = try read()
        readings.withLock { readings in
            if readings.keys.count == Self.greatestCount {
                readings.keys.removeFirst()
                readings.values.removeFirst()
            }
            readings.keys.append(bytes)
            readings.values.append(value)
        }
        return value
    }

    private func known(_ bytes: [UInt8]) -> Value? {
        readings.withLock { readings in
            guard let index = lastIndex(of: bytes, in: readings.keys) else { return nil }
            if index != readings.keys.count - 1 {
                readings.keys.append(readings.keys.remove(at: index))
                readings.values.append(readings.values.remove(at: index))
            }
            return readings.values[readings.values.count - 1]
        }
    }
}

private func lastIndex(of bytes: [UInt8], in keys: [[UInt8]]) -> Int? { keys.lastIndex { $0 == bytes } }
