/// How much of a property list a reader takes before it gives up.
package struct PropertyListLimits: Sendable {
    /// The most bytes of the whole list.
    package var bytes: Int
    /// The most levels of containers.
    package var depth: Int
    /// The most objects, each counted as often as it is reached.
    ///
    /// A list of 50 arrays, each holding the next one twice, is small as a file and endless as a
    /// tree; the limit is on the tree, because everything that later walks the value walks the
    /// tree.
    package var objects: Int

    package init(bytes: Int = 256 << 20, depth: Int = 128, objects: Int = 8_000_000) {
        self.bytes = bytes
        self.depth = depth
        self.objects = objects
    }

    package static let standard = PropertyListLimits()
}
