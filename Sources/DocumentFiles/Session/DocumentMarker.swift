package import Foundation
package import Storage

/// What every commit of a document notes in the store's metadata: which state the commit made. Of
/// fixed width, so that a commit touches no page more.
package struct DocumentMarker: Hashable, Sendable {
    /// Raised by every commit, autosaves too.
    var counter = 0
    /// Raised by every save.
    package var generation = 0
    /// Whether the commit was a save; else it was an autosave.
    var isSaved = true
    /// Whether autosaved objects violate validation rules, which a save has to check then.
    package var isUnchecked = false
    var created: Date
    /// The last save.
    package var saved: Date
    /// This commit.
    package var committed: Date
    /// The save that unsaved work goes back to, where so much was autosaved that the main file took
    /// it up; nil where the main file is what was saved.
    package var lastSave: LastSave?
    /// Unique values that autosaved objects share with others and that the tables lack
    /// (`PendingUniqueValue`); nil for none.
    package var pending: MetadataValue?
    /// Deletions that autosaves have committed though they are denied (`DeniedDeletion`); nil for
    /// none.
    package var denied: MetadataValue?
    /// The run of the WAL that the commit was written to; nil where the store was made as a whole.
    package var journal: WALRun?

    /// A save that the main file has left behind, with unsaved work: one of the versions.
    package struct LastSave: Hashable, Sendable {
        package var generation: Int
        package var saved: Date
    }

    /// Whether there is work that was not saved.
    package var hasUnsavedWork: Bool { !isSaved || lastSave != nil }
    /// The generation and time of the last save that somebody asked for.
    package var userSave: LastSave { lastSave ?? LastSave(generation: generation, saved: saved) }

    /// The marker of a new document.
    init(now: Date = .now) {
        created = now
        saved = now
        committed = now
    }

    /// Reads the marker of a store; nil where it is none of Folio's documents.
    package init?(_ metadata: [String: MetadataValue]) {
        guard case .string(let counter)? = metadata[Key.counter], let counter = Int(counter),
            case .string(let generation)? = metadata[Key.generation],
            let generation = Int(generation), case .boolean(let isSaved)? = metadata[Key.isSaved],
            case .boolean(let isUnchecked)? = metadata[Key.isUnchecked],
            case .date(let created)? = metadata[Key.created], case .date(let saved)? = metadata[Key.saved],
            case .date(let committed)? = metadata[Key.committed], Self.numbers.contains(counter),
            Self.numbers.contains(generation)
        else { return nil }
        self.counter = counter
        self.generation = generation
        self.isSaved = isSaved
        self.isUnchecked = isUnchecked
        self.created = created
        self.saved = saved
        self.committed = committed
        if case .string(let base)? = metadata[Key.lastSave], let base = Int(base), Self.numbers.contains(base),
            case .date(let date)? = metadata[Key.lastSaved]
        {
            lastSave = LastSave(generation: base, saved: date)
        }
        pending = metadata[Key.pending]
        denied = metadata[Key.denied]
        if case .string(let id)? = metadata[Key.journal], case .string(let base)? = metadata[Key.walBase],
            let base = Int(base),
            Self.numbers.contains(base), case .date(let date)? = metadata[Key.walBaseCommitted]
        {
            journal = WALRun(id: id, baseCounter: base, baseCommitted: date)
        }
    }

    /// The marker that the next save commits.
    /// - Parameter last: A generation that is taken, by work that gave way in a conflict.
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

    /// The marker of the commit that makes autosaved work a state that the main file may become,
    /// without being saved by that: the last save is a version then.
    func nextInternal(after last: Int = 0, now: Date = .now) -> DocumentMarker {
        var marker = nextSave(after: last, now: now)
        marker.isUnchecked = isUnchecked
        marker.lastSave = userSave
        marker.pending = pending
        marker.denied = denied
        return marker
    }

    /// The marker that the next autosave commits.
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

    /// What differs from the marker that the store has: an autosave changes little, and many come
    /// one after the other.
    package func metadata(since last: DocumentMarker?) -> [String: MetadataValue?] {
        guard let last else { return metadata }
        // An autosave's are two.
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

    /// Takes the marker out of a store that becomes a document of its own.
    static var removal: [String: MetadataValue?] {
        Dictionary(uniqueKeysWithValues: Key.all.map { ($0, MetadataValue?.none) })
    }

    /// No document is committed more often; what a damaged one says must not run over when it is
    /// raised.
    private static let numbers = 0...(1 << 60)

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
