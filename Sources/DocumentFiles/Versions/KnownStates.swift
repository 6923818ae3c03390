internal import FileSystem
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Storage

/// The states that a document has and those that it has merged.
package struct KnownStates {
    private let session: DocumentSession

    package init(of session: DocumentSession) { self.session = session }

    /// Of a package whose manifest describes the state nothing is read but the list of versions;
    /// else the store is read once. None for stores that are not SQLite's.
    ///
    /// - Throws: `DocumentError` with code `malformed` for a damaged list of versions: without it a
    ///   later merge would begin at a state that is too old. What reading the store throws.
    package func list() throws -> [KnownState] {
        guard session.sqliteStore != nil else { return [] }
        let newest = session.marker?.generation ?? 0
        var states = [
            KnownState(
                sum: try currentSum().text, rank: Double(newest) + 0.75, isCurrent: true,
                firstGeneration: session.marker?.hasUnsavedWork == true ? newest + 1 : newest)
        ]
        if let saved = try savedSum() {
            states.append(
                KnownState(
                    sum: saved.text, rank: Double(newest) + 0.7, generation: newest, firstGeneration: newest))
        }
        for row in try versionRows() {
            guard let sum = row.sum else { continue }
            states.append(
                KnownState(
                    sum: sum.text, rank: Double(row.generation), generation: row.generation,
                    firstGeneration: row.generation))
        }
        for note in MergeNote.notes(in: try session.store.metadata()) {
            let numbering = StateNumbering(note.moved)
            for (index, sum) in note.sums.enumerated() {
                let rank = Double(note.generation) + 0.5 - Double(index) / Double(2 * note.sums.count + 2)
                states.append(
                    KnownState(
                        sum: sum, rank: rank, firstGeneration: note.generation + 1, numbering: numbering,
                        hasKnownKeys: note.hasKnownKeys))
            }
        }
        return states
    }

    private func versionRows() throws -> [VersionIndex.Row] {
        if let versions = session.versions { return try VersionIndex.read(in: versions.folder).rows }
        guard session.place.archive?.carriesVersions == true else { return [] }
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        return try session.archivedVersions(in: folder).map { try VersionIndex.read(in: $0.folder).rows } ?? []
    }

    /// The sum of the last save, where there is autosaved work on top of it and it is no version
    /// yet.
    private func savedSum() throws -> StateSum? {
        guard let marker = session.marker, marker.hasUnsavedWork, marker.lastSave == nil else { return nil }
        if session.kind == .package, let manifest = session.manifest, manifest.generation == marker.generation,
            let pages = manifest.store.pages
        {
            return pages.sum
        }
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        let path = FilePath.join(folder, "saved.sqlite")
        try session.writeSavedState(to: path)
        return try SavedPages(ofFileAt: path).sum
    }

    private func currentSum() throws -> StateSum {
        if session.kind == .package, let marker = session.marker, let manifest = session.manifest,
            !marker.hasUnsavedWork,
            !session.isCheckpointPending, marker.generation == manifest.generation, session.outsideCommits == 0,
            let pages = manifest.store.pages
        {
            return pages.sum
        }
        return try session.packageStore.withFiles { try StateSum(of: $0.current) }
    }
}

extension VersionStore {
    /// Whether the newest version's delta leads from the saved state that a marker tells of, as far
    /// as that is known; true where there are no versions.
    func leadUp(to marker: DocumentMarker?) throws -> Bool {
        guard let marker, !marker.hasUnsavedWork, let head = try head() else { return true }
        return head.generation == marker.generation
            && (head.counter == 0 || head.saved.milliseconds == marker.saved.milliseconds)
    }
}

extension StateSum {
    fileprivate var text: String { String(value, radix: 16) }
}
