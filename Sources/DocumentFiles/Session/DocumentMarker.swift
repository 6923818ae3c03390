package import Foundation
package import Storage

/// The marker that every commit of a document writes to the store's metadata. It identifies the
/// state that the commit created. Its values have a fixed width, so that a commit does not change
/// additional pages.
package struct DocumentMarker: Hashable, Sendable {
    /// Incremented by every commit, including autosaves.
    var counter = 0
    /// Incremented by every save.
    package var generation = 0
    /// Whether the commit was a save; false for an autosave.
    var isSaved = true
    /// Whether autosaved objects may violate validation rules, so that the next save has to
    /// validate all objects.
    package var isUnchecked = false
    var created: Date
    /// The time of the last save.
    package var saved: Date
    /// The time of this commit.
    package var committed: Date
    /// The save to which unsaved work reverts, if autosaved work was checkpointed into the main
    /// file. Nil if the main file is the last saved state.
    package var lastSave: LastSave?
    /// Unique values of autosaved objects that other objects have, too, and that are missing in the
    /// tables (`PendingUniqueValue`); nil if there are none.
    package var pending: MetadataValue?
    /// Denied deletions that were committed by autosaves (`DeniedDeletion`); nil if there are none.
    package var denied: MetadataValue?
    /// The run of the WAL to which the commit was written; nil if the store was written as a whole.
    package var journal: WALRun?

    /// A save that is only kept as a version, because the main file contains later unsaved work.
    package struct LastSave: Hashable, Sendable {
        package var generation: Int
        package var saved: Date
    }

    /// Whether there is work that was not saved.
    package var hasUnsavedWork: Bool { !isSaved || lastSave != nil }
    /// The generation and time of the last save by the user.
    package var userSave: LastSave { lastSave ?? LastSave(generation: generation, saved: saved) }

    /// The marker of a new document.
    init(now: Date = .now) {
        created = now
        saved = now
        committed = now
    }

    /// Reads the marker of a store; nil if the store is not that of a document.
    package init?(_ metadata: [String: MetadataValue]) {
        guard case .string(let counter)? = metadata[Key.counter], let counter = Int(counter),
            case .string(let generation)? = metadata[Key.generation],
            let generation = Int(generation), case .boolean(let isSaved)? = metadata[Key.isSaved],
            case .boolean(let isUnchecked)? = metadata[Key.isUnchecked],
            case .date(let created)? = metadata[Key.created], case .date(let saved)? = metadata[Key.saved],
            case .date(let committed)? = metadata[Key.committed], CommitNumbers.valid.contains(counter),
            CommitNumbers.valid.contains(generation)
        else { return nil }
        self.counter = counter
        self.generation = generation
        self.isSaved = isSaved
        self.isUnchecked = isUnchecked
        self.created = created
        self.saved = saved
        self.committed = committed
        if case .string(let base)? = metadata[Key.lastSave], let base = Int(base), CommitNumbers.valid.contains(base),
            case .date(let date)? = metadata[Key.lastSaved]
        {
            lastSave = LastSave(generation: base, saved: date)
        }
        pending = metadata[Key.pending]
        denied = metadata[Key.denied]
        if case .string(let id)? = metadata[Key.journal], case .string(let base)? = metadata[Key.walBase],
            let base = Int(base),
            CommitNumbers.valid.contains(base), case .date(let date)? = metadata[Key.walBaseCommitted]
        {
            journal = WALRun(id: id, baseCounter: base, baseCommitted: date)
        }
    }

    /// The marker for the next save.
    /// - Parameter last: The highest generation that is in use, for example by a version of a
    ///   conflict.
    package func nextSave(after last: Int = 0, now: Date = .now) -> DocumentMarker {
        var marker = self
        marker.counter += 1
        marker.generation = max(generation, last) + 1
        marker.isSaved = true
        marker.isUnchecked = false
        marker.lastSave = nil
        marker.pending = nil
        marker.denied = nil
        marker.saved = now
        marker.committed = now
        return marker
    }

    /// The marker for a commit that makes autosaved work a generation of its own, so that it can be
    /// checkpointed. The last save is kept as a version.
    func nextInternal(after last: Int = 0, now: Date = .now) -> DocumentMarker {
        var marker = nextSave(after: last, now: now)
        marker.isUnchecked = isUnchecked
        marker.lastSave = userSave
        marker.pending = pending
        marker.denied = denied
        return marker
    }

    /// The marker for the next autosave.
    package func nextAutosave(
        isUnchecked: Bool, pending: MetadataValue? = nil, denied: MetadataValue? = nil, now: Date = .now
    ) -> DocumentMarker {
        var marker = self
        marker.counter += 1
        marker.isSaved = false
        marker.isUnchecked = self.isUnchecked || isUnchecked
        marker.pending = pending
        marker.denied = denied
        marker.committed = now
        return marker
    }

    package var metadata: [String: MetadataValue?] {
        [
            Key.counter: .string(Self.fixedWidth(counter)), Key.generation: .string(Self.fixedWidth(generation)),
            Key.isSaved: .boolean(isSaved),
            Key.isUnchecked: .boolean(isUnchecked), Key.created: .date(created), Key.saved: .date(saved),
            Key.committed: .date(committed),
            Key.lastSave: lastSave.map { .string(Self.fixedWidth($0.generation)) },
            Key.lastSaved: lastSave.map { .date($0.saved) },
            Key.pending: pending, Key.denied: denied,
            Key.journal: journal.map { .string($0.id) },
            Key.walBase: journal.map { .string(Self.fixedWidth($0.baseCounter)) },
            Key.walBaseCommitted: journal.map { .date($0.baseCommitted) },
        ]
    }

    /// The difference to the marker in the store. Autosaves are frequent and change few values.
    package func metadata(since last: DocumentMarker?) -> [String: MetadataValue?] {
        guard let last else { return metadata }
        // An autosave usually changes two values.
        var changes = [String: MetadataValue?](minimumCapacity: 2)
        func note(_ isChanged: Bool, _ key: String, _ value: @autoclosure () -> MetadataValue?) {
            if isChanged { changes.updateValue(value(), forKey: key) }
        }
        note(counter != last.counter, Key.counter, .string(Self.fixedWidth(counter)))
        note(generation != last.generation, Key.generation, .string(Self.fixedWidth(generation)))
        note(isSaved != last.isSaved, Key.isSaved, .boolean(isSaved))
        note(isUnchecked != last.isUnchecked, Key.isUnchecked, .boolean(isUnchecked))
        note(created != last.created, Key.created, .date(created))
        note(saved != last.saved, Key.saved, .date(saved))
        note(committed != last.committed, Key.committed, .date(committed))
        note(lastSave != last.lastSave, Key.lastSave, lastSave.map { .string(Self.fixedWidth($0.generation)) })
        note(lastSave != last.lastSave, Key.lastSaved, lastSave.map { .date($0.saved) })
        note(pending != last.pending, Key.pending, pending)
        note(denied != last.denied, Key.denied, denied)
        note(journal != last.journal, Key.journal, journal.map { .string($0.id) })
        note(journal != last.journal, Key.walBase, journal.map { .string(Self.fixedWidth($0.baseCounter)) })
        note(journal != last.journal, Key.walBaseCommitted, journal.map { .date($0.baseCommitted) })
        return changes
    }

    /// The changes that remove the marker from a store that becomes a bare store.
    static var removal: [String: MetadataValue?] {
        Dictionary(uniqueKeysWithValues: Key.all.map { ($0, MetadataValue?.none) })
    }

    private static func fixedWidth(_ number: Int) -> String {
        let width = 19
        return String(unsafeUninitializedCapacity: width) { text in
            var rest = number.magnitude
            for place in (0..<width).reversed() {
                text[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            return width
        }
    }

    private enum Key {
        static let counter = "FolioCommitCounter"
        static let generation = "FolioGeneration"
        static let isSaved = "FolioIsSaved"
        static let isUnchecked = "FolioIsUnchecked"
        static let created = "FolioCreated"
        static let saved = "FolioSaved"
        static let committed = "FolioCommitted"
        static let lastSave = "FolioLastSave"
        static let lastSaved = "FolioLastSaved"
        static let pending = "FolioPendingUniqueValues"
        static let denied = "FolioDeniedDeletions"
        static let journal = "FolioJournal"
        static let walBase = "FolioJournalBase"
        static let walBaseCommitted = "FolioJournalBaseCommitted"
        static let all = [
            counter, generation, isSaved, isUnchecked, created, saved, committed, lastSave, lastSaved, pending, denied,
            journal, walBase,
            walBaseCommitted,
        ]
    }
}
