/// The primary keys that new objects got, by temporary key.
///
/// Contexts assign consecutive temporary keys, so an array covers nearly all of them.
package final class KeyMap {
    private var dense: ContiguousArray<Int64> = []
    /// The greatest temporary key in `dense`. The next smaller one is at index 1.
    private var top: Int64 = 0
    private var sparse: [Int64: Int64] = [:]

    package init() {}

    package func set(_ key: Int64, for temporary: Int64) {
        if dense.isEmpty && sparse.isEmpty {
            top = temporary
            dense.append(key)
        } else if temporary == top - Int64(dense.count) {
            dense.append(key)
        } else {
            sparse[temporary] = key
        }
    }

    /// The primary key for a key. A permanent key is returned unchanged.
    @inline(__always) package func key(_ key: Int64) -> Int64 {
        key >= 0 ? key : assigned(key) ?? key
    }

    package func assigned(_ temporary: Int64) -> Int64? {
        let index = top &- temporary
        if index >= 0, index < Int64(dense.count) { return dense[Int(index)] }
        return sparse[temporary]
    }
}
