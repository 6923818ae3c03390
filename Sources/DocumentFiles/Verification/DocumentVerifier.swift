internal import ArchiveKit
internal import AtomicStores
internal import FileSystem
public import Foundation
internal import ModelFiles
internal import SQLiteStore
public import Schema
internal import Storage
internal import Synchronization

/// Holds a document against everything it says of itself.
///
///     for finding in try DocumentVerifier.verify(url) { print(finding) }
public enum DocumentVerifier {
    /// Checks a document part by part; nothing is written anywhere near it.
    /// - Parameters:
    ///   - isThorough: Whether indexes, digests of attachments and counts are checked too.
    ///   - model: The model of a store that carries none.
    /// - Returns: what is wrong; empty for a sound document.
    /// - Throws: `DocumentError` where there is no document to check, or something keeps it from being looked at: the right to read a part, room for a copy, or
    ///   the model of a store that carries none. What resolves the model throws through.
    ///
    /// Reads the whole document.
    public static func verify(_ url: URL, isThorough: Bool = false, model: ManagedObjectModel? = nil) throws -> [DocumentFinding] {
        try verify(url, isThorough: isThorough) { _ in model }
    }

    /// What lies in a document and was put aside, never to be applied: no damage. See ``PersistentDocument/quarantinedFiles()``.
    public static func quarantinedFiles(of url: URL) throws -> [URL] {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package else { return [] }
        return try DocumentError.stage(.reading, document.path) { try DocumentSession.quarantined(in: document.path).map { URL(fileURLWithPath: $0) } }
    }

    /// Whether another program has committed in the store of a package since the last save, by the change counter in its header: no damage, and the next save takes it up. What was changed
    /// without touching the store's first page does not show by that, and counts as damage.
    public static func isChangedOutside(_ url: URL) throws -> Bool {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package else { return false }
        return try DocumentError.stage(.reading, document.path) {
            let session = try DocumentSession.read(document.path) { _ in nil }
            defer { try? session.close() }
            return try session.pageVerdict() == .changedOutside
        }
    }

    package static func verify(
        _ url: URL, isThorough: Bool, fitting model: @escaping @Sendable ([String: Data]) throws -> ManagedObjectModel?
    ) throws -> [DocumentFinding] {
        try DocumentReading.repeating {
            let before = try PartStates(of: url)
            let findings = try verifyOnce(url, isThorough: isThorough, fitting: model)
            // What a writer changed meanwhile is of two states, and no damage.
            let isSame = try findings.isEmpty || PartStates(of: url) == before
            guard isSame else {
                throw DocumentError(.changed, "the document was changed by another program while it was looked at", path: url.path)
            }
            return findings
        }
    }

    /// What writers change of a document, by identity, size and time. A part that can't be looked at has no state here: the check itself says why.
    private struct PartStates: Equatable {
        private var identities: [FileIdentity?] = []

        init(of url: URL) throws {
            let document = try DetectedDocument(url.path)
            switch document.kind {
            case .package:
                for name in [PackageLayout.manifest, PackageLayout.store, PackageLayout.store + "-wal", PackageLayout.content, PackageLayout.versions] {
                    identities.append(Self.identity(FilePath.join(document.path, name)))
                }
            case .archive: identities = [Self.identity(document.path)]
            case .store, .managedDocument:
                let store = document.storePath ?? document.path
                identities = ["", "-wal", "-journal"].map { Self.identity(store + $0) }
            }
        }

        private static func identity(_ path: String) -> FileIdentity? { (try? Disk.identity(of: path)) ?? nil }
    }

    /// Files that a process was writing when it was ended, or that one writes now: no damage, and the next editor removes them.
    package static func unfinishedFiles(of url: URL) throws -> [URL] {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package else { return [] }
        return try DocumentError.stage(.reading, document.path) {
            let reader = try PackageReader(document.path)
            return try [nil, PackageLayout.content, PackageLayout.versions].flatMap { part in
                try (part == nil || reader.kind(of: part ?? "") == .directory ? reader.entries(of: part) ?? [] : []).filter { Disk.isTemporary($0.name) && $0.kind == .file }
                    .map { URL(fileURLWithPath: FilePath.join(part.map { FilePath.join(document.path, $0) } ?? document.path, $0.name)) }
            }
        }
    }

    private static func verifyOnce(
        _ url: URL, isThorough: Bool, fitting model: @escaping @Sendable ([String: Data]) throws -> ManagedObjectModel?
    ) throws -> [DocumentFinding] {
        let document = try DetectedDocument(url.path)
        let obstacle = Mutex<(any Error)?>(nil)
        var check = DocumentCheck(isThorough: isThorough, hasOwnModel: [.package, .archive].contains(document.kind)) { hashes in
            do { return try model(hashes) } catch {
                obstacle.withLock { $0 = $0 ?? error }
                throw error
            }
        }
        switch document.kind {
        case .store where document.storeType != .sqlite: check.store(document.path, type: document.storeType)
        case .store, .managedDocument: check.store(document.path, document.storePath ?? document.path, package: nil)
        case .package: check.package(document.path)
        case .archive: try check.archive(document.path)
        }
        if let error = obstacle.withLock({ $0 }) { throw error }
        return try DocumentError.stage(.reading, document.path) { try check.result() }
    }
}

/// One walk through a document.
private struct DocumentCheck {
    let isThorough: Bool
    /// Whether the document carries its model: one that does not fit is damage then, else a mistake of the caller's.
    let hasOwnModel: Bool
    let resolver: DocumentSession.ModelResolver
    private var findings: [DocumentFinding] = []
    /// What has kept a part from being looked at and says nothing of its content: a finding only beside others.
    private var obstacle: (any Error)?
    private var obstacleCount = 0
    /// The parts that were found to be links or files with another name.
    private var foreignParts: Set<String> = []
    /// More of one kind say nothing new.
    private static let maximumFindings = 1000

    init(isThorough: Bool, hasOwnModel: Bool, resolver: @escaping DocumentSession.ModelResolver) {
        self.isThorough = isThorough
        self.hasOwnModel = hasOwnModel
        self.resolver = resolver
    }

    /// - Throws: what has kept parts from being looked at, where all others are sound.
    func result() throws -> [DocumentFinding] {
        // What was found in a document that changed under the eye may be a mixture of two states.
        if let obstacle, findings.count == obstacleCount || DocumentError.tellsOfChange(obstacle) { throw obstacle }
        return findings
    }

    private mutating func report(_ part: String, _ message: String, object: String? = nil) {
        if findings.count < Self.maximumFindings { findings.append(DocumentFinding(part, message, object: object)) }
    }

    /// Runs one check; what it throws is a finding, and the others go on.
    private mutating func part<Result>(_ name: String, _ body: (inout DocumentCheck) throws -> Result) -> Result? {
        do {
            return try body(&self)
        } catch {
            report(error, as: name)
            return nil
        }
    }

    private mutating func report(_ error: any Error, as name: String) {
        if isObstacle(error) {
            obstacle = obstacle ?? error
            obstacleCount += 1
        }
        switch error {
        case let error as DocumentError: report(name, error.message)
        case let error as StorageError: report(name, error.message)
        case let error as ArchiveError: report(error.entry ?? name, error.messageWithoutPath)
        case let error as FileSystemError: report(name, error.reason)
        default: report(name, "\(error)")
        }
    }

    private func isObstacle(_ error: any Error) -> Bool {
        switch error {
        case let error where DocumentError.tellsOfChange(error): true
        case let error as FileSystemError: [.permissionDenied, .noSpace, .tooManyOpenFiles].contains(error.code)
        case let error as StorageError: [.permission, .full].contains(error.code) || !hasOwnModel && [.noModel, .incompatibleModel].contains(error.code)
        case let error as DocumentError: error.code == .permission || error.underlying.map(isObstacle) ?? false
        default: false
        }
    }

    // MARK: Forms

    /// - Throws: where there is no place to take it apart, which is no damage.
    mutating func archive(_ path: String) throws {
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        let target = FilePath.join(folder, "document")
        let isUnpacked: Void? = part("archive") { check in
            let archive = try ArchiveFile(path)
            if archive.reader.directory.entries.first?.name != PackageLayout.mimetype {
                check.report(PackageLayout.mimetype, "is not the first entry of the archive")
            }
            try archive.reader.extract(to: target)
            try check.sums(archive, FilePath.join(target, PackageLayout.store))
            try Disk.removeFileIfPresent(FilePath.join(target, PackageLayout.storeSums))
        }
        if isUnpacked != nil { package(target) }
    }

    /// The sums of pages that an archive carries are those of its store.
    private mutating func sums(_ archive: ArchiveFile, _ store: String) throws {
        guard archive.reader.directory[PackageLayout.storeSums] != nil else { return }
        guard let sums = try PageSums(archive.reader.directory, in: archive.file) else {
            return report(PackageLayout.storeSums, "are sums of another store's pages")
        }
        let reader = LargeValueReader(try FileInput(File(store))), size = LargeValueReader.pieceSize
        while case let place = reader.offset, let piece = try reader.read(upTo: size) {
            guard try piece.withUnsafeBytes({ try sums.areSound($0, at: place) }) else {
                return report(PackageLayout.storeSums, "do not fit the pages of the store")
            }
        }
    }

    mutating func package(_ path: String) {
        guard let reader = part("document", { _ in try PackageReader(path) }) else { return }
        _ = part(PackageLayout.mimetype) { check in
            if try !PackageLayout.isOwnType(reader.mimetype()) { check.report(PackageLayout.mimetype, "is not that of a document") }
        }
        let manifest = part(PackageLayout.manifest) { check in
            let (manifest, isAltered) = try reader.checkedManifest()
            if isAltered { check.report(PackageLayout.manifest, "is not what was written: its checksum differs") }
            return manifest
        }
        if let manifest { models(reader, manifest) }
        links(path)
        guard part("store", { _ in try reader.checkStore() }) != nil else { return }
        store(path, FilePath.join(path, PackageLayout.store), package: (reader, manifest))
    }

    /// Every part is a plain file or folder of the package's own.
    private mutating func links(_ package: String) {
        ForeignParts.forEach(in: package) { part, found in
            foreignParts.insert(part)
            switch found {
            case .success(let reason): report(part, reason)
            case .failure(let error): report(error, as: part)
            }
        }
    }

    private mutating func models(_ reader: PackageReader, _ manifest: Manifest) {
        let name = "\(PackageLayout.models)/\(manifest.model.name).xcdatamodel"
        _ = part(name) { check in
            let contents = try reader.model(manifest.model.name), model = try ModelContents.decode(Data(contents), path: name)
            if !manifest.model.fits(contents) { check.report(name, "is not what was written: its checksum differs") }
            if model.versionHashesDigest != manifest.model.digest { check.report(name, "is not the model that the manifest names: their digests differ") }
        }
    }

    // MARK: The store

    private static func name(of object: ManagedObjectID) -> String { "\(object.entity.name)/p\(object.key)" }

    /// A store that is read as a whole: what can be opened has the checksums that it should, and its references remain to be followed.
    mutating func store(_ storePath: String, type: StoreType) {
        guard let store = part("store", { check in
            var description = PersistentStoreDescription(url: URL(fileURLWithPath: storePath), type: type)
            description.isReadOnly = true
            description.createsIfMissing = false
            return try BareStore.open(description, model: check.resolver)
        }) else { return }
        defer { try? store.close() }
        _ = part("store") { check in
            for (object, property, target) in try store.danglingReferences() {
                check.report("store", "\(property) leads to \(Self.name(of: target)), which is not there", object: Self.name(of: object))
            }
        }
    }

    mutating func store(_ path: String, _ storePath: String, package: (reader: PackageReader, manifest: Manifest?)?) {
        let isForeign = package != nil && part("store") { _ in try DocumentSession.hasForeignJournal(storePath) } == true
        if isForeign { report("store", "the journal beside it is that of another store or state, and is not applied") }
        guard let store = part("store", { try $0.open(storePath, package, ignoresWAL: isForeign) }) else { return }
        defer { try? store.close() }
        _ = part("store") { check in
            for finding in try store.integrityFindings(isThorough: check.isThorough) { check.report("store", finding) }
        }
        _ = part("store") { check in
            for finding in try store.numberingFindings() { check.report("store", finding) }
            for finding in try store.valueNameFindings() { check.report("store", finding.message, object: finding.object) }
        }
        if isThorough {
            _ = part("store") { check in
                if package != nil { for finding in try store.schemaFindings() { check.report("store", finding) } }
                for finding in try store.referencedEntityFindings() { check.report("store", finding.message, object: finding.object) }
            }
        }
        if let package { _ = part("store") { try $0.marker(store, package.manifest) } }
        if let manifest = package?.manifest { _ = part("store") { try $0.pages(store, manifest) } }
        _ = part("store") { check in
            for finding in try store.referenceFindings() { check.report("store", finding.message, object: finding.object) }
        }
        _ = part("attachments") { try $0.attachments(store, storePath, package?.reader.path) }
        if isThorough, let package, let manifest = package.manifest { _ = part(PackageLayout.extra) { try $0.files(store, manifest, package.reader.path) } }
        if let path = package?.reader.path {
            if isThorough { _ = part(PackageLayout.content) { try $0.content(path) } }
            _ = part(PackageLayout.versions) { try $0.versions(store, path) }
        }
    }

    private func open(_ storePath: String, _ package: (reader: PackageReader, manifest: Manifest?)?, ignoresWAL: Bool) throws -> SQLitePersistentStore {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: storePath))
        description.isReadOnly = true
        description.createsIfMissing = false
        if package != nil { description.journal = .heldByDocument }
        description.ignoresWAL = ignoresWAL
        let info = try SQLitePersistentStore.storedModelInfo(at: description.url, ignoresWAL: ignoresWAL)
        let model = try resolver(info.versionHashes) ?? package?.reader.model(fitting: info.versionHashes)?.model
        let store = try SQLitePersistentStore.open(
            description, model: model, files: package.map { ContentFolder(inPackage: $0.reader.path).externalValues })
        // All findings are of one state.
        do { try store.holdState() } catch {
            try? store.close()
            throw error
        }
        return store
    }

    /// The pages of the saved state are those that the last save wrote.
    private mutating func pages(_ store: SQLitePersistentStore, _ manifest: Manifest) throws {
        guard let recorded = manifest.store.pages, try DocumentMarker(store.metadata())?.generation == manifest.generation else { return }
        if try store.withFiles({ try recorded.verdict(onMainFileOf: $0) }) == .damaged { report("store", DocumentSession.alteredMessage) }
    }

    /// The application's own files and the previews are those that the last save wrote.
    private mutating func files(_ store: SQLitePersistentStore, _ manifest: Manifest, _ package: String) throws {
        guard let recorded = manifest.files, try DocumentMarker(store.metadata())?.generation == manifest.generation else { return }
        for finding in try FileSums.findings(recorded, inPackage: package) where !foreignParts.contains(finding.name) { report(finding.name, finding.reason) }
    }

    private mutating func marker(_ store: SQLitePersistentStore, _ manifest: Manifest?) throws {
        guard let marker = DocumentMarker(try store.metadata()) else { return report("store", "its metadata lack the document's marker") }
        guard let manifest else { return }
        if manifest.uuid.uppercased() != store.identity.uuid { report(PackageLayout.manifest, "names another store: \(manifest.uuid)") }
        if marker.generation < manifest.generation { report("store", "is older than the manifest") }
        // A migration that was stopped is no damage: its model stands in a WAL that is not saved, or in a save whose manifest the next opening writes.
        guard marker.isSaved, marker.generation == manifest.generation else { return }
        if store.identity.model.versionHashesDigest != manifest.model.digest { report(PackageLayout.manifest, "names another model than the store was written with") }
        guard isThorough else { return }
        let counts = try EntityCounts(counting: store).byName
        for (entity, count) in counts.sorted(by: { $0.key < $1.key }) where manifest.entities[entity] != count {
            report(PackageLayout.manifest, "says \(manifest.entities[entity].map(String.init) ?? "nothing") of \(entity), the store has \(count)")
        }
    }

    /// Every large value has its file, and the file what its name says.
    private mutating func attachments(_ store: SQLitePersistentStore, _ storePath: String, _ package: String?) throws {
        let files = ExternalValues.besideStore(at: storePath), content = package.map { ContentFolder(inPackage: $0) }
        for name in try store.externalValueNames().sorted() {
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

    /// Every file under `content/`, referred to or not, is what its name says, and in its place.
    private mutating func content(_ package: String) throws {
        let folder = ContentFolder(inPackage: package)
        let root = try Directory(package)
        guard try root.status(of: PackageLayout.content)?.kind == .directory else { return }
        let groups = try root.directory(PackageLayout.content)
        for group in try groups.entries() {
            if group.kind == .file, Disk.isTemporary(group.name) { continue }
            let name = FilePath.join(PackageLayout.content, group.name)
            guard group.kind == .directory else {
                if !foreignParts.contains(name) { report(PackageLayout.content, "“\(group.name)” has no place there") }
                continue
            }
            let files = try groups.directory(group.name)
            for entry in try files.entries() {
                if foreignParts.contains(FilePath.join(name, entry.name)) { continue }
                guard entry.kind == .file, folder.file(entry.name) == FilePath.join(files.path, entry.name) else {
                    report(PackageLayout.content, "“\(group.name)/\(entry.name)” has no place there")
                    continue
                }
                if try ContentFolder.name(of: files.file(entry.name)) != entry.name {
                    report(PackageLayout.content, "\(entry.name) is not what its name says")
                }
            }
        }
    }

    /// The files of every earlier version are there; each can be restored as it was, where the check is thorough.
    private mutating func versions(_ store: SQLitePersistentStore, _ package: String) throws {
        let folder = FilePath.join(package, PackageLayout.versions)
        guard try Disk.kind(of: folder) == .directory else { return }
        let versions = VersionStore(folder: folder)
        if try VersionIndex.isAltered(in: folder) { report("\(PackageLayout.versions)/\(VersionIndex.fileName)", "is not what was written: its checksum differs") }
        let list = try versions.list(), missing = try versions.missingFiles()
        for file in missing.files { report(PackageLayout.versions, "the file of version \(file.generation) is missing: \(file.name)") }
        let unmakeable = list.filter { missing.unmakeable.contains($0.number) }.map { "\($0.generation)" }
        if !unmakeable.isEmpty { report(PackageLayout.versions, "can't be restored any more: \(unmakeable.count == 1 ? "version" : "versions") \(unmakeable.joined(separator: ", "))") }
        guard isThorough else { return }
        let scratch = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(scratch) }
        for version in list where !missing.unmakeable.contains(version.number) {
            let target = FilePath.join(scratch, "\(version.number)")
            do {
                try store.withFiles { try versions.restore(version.number, from: $0, to: target) }
                try Disk.removeFileIfPresent(target)
            } catch let error as DocumentError where error.code == .malformed {
                report(PackageLayout.versions, error.message)
            }
        }
    }
}
