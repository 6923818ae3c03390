/// The limits for parsing a property list.
package struct PropertyListLimits: Sendable {
    /// The maximum size of the list in bytes.
    package var bytes: Int
    /// The maximum nesting of containers.
    package var depth: Int
    /// The maximum number of objects, with shared objects counted each time they are reached.
    ///
    /// A list of 50 arrays, each of which contains the next one twice, is a small file but an
    /// enormous tree. The limit applies to the tree, because users of the value traverse it as a
    /// tree.
    package var objects: Int

    package init(bytes: Int = 256 << 20, depth: Int = 128, objects: Int = 8_000_000) {
        self.bytes = bytes
        self.depth = depth
        self.objects = objects
    }

    package static let standard = PropertyListLimits()
}
