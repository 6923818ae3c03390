package import DocumentFiles
public import Foundation
public import Schema

/// The vocabulary of merging documents: conflicts, decisions and reports.
///
/// A merge compares three states of a document, object by object: the *base*, which two documents
/// came from, *ours*, which becomes the merged one, and *theirs*. What one side alone has changed
/// is taken from it; ``Conflict`` describes what both have changed in ways that contradict each
/// other. See ``PersistentDocument/merge(_:base:deciding:)``.
public enum DocumentMerge {
    /// The state that both documents came from.
    public enum Base: Sendable, Hashable {
        /// The newest state that both documents know: their current states, the versions that they
        /// keep, the states that archives keep for merges, and those that former merges noted. If
        /// each was merged with the other, or both with the same copy, the states that both know
        /// are merged into one temporary base.
        case common
        /// A document, or one of its states.
        case document(URL)
        /// There is none: everything in both documents is new. Objects are one by a uniqueness
        /// constraint, by equal attributes and to-one relationships, and in copies of one document
        /// by a common key and most of the values.
        case none
    }

    /// How a conflict is decided.
    public enum Choice: Sendable, Hashable {
        /// What this side has.
        case ours
        /// What the other side has.
        case theirs
        /// Another value, of an attribute.
        case value(PropertyValue)
    }

    /// What decides conflicts.
    public struct Decisions: Sendable, Hashable {
        /// What happens to conflicts that nothing decides.
        public enum Undecided: Sendable, Hashable {
            /// Nothing is merged; the report lists the conflicts.
            case refuse
            /// The value of this side stands, deleted objects that the other side has changed are
            /// kept, and the list of conflicts becomes part of the document. New objects of the
            /// other side that violate a uniqueness constraint or another rule are left out; the
            /// other document is not known then, so that a later merge finds them again. Not for a
            /// bare store, which has no room for the list.
            case keep
        }

        /// Decides all conflicts without a decision of their own; nil if nothing does.
        public var policy: Choice?
        /// The decisions on single conflicts, by ``Conflict/name``.
        public var choices: [String: Choice]
        /// What happens to the rest.
        public var undecided: Undecided
        /// Whether the caller keeps the list of conflicts where ours is the store of a package,
        /// merged as a file by itself.
        package var returnsConflictList = false
        /// The list that the package had before, if the store does not say it.
        package var formerConflictList: Data?

        /// Whether what was merged before is merged again if a base is named, as git asks for it:
        /// that may have been taken back since.
        package var repeatsMerges = false

        /// Creates decisions.
        public init(policy: Choice? = nil, choices: [String: Choice] = [:], undecided: Undecided = .refuse) {
            self.policy = policy
            self.choices = choices
            self.undecided = undecided
        }

        /// Nothing is decided, and a merge with conflicts is refused.
        public static let refuse = Decisions()
        /// This side decides all conflicts.
        public static let ours = Decisions(policy: .ours)
        /// The other side decides all conflicts.
        public static let theirs = Decisions(policy: .theirs)
        /// Nothing is decided, and conflicts are kept in the document.
        public static let keep = Decisions(undecided: .keep)

        package func choice(_ name: String) -> Choice? { choices[name] ?? policy }
    }

    /// What a merge did, or would do.
    public struct Report: Sendable {
        /// A new object of the other side that has another primary key here.
        struct Renumbering: Sendable {
            package let entity: String
            package let theirs: Int64
            package let ours: Int64

            var labels: (theirs: String, ours: String) { ("\(entity)/p\(theirs)", "\(entity)/p\(ours)") }
        }

        /// The state that was taken as the base, such as `Notes.folio@7`; nil for none. Several
        /// states that the base was made of are joined by plus signs.
        public var base: String? { bases.isEmpty ? nil : bases.joined(separator: " + ") }
        /// The states that the base was made of: one, or several if the histories of the documents
        /// cross; empty for a merge without a base.
        public internal(set) var bases: [String] = []
        /// Whether the changes were made; false if they were refused because of conflicts.
        public package(set) var isApplied = false
        /// The number of objects of the other side that were inserted, of each entity.
        public internal(set) var inserted: [String: Int] = [:]
        /// The number of objects whose values were changed, of each entity.
        public internal(set) var changed: [String: Int] = [:]
        /// The number of objects that were deleted, of each entity, without those that delete rules
        /// deleted with them.
        public internal(set) var deleted: [String: Int] = [:]
        /// The new objects of the other side that have another primary key here, as `Book/p7`.
        /// The list is built by each call.
        public var renumbered: [(theirs: String, ours: String)] { renumberings.map(\.labels) }
        /// The new objects of both sides that are one object.
        public internal(set) var united: [(theirs: String, ours: String)] = []
        /// The conflicts, decided ones too.
        public package(set) var conflicts: [Conflict] = []
        /// Whether the other document has another UUID.
        public internal(set) var isOtherDocument = false
        /// Whether the other document has autosaved work that it has not saved; it came with the
        /// merge.
        public internal(set) var includesUnsavedWork = false
        var renumberings: [Renumbering] = []
        /// What the merged document is to note of the merge.
        package internal(set) var notes: [MergeNote] = []
        /// The list of conflicts that the caller is to keep; nil for none.
        package var conflictList: Data?

        /// The conflicts of former merges that the other document had not decided, and whose values
        /// came with this merge: they are to be decided here, too. None in a bare store, which
        /// keeps no list.
        public internal(set) var carried: [Conflict] = []
        /// The conflicts that nothing decided.
        public var undecided: [Conflict] { conflicts.filter { $0.choice == nil } }
        /// Whether the merge changes nothing.
        public var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }
    }
}
