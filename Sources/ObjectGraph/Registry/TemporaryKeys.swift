/// The temporary keys of a context and all its descendants: none is used twice among them.
final class TemporaryKeys {
    // Only its contexts use it, each finishing with it at once.
    @exclusivity(unchecked) private var last: Int64 = 0

    func next() -> Int64 {
        last -= 1
        return last
    }
}
