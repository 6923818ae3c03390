/// The sequence of temporary keys, shared by a context and all its descendants, so that no key is
/// used twice among them.
final class TemporaryKeys {
    // Only these contexts use it, and no access overlaps another.
    @exclusivity(unchecked) private var last: Int64 = 0

    func next() -> Int64 {
        last -= 1
        return last
    }
}
