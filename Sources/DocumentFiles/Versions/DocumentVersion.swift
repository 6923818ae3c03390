public import Foundation

/// An earlier saved state of a document.
///
///     for version in try document.versions() { print(version.number, version.saved, version.size) }
public struct DocumentVersion: Sendable, Hashable {
    /// Why a version was kept.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable, CaseIterable {
            case save, autosave, migration, restore, conflict, other
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// A save followed it.
        public static let save = Reason(.save)
        /// So much was autosaved on top of it that it was kept and the autosaved work with it.
        public static let autosave = Reason(.autosave)
        /// A migration followed it.
        public static let migration = Reason(.migration)
        /// An older version was restored.
        public static let restore = Reason(.restore)
        /// What was open here, unsaved edits included, before a conflict with another program was
        /// settled: it was never a saved state of the document.
        public static let conflict = Reason(.conflict)
        /// A reason that this program does not know.
        public static let other = Reason(.other)

        public var description: String { kind.rawValue }
        /// The reason that a word in the index stands for.
        init(_ text: String) { kind = Kind(rawValue: text) ?? .other }
    }

    /// Counts up through the life of the document and is never used again.
    public let number: Int
    /// The document's generation that it is: the number of saves before it.
    public let generation: Int
    /// When it was saved.
    public let saved: Date
    public let reason: Reason
    /// The size of its store in bytes.
    public let size: Int64
    /// What keeping it takes on the disk, in bytes.
    public let bytes: Int64
    /// Whether thinning leaves it alone.
    public let isPinned: Bool
    /// What a person called it.
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

/// A state that the main file is or is about to be, as the marker in the store's metadata tells one
/// from another.
package struct SavedState: Sendable, Hashable {
    /// Raised by every save.
    package var generation: Int
    /// Raised by every commit; 0 where it is not known.
    package var counter: Int
    package var saved: Date

    package init(generation: Int, counter: Int = 0, saved: Date) {
        self.generation = generation
        self.counter = counter
        self.saved = saved
    }
}
