internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import ModelFiles
internal import RowMemory
internal import SQLiteStore
internal import Schema
internal import Storage

/// Builds a valid package from the parts of a damaged document.
struct RepairWork {
    let source: RepairSource
    let model: ModelChoice
    let scratch: String
    private(set) var lost: [DocumentFinding]
    private(set) var notes: [String] = []
    private(set) var counts: [String: Int] = [:]
    private(set) var modelName = "Model"
    private var manifest: DocumentManifest?
    private var models: [(name: String, model: ManagedObjectModel)] = []

    init(source: RepairSource, model: ModelChoice, scratch: String) {
        self.source = source
        self.model = model
        self.scratch = scratch
        lost = source.lost
    }

    private mutating func report(_ part: String, _ message: String, object: String? = nil) {
        lost.append(DocumentFinding(part, message, object: object))
    }

    /// Builds the package.
    /// - Returns: The path of the package in the temporary folder.
    mutating func makePackage() throws -> String {
        readParts()
        let salvager = try openStore()
        defer { try? salvager.close() }
        let model = salvager.identity.model
        modelName = models.first { $0.model == model }?.name ?? manifest?.model.name ?? PackageBuilder.name(for: model)
        let path = FilePath.join(scratch, "saved.folio")
        let builder = try PackageBuilder(at: path, model: model, modelName: modelName)
        let store = try builder.makeStore()
        do {
            try copyRows(salvager, to: store)
            try GreatestKeys(salvager.greatestKeys, model).hold(in: store)
            for finding in try salvager.findings + salvager.lostCells() {
                report("store", finding.message, object: finding.object)
            }
            for finding in try store.removeDanglingReferences() + store.missingValueFindings() {
                report("store", finding.message, object: finding.object)
            }
            var marker = DocumentMarker()
            if let created = DocumentMarker(salvager.metadata)?.created ?? manifest?.created {
                marker.created = created
            }
            var changes = ChangeSet()
            for (key, value) in salvager.metadata where !key.hasPrefix("NS") && !key.hasPrefix("_NS") {
                changes.metadata[key] = value
            }
            changes.metadata.merge(marker.metadata) { $1 }
            _ = try store.apply(changes)
            let entityCounts = try EntityCounts(counting: store)
            counts = entityCounts.byName
            compareCounts(DocumentMarker(salvager.metadata))
            let uuid = store.identity.uuid
            try store.closeAsOneFile()
            copyExtras(to: path)
            var next = try builder.manifest(uuid: uuid, marker: marker, counts: entityCounts)
            next.title = manifest?.title
            next.keywords = manifest?.keywords
            try builder.finish(next, .open, isDurable: false)
        } catch {
            try? store.close()
            throw error
        }
        return path
    }

    // MARK: Parts

    /// Reads the manifest and the models as far as possible.
    private mutating func readParts() {
        guard let package = source.package else { return }
        do {
            let reader = try PackageReader(package)
            do { manifest = try reader.checkedManifest().manifest } catch {
                report(PackageLayout.manifest, "\(Self.reason(error)): it is made anew, without title and keywords")
            }
            for name in try reader.modelNames() {
                let part = "\(PackageLayout.models)/\(name).xcdatamodel"
                do {
                    models.append((name, try ModelContents.decode(Data(reader.model(name)), path: part)))
                } catch {
                    report(part, Self.reason(error))
                }
            }
            if try Disk.exists(FilePath.join(package, PackageLayout.versions)) {
                notes.append("the earlier versions stay with the old document")
            }
        } catch {
            report("document", Self.reason(error))
        }
    }

    /// Compares the object counts with those of a manifest of the same save, because rows may be
    /// lost without any other sign.
    private mutating func compareCounts(_ marker: DocumentMarker?) {
        guard let manifest, let marker, !marker.hasUnsavedWork, marker.generation == manifest.generation else { return }
        for (name, count) in manifest.entities.sorted(by: { $0.key < $1.key }) where counts[name] != count {
            report("store", "the manifest counts \(count) objects, \(counts[name] ?? 0) are there", object: name)
        }
    }

    /// Copies the application's files, one by one.
    private mutating func copyExtras(to target: String) {
        guard let package = source.package, let root = try? Directory(package),
            (try? root.status(of: PackageLayout.extra))?.kind == .directory
        else { return }
        // The entries of an archive were extracted to a temporary folder as regular files with
        // valid names, so they can be moved. Copying many thousand files would take most of the
        // time.
        if source.form == .archive,
            (try? Disk.rename(
                FilePath.join(package, PackageLayout.extra), to: FilePath.join(target, PackageLayout.extra))) != nil
        {
            try? MergeStates.remove(from: target)
            return
        }
        copyFiles(PackageLayout.extra, beneath: root, to: target)
    }

    private mutating func copyFiles(
        _ name: String, beneath parent: Directory, _ place: String? = nil, to target: String
    ) {
        let path = place ?? name
        if path == PackageLayout.mergeStates { return }
        do {
            let folder = try parent.directory(name)
            for entry in try folder.entries() where !PackageLayout.isTransient(entry.name[...]) {
                let name = path + "/" + entry.name
                switch entry.kind {
                case .directory: copyFiles(entry.name, beneath: folder, name, to: target)
                case .file:
                    do {
                        let copy = FilePath.join(target, name)
                        try Disk.makeDirectories(FilePath.parent(copy))
                        try Disk.copyFile(folder.file(entry.name, refusingHardLinks: true), to: copy)
                    } catch {
                        report(name, Self.reason(error))
                    }
                case .symbolicLink, .other: report(name, "is neither a plain file nor a folder, and is left out")
                }
            }
        } catch {
            report(path, Self.reason(error))
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as DocumentError: error.message
        case let error as FileSystemError: error.reason
        case let error as ArchiveError: error.messageWithoutPath
        case let error as StorageError: error.message
        default: "\(error)"
        }
    }

    // MARK: The store

    private func openStore() throws -> StoreSalvager {
        let models = models, choice = model
        func resolve(_ hashes: [String: Data]) throws -> ManagedObjectModel? {
            if let given = try choice.model(fitting: hashes) { return given }
            if let fitting = models.first(where: { $0.model.isCompatible(withVersionHashes: hashes) }) {
                return fitting.model
            }
            // Without version hashes, the model is only certain if there is just one.
            return hashes.isEmpty && models.count == 1 ? models[0].model : nil
        }
        return try StoreSalvager(copyAt: source.store, files: source.values, resolvingModel: resolve)
    }

    private mutating func copyRows(_ salvager: StoreSalvager, to store: SQLitePersistentStore) throws {
        var findings: [DocumentFinding] = []
        let entities = salvager.identity.model.entities
        try salvager.forEachBatch { batch in
            try Task.checkCancellation()
            var groups: [Int: RowBatch] = [:]
            for index in 0..<batch.count {
                let row = groups[batch[index].entityIndex, default: RowBatch()].append(copyOf: batch[index])
                findings += checkValues(row, entities[row.entityIndex])
            }
            for (entityIndex, rows) in groups.sorted(by: { $0.key < $1.key }) {
                findings += try insert(rows, entities[entityIndex], store)
            }
        }
        try salvager.forEachChange { changes in
            try Task.checkCancellation()
            _ = try store.apply(changes)
        }
        lost += findings
    }

    /// Removes values whose file can't be read.
    private func checkValues(_ row: Row, _ entity: EntityDescription) -> [DocumentFinding] {
        var findings: [DocumentFinding] = []
        for slot in row.layout.slots where slot.kind == .large {
            guard let value = row.large(slot), let name = value.fileName else { continue }
            let object = "\(entity.name)/p\(row.key)", property = entity.properties[Int(slot.index)].name
            do {
                // Reads the whole value, even without a name to compare.
                let found = try ContentFolder.name(of: value)
                if source.package != nil, found != name {
                    findings.append(
                        DocumentFinding(
                            "attachments", "\(property) is not what was written: it is kept as it is", object: object))
                }
            } catch {
                row.clear(slot)
                findings.append(
                    DocumentFinding("attachments", "the file of \(property) can't be read: \(name)", object: object))
            }
        }
        return findings
    }

    /// Inserts rows. Rows that violate a uniqueness constraint are left out and reported.
    private func insert(_ rows: RowBatch, _ entity: EntityDescription, _ store: SQLitePersistentStore) throws
        -> [DocumentFinding]
    {
        var changes = ChangeSet()
        changes.insertions = [ChangeSet.Insertions(entityIndex: entity.index, rows: rows)]
        do {
            _ = try store.apply(changes)
            return []
        } catch let error as StorageError where error.code == .constraint {
            guard rows.count > 1 else {
                return [
                    DocumentFinding(
                        "store", "can't be kept: \(error.message)", object: "\(entity.name)/p\(rows[0].key)")
                ]
            }
            var halves = [RowBatch(), RowBatch()]
            for index in 0..<rows.count { _ = halves[index * 2 / rows.count].append(copyOf: rows[index]) }
            return try halves.flatMap { try insert($0, entity, store) }
        }
    }
}
