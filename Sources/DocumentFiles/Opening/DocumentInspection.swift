internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// The saved state, unsaved work and foreign WAL of a document's store, as determined from its
/// files before the store is opened. Requires the document's lock. Each file is read once, and none
/// if there is no WAL.
struct DocumentInspection {
    /// The UUID and marker of one state of a store.
    struct State: Hashable {
        let uuid: String
        let marker: DocumentMarker
    }

    /// The state of the main file without its WAL. Nil if it was not read or can't be read by
    /// itself: after an interrupted checkpoint, the main file is only complete together with the
    /// WAL.
    let main: State?
    /// The state of the last commit. Nil if it was not read, has no marker, or can't be read
    /// although the main file can.
    private let newest: State?
    private let hasWAL: Bool

    /// A store without a WAL, of which nothing was read.
    init() { self.init(main: nil, newest: nil, hasWAL: false) }

    init(main: State?, newest: State?, hasWAL: Bool) { (self.main, self.newest, self.hasWAL) = (main, newest, hasWAL) }

    /// A store with a WAL.
    init(ofStoreAt store: String, _ main: State?) throws {
        self.main = main
        hasWAL = true
        do {
            newest = try State(SQLiteStoreFile(store).modelInfo())
        } catch let error as StorageError where main != nil && (error.code == .damaged || error.code == .notAStore) {
            // The main file is sound by itself, and its own WAL would not change that.
            newest = nil
        }
    }

    /// The state of a store's main file without its WAL; nil if it can't be read by itself.
    static func mainFile(ofStoreAt store: String) -> State? {
        (try? SQLiteStoreFile(store).modelInfo(ignoresWAL: true)).flatMap {
            State($0)
        }
    }

    /// Whether the WAL does not belong to the store: it is of another store, outdated, or based on
    /// another state of the main file.
    var isWALForeign: Bool {
        guard hasWAL, let main else { return false }
        guard let newest else { return true }
        return newest.uuid != main.uuid || !WALRun.belongs(newest.marker, to: main.marker)
    }

    /// Whether an editor left work that was not saved.
    var hasUnsavedWork: Bool { newest?.marker.isSaved == false && !isWALForeign }
}

extension DocumentInspection.State {
    init?(_ info: StoredModelInfo) {
        guard let marker = DocumentMarker(info.metadata) else { return nil }
        self.init(uuid: info.uuid, marker: marker)
    }
}
