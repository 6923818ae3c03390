internal import Coding
internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Schema
internal import Storage

/// The states that a document has and those that it has merged.
package struct KnownStates {
    private let session: DocumentSession

    package init(of session: DocumentSession) { self.session = session }

    /// Of a package whose manifest describes the state nothing is read but the list of versions;
    /// else the store is read once. Of a store that is not SQLite's the file is read.
    ///
    /// - Throws: `DocumentError` with code `malformed` for a damaged list of versions: without it a
    ///   later merge would begin at a state that is too old. What reading the store throws.
    package func list() throws -> [KnownState] {
        guard session.sqliteStore != nil else { return try bareState().map { try [$0] + notedStates() } ?? [] }
        let newest = session.marker?.generation ?? 0
        let current = try currentSum(), lastSave = try savedSum()
        var states = [
            KnownState(
                sum: current.text, rank: Double(newest) + 0.75, isCurrent: true,
                firstGeneration: session.marker?.hasUnsavedWork == true ? newest + 1 : newest)
        ]
        if let lastSave {
            states.append(
                KnownState(
                    sum: lastSave.text, rank: Double(newest) + 0.7, generation: newest, firstGeneration: newest))
        }
        let rows = try versionRows(lastSave ?? current)
        let lost = rows.lastIndex { $0.flags.contains(.hasUnknownReferences) } ?? -1
        for (position, row) in rows.enumerated() {
            guard let sum = row.sum else { continue }
            var state = KnownState(
                sum: sum.text, rank: Double(row.generation), generation: row.generation,
                firstGeneration: row.generation)
            state.isCertain = position > lost
            states.append(state)
        }
        return try states + notedStates()
    }

    /// What merges have brought in.
    private func notedStates() throws -> [KnownState] {
        var states: [KnownState] = []
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

    /// A store that is written as a whole, by the digest of its file, and what it has merged; nil
    /// for one without a file.
    private func bareState() throws -> KnownState? {
        guard session.kind == .store, try Disk.kind(of: session.storePath) == .file else { return nil }
        var hash = SHA256()
        try LargeValueReader(FileInput(File(session.storePath, .read))).forEachRemainingPiece { hash.update($0) }
        let sum = hash.digest().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return KnownState(
            sum: StateSum(value: sum).text, rank: 0.75, isCurrent: true, firstGeneration: 0)
    }

    /// - Parameter saved: The sum of the last save.
    private func versionRows(_ saved: StateSum) throws -> [VersionIndex.Row] {
        if let versions = session.versions { return try VersionIndex.read(in: versions.folder).rows }
        guard let archive = session.place.archive else { return [] }
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        guard archive.carriesVersions else {
            // States that do not lead up to this one, and a list that can't be read, tell nothing.
            let states = try session.archivedMergeStates(in: folder, isList: true)
            guard let index = try? states.map({ try VersionIndex.read(in: $0.folder) }), let head = index.head,
                head.generation == session.marker?.generation, head.sum == saved
            else { return [] }
            return index.rows
        }
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
