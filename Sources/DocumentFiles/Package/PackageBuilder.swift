package import FileSystem
internal import Foundation
internal import ModelFiles
package import SQLiteStore
package import Schema
internal import Storage

/// Makes a new package folder, part by part, at a place where nobody looks yet.
package struct PackageBuilder {
    package let path: String
    package let model: ManagedObjectModel
    package let modelName: String

    /// What the process's mask gives to a new folder.
    private let folderMode: UInt32

    package var storePath: String { FilePath.join(path, PackageLayout.store) }
    package var content: ContentFolder { ContentFolder(inPackage: path) }

    /// Makes the folder with the media type and the model; store and manifest come later.
    init(at path: String, model: ManagedObjectModel, modelName: String) throws {
        self.path = path
        self.model = model
        self.modelName = modelName
        // For this user alone until everything is in it.
        try Disk.makeDirectory(path)
        folderMode = try Disk.status(of: path)?.mode ?? 0o700
        try Disk.setMode(0o700, of: path)
        for folder in [PackageLayout.storeFolder, PackageLayout.content, PackageLayout.models] {
            try Disk.makeDirectory(FilePath.join(path, folder))
        }
        try Disk.replaceFile(
            FilePath.join(path, PackageLayout.mimetype), with: Array("\(PackageLayout.packageType)\n".utf8))
        let modelFolder = "\(path)/\(PackageLayout.models)/\(modelName).xcdatamodel"
        try Disk.makeDirectory(modelFolder)
        try Disk.replaceFile(modelFolder + "/contents", with: Array(ModelContents.encode(model)))
    }

    /// Makes an empty store in the package.
    package func makeStore() throws -> SQLitePersistentStore {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: storePath))
        description.journal = .asFound
        return try SQLitePersistentStore.create(description, model: model, files: content.externalValues)
    }

    /// Writes the manifest and puts everything on the disk. The store must be closed.
    /// - Parameters:
    ///   - protection: That of what the package is made from and of what it replaces.
    ///   - isDurable: False for a package that is only read and then removed: an fsync for each
    ///     file of many thousand takes most of the time.
    package func finish(_ manifest: DocumentManifest, _ protection: FileProtection, isDurable: Bool = true) throws {
        try Disk.replaceFile(FilePath.join(path, PackageLayout.manifest), with: manifest.encoded)
        try protection.protect(path)
        try Disk.setMode(folderMode & protection.folderMode, of: path)
        if isDurable { try Disk.synchronizeTree(path) }
    }

    /// The manifest of this package with this state of its store, which is closed. Reads the store.
    package func manifest(uuid: String, marker: DocumentMarker, counts: EntityCounts) throws -> DocumentManifest {
        var manifest = DocumentManifest(
            uuid: uuid, marker: marker, modelName: modelName, model: model, counts: counts,
            storeBytes: try Disk.status(of: storePath)?.size ?? 0, attachments: try content.attachments())
        manifest.store.pages = try SavedPages(ofFileAt: storePath)
        manifest.files = try FileSums.recorded(inPackage: path)
        manifest.model.note(try PackageReader(path).model(modelName))
        return manifest
    }

    /// The name for a model that has none: its first version identifier where that can be a file's
    /// name.
    package static func name(for model: ManagedObjectModel) -> String {
        guard let identifier = model.definition.versionIdentifiers.first, PackageLayout.isModelName(identifier) else {
            return "Model"
        }
        return identifier
    }
}

extension DocumentManifest {
    init(
        uuid: String, marker: DocumentMarker, modelName: String, model: ManagedObjectModel, counts: EntityCounts,
        storeBytes: Int64,
        attachments: Attachments
    ) {
        self.init(
            format: Self.formatName, formatVersion: Self.currentVersion, minimumReader: 1, uuid: uuid,
            generation: marker.generation,
            created: marker.created, saved: marker.saved,
            model: Model(
                name: modelName, identifiers: model.definition.versionIdentifiers, digest: model.versionHashesDigest),
            store: Store(type: StoreType.sqlite.rawValue, bytes: storeBytes), entities: counts.byName,
            attachments: attachments)
        lastSave = marker.lastSave.map { LastSave(generation: $0.generation, saved: $0.saved) }
    }
}
