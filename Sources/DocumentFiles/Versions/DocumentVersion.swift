public import Foundation

/// An earlier saved state of a document.
///
///     for version in try document.versions() { print(version.number, version.saved, version.size) }
public struct DocumentVersion: Sendable, Hashable {
    /// The reason why a version was kept.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable, CaseIterable {
            case save, autosave, migration, restore, conflict, other
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// A save followed it.
        public static let save = Reason(.save)
        /// The store was checkpointed after it with autosaved work that exceeded the WAL's limit.
        public static let autosave = Reason(.autosave)
        /// A migration followed it.
        public static let migration = Reason(.migration)
        /// An earlier version was restored after it.
        public static let restore = Reason(.restore)
        /// The state that was open, including unsaved changes, before a conflict with another
        /// program was resolved. It was never a saved state of the document.
        public static let conflict = Reason(.conflict)
        /// A reason that this version of the program does not know.
        public static let other = Reason(.other)

        /// The name of the reason, such as `save`.
        public var description: String { kind.rawValue }
        /// Creates the reason for a word in the index.
        init(_ text: String) { kind = Kind(rawValue: text) ?? .other }
    }

    /// The number of the version. Numbers increase and are never reused in a document.
    public let number: Int
    /// The generation of the document: the number of saves up to this state.
    public let generation: Int
    /// The time of the save.
    public let saved: Date
    /// The reason why the version was kept.
    public let reason: Reason
    /// The size of the store in this version, in bytes.
    public let size: Int64
    /// The disk space that the version takes, in bytes.
    public let bytes: Int64
    /// Whether the version is excluded from automatic removal.
    public let isPinned: Bool
    /// The name that a user gave the version.
    public let name: String?

    package init(
        number: Int, generation: Int, saved: Date, reason: Reason, size: Int64, bytes: Int64, isPinned: Bool,
        name: String?
    ) {
        self.number = number
        self.generation = generation
        self.saved = saved
        self.reason = reason
        self.size = size
        self.bytes = bytes
        self.isPinned = isPinned
        self.name = name
    }
}

/// A saved state of the main file, identified by the values of its marker.
package struct SavedState: Sendable, Hashable {
    /// Incremented by every save.
    package var generation: Int
    /// Incremented by every commit; 0 if it is not known.
    package var counter: Int
    package var saved: Date

    package init(generation: Int, counter: Int = 0, saved: Date) {
        self.generation = generation
        self.counter = counter
        self.saved = saved
    }
}
