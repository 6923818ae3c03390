internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteStore
internal import Schema
internal import Storage

/// Reading one committed state in several steps.
extension DocumentSession {
    /// Makes all later reads see the currently committed state. If no lock can ensure this, reads
    /// throw after a commit of another program.
    /// - Throws: `DocumentError.changed` if another program has committed since the session began.
    package func hold() throws {
        guard let sqliteStore else { return }
        try sqliteStore.holdState()
        guard let marker, try DocumentMarker(sqliteStore.metadata())?.counter != marker.counter else { return }
        throw DocumentError(.changed, "the document was saved by another program while it was opened", path: path)
    }
}

/// The keys of new objects, where another state of the document takes the place of this one.
extension DocumentSession {
    /// The greatest keys that this session has given out; none for a store that is not a
    /// document's, for one that is read, and for one that can't be read any more.
    package func givenKeys() -> GreatestKeys? {
        guard isEditing, marker != nil, isStoreOpen else { return nil }
        return sqliteStore.flatMap { try? GreatestKeys(of: $0) }
    }

    /// Gives none of the keys of an earlier session to another object.
    package func hold(_ keys: GreatestKeys?) throws {
        guard let keys, isEditing, marker != nil, let sqliteStore else { return }
        try keys.hold(in: sqliteStore)
    }

    /// Gives none of the keys of discarded work to another object, as long as that lies in the
    /// package: copies of the document may have the work still. What can't be read tells nothing.
    /// - Throws: Errors of the store.
    func holdDiscardedKeys() throws {
        guard let package, isEditing, let sqliteStore,
            let log = try? File(FilePath.join(package, PackageLayout.discarded), .read)
        else { return }
        defer { log.close() }
        guard let keys = try? sqliteStore.greatestKeys(inLog: PlainFile(log)) else { return }
        try hold(GreatestKeys(keys, sqliteStore.identity.model))
    }
}
