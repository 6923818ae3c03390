package import Foundation

/// The difference between two saved states in the names in `content/` to which they refer.
package struct ContentReferences: Sendable, Hashable {
    /// Names to which only the older state refers.
    package var dropped: Set<UUID>
    /// Names to which only the newer state refers.
    package var added: Set<UUID>

    package init(dropped: Set<UUID> = [], added: Set<UUID> = []) {
        self.dropped = dropped
        self.added = added
    }

    /// The change from the names of one state to those of the next.
    package init(from older: Set<UUID>, to newer: Set<UUID>) {
        self.init(dropped: older.subtracting(newer), added: newer.subtracting(older))
    }

    /// The combination of this change and the next newer one.
    func followed(by newer: ContentReferences) -> ContentReferences {
        ContentReferences(
            dropped: dropped.union(newer.dropped.subtracting(added)),
            added: newer.added.union(added.subtracting(newer.dropped)))
    }
}
