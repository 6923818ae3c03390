internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// What the files of a document's store say of the saved state, of unsaved work and of a WAL that
/// is not the store's, before the store is opened. Under the document's lock each is read once, and
/// nothing where there is no WAL.
struct DocumentInspection {
    /// What a store notes of one of its states.
    struct State: Hashable {
        let uuid: String
        let marker: DocumentMarker
    }

    /// The main file without its WAL; nil where it was not read, or can't be read by itself: a
    /// checkpoint that was cut short leaves a main file that only the WAL makes whole.
    let main: State?
    /// The last commit; nil where it was not read, is none of a document, or is damaged though the
    /// main file is not.
    private let newest: State?
    private let hasWAL: Bool

    /// A store without a WAL.
    init() { (main, newest, hasWAL) = (nil, nil, false) }

    /// A store with a WAL.
    init(ofStoreAt store: String, _ main: State?) throws {
        self.main = main
        hasWAL = true
        do {
            newest = try State(SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: store)))
        } catch let error as StorageError where main != nil && (error.code == .damaged || error.code == .notAStore) {
            // What is sound by itself is not made so by a WAL of its own.
            newest = nil
        }
    }

    /// A working set that an editor left: its WAL, or its own store, which may have taken work up.
    /// That of a package tells of such work by `DocumentMarker.lastSave`.
    init(ofWorkingSet place: StoreLocation) throws {
        main = nil
        hasWAL = try place.hasWAL()
        newest = try hasWAL || place.database == nil ? State(place.storedModelInfo()) : nil
    }

    /// What the main file of a store says without its WAL; nil where it can't be read by itself.
    static func mainFile(ofStoreAt store: String) -> State? {
        (try? SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: store), ignoresWAL: true)).flatMap {
            State($0)
        }
    }

    /// Whether the WAL is not of the store: of another one, stale, or made on another state of the
    /// main file.
    var isWALForeign: Bool {
        guard hasWAL, let main else { return false }
        guard let newest else { return true }
        return newest.uuid != main.uuid || !WALRun.belongs(newest.marker, to: main.marker)
    }

    /// Whether an editor left work that was not saved.
    var hasUnsavedWork: Bool { newest?.marker.isSaved == false && !isWALForeign }
}

extension DocumentInspection.State {
    fileprivate init?(_ info: StoredModelInfo) {
        guard let marker = DocumentMarker(info.metadata) else { return nil }
        self.init(uuid: info.uuid, marker: marker)
    }
}
