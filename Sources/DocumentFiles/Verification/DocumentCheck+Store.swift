import AtomicStores
import FileSystem
import Foundation
import Schema
import SQLiteStore
import Storage

/// Checks of a document's store and its references.
extension DocumentCheck {
    private static func name(of object: ManagedObjectID) -> String { "\(object.entity.name)/p\(object.key)" }

    /// Checks an atomic store. Opening it verifies its checksums; then its references are checked.
    mutating func store(_ storePath: String, type: StoreType) {
        guard
            let store = part(
                "store",
                { check in
                    var description = PersistentStoreDescription(url: URL(fileURLWithPath: storePath), type: type)
                    description.isReadOnly = true
                    description.createsIfMissing = false
                    let info = try AtomicPersistentStore.storedInfo(at: description.url)
                    return try BareStore.open(description, check.chosenModel(fitting: info.versionHashes))
                })
        else { return }
        defer { try? store.close() }
        if type == .xml { skip("store", "an XML store has no checksum: a value that was altered is not noticed") }
        _ = part("store") { check in
            for (object, property, target) in try store.danglingReferences() {
                check.report(
                    "store", "\(property) leads to \(Self.name(of: target)), which is not there",
                    object: Self.name(of: object))
            }
        }
    }

    mutating func store(
        _ path: String, _ storePath: String, package: (reader: PackageReader, manifest: DocumentManifest?)?
    ) {
        let isForeign = package != nil && part("store") { _ in try StoreWAL(ofStoreAt: storePath).isForeign() } == true
        if isForeign { report("store", "the journal beside it is that of another store or state, and is not applied") }
        guard let store = part("store", { try $0.open(storePath, package, ignoresWAL: isForeign) }) else { return }
        defer { try? store.close() }
        _ = part("store") { check in
            for finding in try store.integrityFindings(isThorough: check.isThorough) { check.report("store", finding) }
        }
        _ = part("store") { check in
            for note in store.missingParts { check.report("store", note) }
            for finding in try store.numberingFindings() { check.report("store", finding) }
            for finding in try store.valueNameFindings() {
                check.report("store", finding.message, object: finding.object)
            }
        }
        if isThorough {
            _ = part("store") { check in
                if package != nil { for finding in try store.schemaFindings() { check.report("store", finding) } }
                for finding in try store.referencedEntityFindings() + store.cellFindings() {
                    check.report("store", finding.message, object: finding.object)
                }
            }
        }
        if let package { _ = part("store") { try $0.marker(store, package.manifest) } }
        if let manifest = package?.manifest {
            _ = part("store") { try $0.pages(store, manifest) }
        } else if package == nil {
            skip("store", "a store by itself has no sums of its pages: a value that was altered is not noticed")
        }
        _ = part("store") { check in
            for finding in try store.referenceFindings() {
                check.report("store", finding.message, object: finding.object)
            }
        }
        _ = part("attachments") { try $0.attachments(store, storePath, package?.reader.path) }
        if isThorough, let package, let manifest = package.manifest {
            _ = part(PackageLayout.extra) { try $0.files(store, manifest, package.reader.path) }
        }
        if let reader = package?.reader {
            if isThorough { _ = part(PackageLayout.content) { try $0.content(reader.path) } }
            _ = part(PackageLayout.versions) { try $0.versions(store, reader) }
        }
    }

    private mutating func open(
        _ storePath: String, _ package: (reader: PackageReader, manifest: DocumentManifest?)?, ignoresWAL: Bool
    )
        throws -> SQLitePersistentStore
    {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: storePath))
        description.isReadOnly = true
        description.createsIfMissing = false
        if package != nil { description.journal = .heldByDocument }
        description.ignoresWAL = ignoresWAL
        let info = try SQLiteStoreFile(description.url).modelInfo(ignoresWAL: ignoresWAL)
        let model =
            try chosenModel(fitting: info.versionHashes) ?? package?.reader.model(fitting: info.versionHashes)?.model
        let store = try SQLitePersistentStore.open(
            description, model: model, files: package.map { ContentFolder(inPackage: $0.reader.path).externalValues })
        // All findings have to be of the same state.
        do { try store.holdState() } catch {
            try? store.close()
            throw error
        }
        return store
    }

    /// Checks that the pages of the saved state match the record of the last save.
    private mutating func pages(_ store: SQLitePersistentStore, _ manifest: DocumentManifest) throws {
        guard let recorded = manifest.store.pages else {
            return skip(
                "store",
                "its pages have no sums, as in documents that an older version saved: a value that was altered is not noticed; the next save adds them"
            )
        }
        guard try DocumentMarker(store.metadata())?.generation == manifest.generation else {
            return skip("store", "the sums of its pages are of another save than the one that it has")
        }
        switch try store.withFiles({ try recorded.verdict(onMainFileOf: $0) }) {
        case .same: break
        case .damaged: report("store", DocumentSession.alteredMessage)
        case .changedOutside:
            skip(
                "store",
                "another program has changed it since the last save, so that the sums of its pages do not apply")
        }
    }

    private mutating func marker(_ store: SQLitePersistentStore, _ manifest: DocumentManifest?) throws {
        guard let marker = DocumentMarker(try store.metadata()) else {
            return report("store", "its metadata lack the document's marker")
        }
        guard let manifest else { return }
        if manifest.uuid.uppercased() != store.identity.uuid {
            report(PackageLayout.manifest, "names another store: \(manifest.uuid)")
        }
        if marker.generation < manifest.generation { report("store", "is older than the manifest") }
        // An interrupted migration is not damage: the new model's state is in a WAL that is not
        // saved, or in a save whose manifest the next opening writes.
        guard marker.isSaved, marker.generation == manifest.generation else { return }
        if store.identity.model.versionHashesDigest != manifest.model.digest {
            report(PackageLayout.manifest, "names another model than the store was written with")
        }
        guard isThorough else { return }
        guard manifest.hasCounts else { return skip(PackageLayout.manifest, "has no counts of objects") }
        let counts = try EntityCounts(counting: store).byName
        for (entity, count) in counts.sorted(by: { $0.key < $1.key }) where manifest.entities[entity] != count {
            report(
                PackageLayout.manifest,
                "says \(manifest.entities[entity].map(String.init) ?? "nothing") of \(entity), the store has \(count)")
        }
    }

    /// Checks that the files of all large values exist and match their names.
    private mutating func attachments(_ store: SQLitePersistentStore, _ storePath: String, _ package: String?) throws {
        let files = ExternalValues.besideStore(at: storePath), content = package.map { ContentFolder(inPackage: $0) }
        let names = try store.externalValueNames().sorted()
        if content == nil, !names.isEmpty {
            skip(
                "attachments",
                "the files of large values beside a store have no digests: only that they are there is known")
        }
        for name in names {
            do {
                if let content {
                    try content.check(name, isThorough: isThorough)
                } else if try Disk.kind(of: files.path(name)) != .file {
                    report("attachments", "the file of a large value is missing: \(name)")
                }
            } catch let error as StorageError where error.code == .notFound || error.code == .damaged {
                report("attachments", error.message)
            }
        }
    }
}
