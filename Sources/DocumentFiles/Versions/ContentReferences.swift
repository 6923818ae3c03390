package import Foundation

/// What changed between two saved states in the names that they refer to in `content/`.
package struct ContentReferences: Sendable, Hashable {
    /// Names that the older state refers to and the newer does not.
    package var dropped: Set<UUID>
    /// Names that the newer state refers to and the older does not.
    package var added: Set<UUID>

    package init(dropped: Set<UUID> = [], added: Set<UUID> = []) {
        self.dropped = dropped
        self.added = added
    }

    /// The change from all names of one state to all names of the next.
    package init(from older: Set<UUID>, to newer: Set<UUID>) {
        self.init(dropped: older.subtracting(newer), added: newer.subtracting(older))
    }

    /// The change over this step and the next newer one.
    func followed(by newer: ContentReferences) -> ContentReferences {
        ContentReferences(
            dropped: dropped.union(newer.dropped.subtracting(added)),
            added: newer.added.union(added.subtracting(newer.dropped)))
    }
}
