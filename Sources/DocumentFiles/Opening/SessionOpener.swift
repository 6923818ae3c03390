internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// Opens a document for editing. Requires its lock. Cleans up after a crash, inspects the store's
/// files, decides about unsaved work, and opens the store.
struct SessionOpener {
    let model: ModelChoice
    let recovery: DocumentRecovery
    /// The session that is replaced by the new one, whose large values stay readable; nil if there
    /// is none.
    var following: DocumentSession?

    /// Cleans up at a path, which must have symbolic links resolved, and opens the document.
    func openMended(_ location: String) throws -> DocumentSession {
        try Leftovers.completeReplacement(of: location)
        if try Disk.kind(of: location) == .directory {
            let reader = try PackageReader(location)
            try Leftovers.removeTemporaries(in: reader)
            if let document = try DetectedDocument(reader) { return try openPackage(document, reader) }
        }
        return try open(DetectedDocument(location))
    }

    func open(_ document: DetectedDocument) throws -> DocumentSession {
        switch document.kind {
        case .store, .managedDocument:
            let session = try openStore(document, StoreLocation(document))
            session.identity = try Disk.identity(of: document.path)
            return session
        case .package: return try openPackage(document, PackageReader(document.path))
        case .archive: return try openWithWorkingSet(document)
        }
    }

    private func openPackage(_ document: DetectedDocument, _ reader: PackageReader) throws -> DocumentSession {
        try PackageLayout.checkPlace(document.path)
        try Leftovers.completeStoreAndModels(of: reader)
        return try SharedLocation.holds(document.path) ? openWithWorkingSet(document) : openInPlace(document, reader)
    }

    /// Opens a package that contains its WAL.
    private func openInPlace(_ document: DetectedDocument, _ reader: PackageReader) throws -> DocumentSession {
        let place = StoreLocation(document, opening: reader)
        try place.check()
        let (inspection, quarantined) = try inspect(document.path, hasWAL: reader.hasWAL)
        if quarantined != nil { reader.forget() }
        if inspection.hasUnsavedWork, recovery == .refuse { throw recoverable(document.path) }
        let session = try openStore(document, place, inspection)
        if session.marker?.lastSave != nil, recovery == .refuse {
            try session.closeStore()
            throw recoverable(document.path)
        }
        let anchor = reader.anchor
        session.identity = try anchor.status().identity
        session.form = PackageForm()
        session.journal.quarantined = quarantined
        try session.settle()
        session.anchor = anchor
        guard recovery == .discard, inspection.hasUnsavedWork || session.marker?.lastSave != nil else {
            try session.holdDiscardedKeys()
            return session
        }
        let keys = session.givenKeys()
        // The store has to be open to determine whether another process reads the work that is
        // discarded.
        try session.closeDiscardingAutosavedWork()
        // The discarded work may have had another model, if it was an interrupted migration.
        let next = try SessionOpener(model: model, recovery: .refuse).open(document)
        try next.hold(keys)
        return next
    }

    /// Opens a document whose commits are written to a working set: an archive, or a package on a
    /// volume that does not support WAL. The document is read in place without SQLite locks, and
    /// written only by saves.
    func openWithWorkingSet(_ document: DetectedDocument) throws -> DocumentSession {
        let path = document.path
        let archive = document.kind == .archive ? try ArchiveFile(path) : nil
        let manifest = try archive?.manifest() ?? PackageReader(path).manifest()
        var inspection = DocumentInspection(), quarantined: String?
        if archive == nil {
            try PackageReader(path).checkStore()
            (inspection, quarantined) = try inspect(path, hasWAL: StoreWAL(inPackage: path).hasContent())
        }
        let state = try archive?.state() ?? WorkingSetOrigin.state(ofStore: FilePath.join(path, PackageLayout.store))
        func place(_ set: WorkingSet) throws -> StoreLocation {
            try archive.map { try StoreLocation($0, set, isTrusted: following != nil) }
                ?? StoreLocation(sharedPackage: path, set)
        }
        if following == nil { try WorkingSet.removeFinished(for: path, state, uuid: manifest.uuid) }
        let left = try workingSetToKeep(WorkingSet.existing(for: path, state, uuid: manifest.uuid), path, place)
        if left == nil, inspection.hasUnsavedWork, recovery != .keep {
            // The work is in the package itself: its editor did not treat the volume as shared.
            guard recovery == .discard else { throw recoverable(path) }
            try StoreWAL(inPackage: path).setAutosavedWorkAside(in: path, savedGeneration: manifest.generation)
        }
        try left?.noteState(state)
        let set =
            try left ?? archive.map {
                try WorkingSet.make(from: $0, uuid: manifest.uuid, generation: manifest.generation)
            }
            ?? WorkingSet.make(forPackage: path, state, uuid: manifest.uuid, generation: manifest.generation)
        let session = try openStore(document, place(set))
        session.identity = try archive == nil ? Disk.identity(of: path) : state.identity
        session.form = WorkingSetForm(set, state)
        session.journal.quarantined = quarantined
        try session.settle()
        try session.holdDiscardedKeys()
        return session
    }

    // MARK: Unfinished work

    /// Inspects the files of a package's store. If the WAL does not belong to the store, it is
    /// moved to quarantine, so that it is never applied.
    /// - Returns: The inspection, and the path of the quarantined WAL.
    private func inspect(_ package: String, hasWAL: Bool) throws -> (DocumentInspection, quarantined: String?) {
        guard hasWAL else { return (DocumentInspection(), nil) }
        let store = FilePath.join(package, PackageLayout.store)
        let inspection = try DocumentInspection(ofStoreAt: store, DocumentInspection.mainFile(ofStoreAt: store))
        guard inspection.isWALForeign else { return (inspection, nil) }
        return (DocumentInspection(), try StoreWAL(inPackage: package).setAside(in: package, as: Quarantine.walName()))
    }

    /// The working set that an editor left, if it contains work and the work is wanted. Otherwise
    /// it is removed.
    private func workingSetToKeep(_ left: WorkingSet?, _ path: String, _ place: (WorkingSet) throws -> StoreLocation)
        throws -> WorkingSet?
    {
        guard let left else { return nil }
        try Leftovers.mend(FilePath.join(left.path, PackageLayout.storeFolder))
        let hasWork = try DocumentInspection(ofWorkingSet: place(left)).hasUnsavedWork
        if hasWork, recovery == .refuse { throw recoverable(path) }
        if hasWork, recovery == .keep { return left }
        // The working set contains nothing that is missing in the document and wanted.
        try left.remove()
        return nil
    }

    private func recoverable(_ path: String) -> DocumentError {
        DocumentError(
            .recoverable, "an editor that is gone left work that was never saved", path: path, stage: .opening,
            hint: "recover it first: keep or discard it")
    }

    // MARK: The store

    private func openStore(
        _ document: DetectedDocument, _ place: StoreLocation, _ inspection: DocumentInspection = DocumentInspection()
    ) throws -> DocumentSession {
        try Self.openStore(
            document, place, isEditing: true, content: following?.content, mainFile: inspection.main?.marker,
            model: model)
    }

    /// Opens a document for reading without a lock, so that other programs may change it meanwhile.
    static func read(_ path: String, model: ModelChoice) throws -> DocumentSession {
        let document = try DetectedDocument(path)
        return try DocumentError.stage(.opening, document.path) {
            if document.kind == .package, try SharedLocation.holds(document.path),
                let left = try WorkingSet.existing(
                    forPackage: document.path, uuid: PackageReader(document.path).manifest().uuid)
            {
                return try openStore(
                    document, StoreLocation(sharedPackage: document.path, left), isEditing: false, model: model)
            }
            guard document.kind == .archive else {
                return try openStore(document, StoreLocation(document), isEditing: false, model: model)
            }
            let archive = try ArchiveFile(document.path)
            if let left = try WorkingSet.existing(for: archive, uuid: archive.manifest().uuid) {
                return try openStore(document, StoreLocation(archive, left), isEditing: false, model: model)
            }
            return try openStore(document, StoreLocation(reading: archive), isEditing: false, model: model)
        }
    }

    /// Opens the store of a document.
    /// - Parameters:
    ///   - content: The folder of large values to continue with; nil to create one.
    ///   - mainFile: The marker of the main file, if it was read.
    static func openStore(
        _ document: DetectedDocument, _ place: StoreLocation, isEditing: Bool, content known: ContentFolder? = nil,
        mainFile: DocumentMarker? = nil,
        model: ModelChoice
    ) throws -> DocumentSession {
        do {
            try place.check()
            let manifest = try place.manifest()
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: place.storePath, isDirectory: false))
            description.createsIfMissing = false
            description.isReadOnly = !isEditing
            description.journal = manifest == nil ? .asFound : .heldByDocument
            if !isEditing, document.kind == .package, place.workingSet == nil {
                description.ignoresWAL = try StoreWAL(ofStoreAt: place.storePath).isForeign()
            }
            let content = place.content(known)
            description.type = document.storeType
            StoreConfiguration.current?.apply(to: &description)
            let store: any StoreBackend
            if document.storeType == .sqlite {
                store = try place.open(description, content, likely: manifest?.model.name, model: model)
            } else {
                store = try BareStore.open(description, model: model)
            }
            do {
                let session = DocumentSession(
                    kind: document.kind, path: document.path, isEditing: isEditing, place: place.opened, store: store,
                    content: content)
                session.manifest = manifest
                let hasJournal = try manifest != nil && place.hasWAL()
                // Count before the marker is read: counting reads the whole WAL, and an editor may
                // commit meanwhile.
                let outsideCommits = try hasJournal ? session.countOutsideCommits(mainFile: mainFile) : 0
                if let manifest { try readMarker(session, manifest, hasWAL: hasJournal) }
                session.journal.noteOutsideCommits(outsideCommits)
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

    /// Reads the marker of the store's last commit, and derives the session's state from it and the
    /// manifest.
    private static func readMarker(_ session: DocumentSession, _ manifest: DocumentManifest, hasWAL: Bool) throws {
        func malformed(_ reason: String) -> DocumentError { DocumentError(.malformed, reason, path: session.storePath) }
        // With the lock, nobody can have written since the metadata was read.
        let known = session.isEditing ? try session.sqliteStore?.knownMetadata() : nil
        guard let marker = DocumentMarker(try known ?? session.store.metadata()) else {
            throw malformed("the store is not that of a document: its metadata lack the marker")
        }
        guard session.uuid == manifest.uuid.uppercased() else {
            throw malformed("the store is that of another document: \(session.uuid), not \(manifest.uuid)")
        }
        guard marker.generation >= manifest.generation else { throw malformed("the store is older than the manifest") }
        session.marker = marker
        session.journal = WALStatus(marker, hasContent: hasWAL)
        session.keeping.findHead(manifest, marker)
        session.footprint.take(manifest, at: marker, session.model)
    }
}
