internal import ArchiveKit
internal import FileSystem
package import Foundation
internal import ModelFiles
internal import SQLiteStore
package import Schema
internal import Storage

extension DocumentSession {
    /// How often a document that others replace is looked at again before that is an error.
    private static let readingAttempts = 5

    /// Opens a document for reading: nothing is written anywhere near it.
    package static func read(_ path: String, model: ModelResolver) throws -> DocumentSession {
        try lookingAgain(at: path) { try readOnce(path, model: model) }
    }

    /// Runs `body`, which looks at a document without its lock, again where an editor has moved its files meanwhile.
    package static func lookingAgain<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        var left = readingAttempts
        while true {
            left -= 1
            let before = try Disk.identity(of: LinkResolution.resolve(path))
            do {
                return try body()
            } catch {
                // A document that was put in its place meanwhile was read half and half. The working set of one that is there still may have gone with its editor.
                let after = try Disk.identity(of: LinkResolution.resolve(path))
                if left > 0, after != before || (error as? DocumentError)?.code == .notFound && after != nil { continue }
                throw error
            }
        }
    }

    private static func readOnce(_ path: String, model: ModelResolver) throws -> DocumentSession {
        let document = try DetectedDocument(path)
        return try DocumentError.stage(.opening, document.path) {
            if document.kind == .package, try SharedPlace.holds(document.path),
                let left = try WorkingSet.existing(forPackage: document.path, uuid: PackageReader(document.path).manifest().uuid)
            {
                return try open(document, StorePlace(sharedPackage: document.path, left), isEditing: false, model: model)
            }
            guard document.kind == .archive else { return try open(document, StorePlace(document), isEditing: false, model: model) }
            let archive = try ArchiveFile(document.path)
            if let left = try WorkingSet.existing(for: archive, uuid: archive.manifest().uuid) {
                return try open(document, StorePlace(archive, left), isEditing: false, model: model)
            }
            return try open(document, StorePlace(reading: archive), isEditing: false, model: model)
        }
    }

    /// Opens a document for editing, under its lock, and mends what a crash left.
    /// - Parameter held: The document's lock, where the caller has it already and hands it over; it is given back where this fails.
    package static func edit(
        _ path: String, model: ModelResolver, recovery: DocumentRecovery, lock held: DocumentLock? = nil
    ) throws -> DocumentSession {
        try edit(resolved: LinkResolution.resolve(path), model: model, recovery: recovery, lock: held)
    }

    /// - Parameter location: The document, links resolved.
    package static func edit(
        resolved location: String, model: ModelResolver, recovery: DocumentRecovery, lock held: DocumentLock? = nil
    ) throws -> DocumentSession {
        if held == nil, try !Disk.exists(location), try !Replacement.isInterrupted(location) {
            throw DocumentError(.notFound, "there is no such document", path: location, stage: .opening)
        }
        let lock = try held ?? DocumentLock.acquire(location, document: nil)
        do {
            return try DocumentError.stage(.opening, location) {
                let session = try editMended(location, model, recovery)
                session.lock = lock
                lock.note(document: session.uuid)
                return session
            }
        } catch {
            lock.release()
            throw error
        }
    }

    /// Opens a document for editing again, whose lock the caller holds and hands over.
    package static func reopen(_ path: String, lock: DocumentLock?, model: ModelResolver) throws -> DocumentSession {
        do {
            return try DocumentError.stage(.opening, path) {
                let session = try edit(DetectedDocument(path), model, .keep)
                session.lock = lock
                return session
            }
        } catch {
            lock?.release()
            throw error
        }
    }

    /// Opens what is there once it is mended. The lock is held.
    private static func editMended(_ location: String, _ model: ModelResolver, _ recovery: DocumentRecovery) throws -> DocumentSession {
        for leftover in try Replacement.recover(location).leftovers { try Disk.removeTree(leftover) }
        if try Disk.kind(of: location) == .directory {
            let reader = try PackageReader(location)
            try mend(reader)
            if let document = try DetectedDocument(reader) { return try editPackage(document, reader, model, recovery) }
        }
        return try edit(DetectedDocument(location), model, recovery)
    }

    /// Removes what a crash left of replacing files in a package, and of the models that it has. The lock is held.
    private static func mend(_ package: PackageReader) throws {
        var isChanged = false
        for part in [nil, PackageLayout.content, PackageLayout.versions] {
            if let part, try package.kind(of: part) != .directory { continue }
            let folder = part.map { FilePath.join(package.path, $0) } ?? package.path
            for entry in try package.entries(of: part) ?? [] where try Disk.removeTemporary(entry.name, in: folder) { isChanged = true }
        }
        if isChanged { package.forget() }
    }

    /// Finishes or undoes a replacement of a package's store that a crash interrupted, and removes what it left, also of making models.
    private static func mendParts(of package: PackageReader) throws {
        let store = FilePath.join(package.path, PackageLayout.storeFolder)
        let root = try package.entries() ?? [], files = try? package.entries(of: PackageLayout.storeFolder)
        if files == nil || (root + (files ?? [])).contains(where: { $0.name.hasPrefix(".") }) {
            try mend(store)
            package.forget()
        }
        // A model is a folder, as is what is left of one: where there is one folder alone, it is the model. What stays for now goes with a later opening.
        if (try? package.folderCount(in: PackageLayout.models)) != 1, let models = try? package.entries(of: PackageLayout.models), models.contains(where: { $0.name.hasPrefix(".") }) {
            try? ModelFolder.removeLeftovers(in: package.path)
            package.forget()
        }
    }

    /// Finishes or undoes a replacement that a crash interrupted, and removes what it left. The lock is held.
    static func mend(_ path: String) throws {
        for leftover in try Replacement.recover(path).leftovers { try Disk.removeTree(leftover) }
        // And of files that were being replaced within a package; what a link leads to is not this one's.
        guard try Disk.kind(of: path) == .directory else { return }
        for folder in [path, FilePath.join(path, PackageLayout.content), FilePath.join(path, PackageLayout.versions)] {
            try Disk.removeTemporaries(in: folder)
        }
    }

    private static func edit(
        _ document: DetectedDocument, _ model: ModelResolver, _ recovery: DocumentRecovery
    ) throws -> DocumentSession {
        switch document.kind {
        case .store, .managedDocument:
            let session = try open(document, StorePlace(document), isEditing: true, model: model)
            session.identity = try Disk.identity(of: document.path)
            return session
        case .package: return try editPackage(document, PackageReader(document.path), model, recovery)
        case .archive: return try editArchive(document, model, recovery)
        }
    }

    private static func editPackage(
        _ document: DetectedDocument, _ reader: PackageReader, _ model: ModelResolver, _ recovery: DocumentRecovery
    ) throws -> DocumentSession {
        try mendParts(of: reader)
        if try SharedPlace.holds(document.path) { return try editShared(document, model, recovery) }
        let place = StorePlace(document, opening: reader)
        try place.check()
        // Both look for work in a WAL.
        let quarantined = try reader.hasJournal ? quarantineForeignJournal(in: document.path) : nil
        if quarantined != nil { reader.forget() }
        var isToBeDiscarded = false
        if try reader.hasJournal && place.hasAutosavedWork() {
            switch recovery {
            case .keep: break
            case .refuse: throw recoverable(document.path)
            case .discard:
                // Only an open store tells whether somebody reads what is to be set aside.
                isToBeDiscarded = true
            }
        }
        let session = try open(document, place, isEditing: true, model: model)
        if session.marker?.lastSave != nil, recovery == .refuse {
            try session.closeStore()
            throw recoverable(document.path)
        }
        let anchor = reader.anchor
        session.identity = try anchor.status().identity
        session.quarantinedJournal = quarantined
        try session.settle()
        session.anchor = anchor
        guard isToBeDiscarded || (recovery == .discard && session.marker?.lastSave != nil) else { return session }
        try session.closeDiscardingAutosavedWork()
        // The model may be another than that of what was discarded, which may be a migration that did not end.
        return try editPackage(document, PackageReader(document.path), model, .refuse)
    }

    /// - Parameter following: The session whose save has just made the archive: its large values go on being read.
    static func editArchive(
        _ document: DetectedDocument, _ model: ModelResolver, _ recovery: DocumentRecovery, following: DocumentSession? = nil
    ) throws -> DocumentSession {
        let archive = try ArchiveFile(document.path)
        let manifest = try archive.manifest()
        let state = try archive.state()
        if following == nil { try WorkingSet.removeFinished(for: archive.path, state, uuid: manifest.uuid) }
        var workingSet = try WorkingSet.existing(for: archive, uuid: manifest.uuid)
        if let left = workingSet {
            try mend(FilePath.join(left.path, PackageLayout.storeFolder))
            let hasWork = try StorePlace(archive, left).hasAutosavedWork()
            if hasWork, recovery == .refuse { throw recoverable(document.path) }
            if !hasWork || recovery == .discard {
                // Nothing is in it that the archive has not, or that anybody wants.
                try left.remove()
                workingSet = nil
            }
        }
        try workingSet?.noteState(state)
        let set = try workingSet ?? WorkingSet.make(from: archive, uuid: manifest.uuid, generation: manifest.generation)
        let place = try StorePlace(archive, set, isTrusted: following != nil)
        let session = try open(document, place, isEditing: true, content: following?.content, model: model)
        session.identity = state.identity
        session.origin = state
        session.workingSet = set
        try session.settle()
        return session
    }

    /// Opens a package where a WAL must not lie: it is read where it is, takes no lock of SQLite's there, and is written by saves alone. What is committed goes to a working set, as
    /// for an archive.
    /// - Parameter following: The session whose save has just replaced the store.
    static func editShared(
        _ document: DetectedDocument, _ model: ModelResolver, _ recovery: DocumentRecovery, following: DocumentSession? = nil
    ) throws -> DocumentSession {
        let path = document.path, store = FilePath.join(path, PackageLayout.store), uuid = try PackageReader(path).manifest().uuid
        try PackageReader(path).checkStore()
        let quarantined = try quarantineForeignJournal(in: path)
        let state = try WorkingSetOrigin.state(ofStore: store)
        if following == nil { try WorkingSet.removeFinished(for: path, state, uuid: uuid) }
        var workingSet = try WorkingSet.existing(for: path, state, uuid: uuid)
        if let left = workingSet {
            try mend(FilePath.join(left.path, PackageLayout.storeFolder))
            let hasWork = try StorePlace(sharedPackage: path, left).hasAutosavedWork()
            if hasWork, recovery == .refuse { throw recoverable(path) }
            if !hasWork || recovery == .discard {
                try left.remove()
                workingSet = nil
            }
        }
        try workingSet?.noteState(state)
        let generation = markerOfMainFile(store)?.generation
        let set = try workingSet ?? WorkingSet.make(forPackage: path, state, uuid: uuid, generation: generation ?? 0)
        let place = try StorePlace(sharedPackage: path, set)
        if workingSet == nil, recovery != .keep, try place.hasAutosavedWork() {
            // Left in the package itself, by an editor for which this was no shared place.
            try set.remove()
            guard recovery == .discard else { throw recoverable(path) }
            try setAutosavedWorkAside(in: path, savedGeneration: PackageReader(path).manifest().generation)
            return try editShared(document, model, .refuse)
        }
        let session = try open(document, place, isEditing: true, model: model)
        session.identity = try Disk.identity(of: path)
        session.origin = state
        session.workingSet = set
        session.quarantinedJournal = quarantined
        try session.settle()
        return session
    }

    /// Goes on with a document that has a working set.
    static func editWithWorkingSet(
        _ path: String, _ model: ModelResolver, _ recovery: DocumentRecovery, following: DocumentSession
    ) throws -> DocumentSession {
        let document = try DetectedDocument(path)
        return try document.kind == .package
            ? editShared(document, model, recovery, following: following) : editArchive(document, model, recovery, following: following)
    }

    // MARK: Work that was left

    /// Whether there may be commits that the main file lacks.
    package static func hasJournal(_ store: String) throws -> Bool { (try Disk.status(of: store + "-wal")?.size ?? 0) > 0 }

    private static func recoverable(_ path: String) -> DocumentError {
        DocumentError(
            .recoverable, "an editor that is gone left work that was never saved", path: path, stage: .opening,
            hint: "recover it first: keep or discard it")
    }

    /// Puts the WAL with autosaved work aside, so that the main file, which is the last saved state, counts again. The store is closed.
    static func setAutosavedWorkAside(in package: String, savedGeneration: Int) throws {
        let store = FilePath.join(package, PackageLayout.store)
        guard let marker = markerOfMainFile(store), marker.isSaved, marker.generation == savedGeneration else {
            // A save is in the WAL too, kept from the main file by somebody who was reading it: that save must not go.
            throw DocumentError(
                .locked, "the last save has not reached the main file, since another program was reading it", path: store, hint: "try again later")
        }
        _ = try setJournalAside(in: package, as: PackageLayout.discarded)
    }

    // MARK: The store

    /// Opens the store of a document.
    /// - Parameter content: The folder of large values that goes on being used; nil for one of its own.
    private static func open(
        _ document: DetectedDocument, _ place: StorePlace, isEditing: Bool, content known: ContentFolder? = nil, model resolve: ModelResolver
    ) throws -> DocumentSession {
        do {
            try place.check()
            let manifest = try place.manifest()
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: place.storePath, isDirectory: false))
            description.createsIfMissing = false
            description.isReadOnly = !isEditing
            description.journal = manifest == nil ? .asFound : .heldByDocument
            if !isEditing, document.kind == .package, place.workingSet == nil { description.ignoresWAL = try hasForeignJournal(place.storePath) }
            let content = place.content(known)
            description.type = document.storeType
            StoreConfiguration.current?.apply(to: &description)
            let store: any PersistentStore
            if document.storeType == .sqlite {
                store = try place.open(description, content, likely: manifest?.model.name, model: resolve)
            } else {
                store = try BareStore.open(description, model: resolve)
            }
            do {
                let session = DocumentSession(kind: document.kind, path: document.path, isEditing: isEditing, place: place.opened, store: store, content: content)
                session.manifest = manifest
                let hasJournal = try manifest != nil && place.hasJournal()
                // Before the marker is read: counting reads all of the WAL, and an editor at work commits meanwhile.
                if hasJournal { session.outsideCommits = try session.countOutsideCommits() }
                if let manifest { try session.readMarker(manifest, hasJournal: hasJournal) }
                return session
            } catch {
                try? store.close()
                throw error
            }
        } catch {
            if let folder = place.temporaryFolder { StateFolder.removeTemporary(folder) }
            throw error
        }
    }

    private func readMarker(_ manifest: Manifest, hasJournal: Bool) throws {
        // Under the lock nobody has written since.
        let known = isEditing ? try sqliteStore?.knownMetadata() : nil
        guard let marker = DocumentMarker(try known ?? store.metadata()) else {
            throw DocumentError(.malformed, "the store is not that of a document: its metadata lack the marker", path: storePath)
        }
        guard uuid == manifest.uuid.uppercased() else {
            throw DocumentError(.malformed, "the store is that of another document: \(uuid), not \(manifest.uuid)", path: storePath)
        }
        guard marker.generation >= manifest.generation else {
            throw DocumentError(.malformed, "the store is older than the manifest", path: storePath)
        }
        self.marker = marker
        hadJournal = hasJournal
        if hadJournal { journal = marker.journal }
        findKeptState(manifest, marker)
        if marker.generation == manifest.generation { fileSums = manifest.files }
        // A manifest that knows of everything spares the counting.
        guard marker.isSaved, marker.generation == manifest.generation, manifest.hasCounts else { return }
        counts = EntityCounts(model, manifest: manifest.entities)
        attachments = manifest.attachments
    }

    /// Finishes a save that a crash interrupted after its commit. A store with autosaved work stays as it is.
    private func settle() throws {
        if counts == nil { counts = try EntityCounts(counting: store) }
        guard let marker, let manifest else { return }
        isCheckpointPending = marker.generation > manifest.generation
        // What hinders it now is no reason not to open: the next save or close does it again.
        guard marker.isSaved else { return }
        // A document that was closed as it should be has nothing to finish, and its versions were thinned out then.
        if isCheckpointPending || hadJournal { settleSave() }
    }
}

extension PackageReader {
    /// The model under `model/` whose version hashes are these, with its name; nil where none fits.
    /// - Throws: where none fits and one can't be read, which may be the one.
    /// - Parameter likely: The name of the one that it most likely is.
    package func model(fitting hashes: [String: Data], likely: String? = nil) throws -> (name: String, model: ManagedObjectModel)? {
        if let likely, let bytes = try? model(likely), let model = try? ModelContents.decode(Data(bytes)), model.isCompatible(withVersionHashes: hashes) { return (likely, model) }
        var failure: (any Error)?
        for name in try modelNames() {
            do {
                let model = try ModelContents.decode(Data(self.model(name)), path: "\(path)/\(PackageLayout.models)/\(name).xcdatamodel/contents")
                if model.isCompatible(withVersionHashes: hashes) { return (name, model) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }
}
