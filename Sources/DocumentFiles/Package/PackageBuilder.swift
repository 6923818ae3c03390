package import FileSystem
internal import Foundation
internal import ModelFiles
package import SQLiteStore
package import Schema
internal import Storage

/// Builds a new package, part by part, at a temporary location.
package struct PackageBuilder {
    package let path: String
    package let model: ManagedObjectModel
    package let modelName: String

    /// The default mode of a new folder, according to the process's umask.
    private let folderMode: UInt32

    package var storePath: String { FilePath.join(path, PackageLayout.store) }
    package var content: ContentFolder { ContentFolder(inPackage: path) }

    /// Creates the folder with the media type and the model. The store and the manifest are written
    /// later.
    init(at path: String, model: ManagedObjectModel, modelName: String) throws {
        self.path = path
        self.model = model
        self.modelName = modelName
        try PackageLayout.checkPlace(FilePath.parent(path))
        // Only accessible for this user until the package is complete.
        try Disk.makeDirectory(path)
        folderMode = try Disk.status(of: path)?.mode ?? 0o700
        try Disk.setMode(0o700 | folderMode & FileProtection.groupRule, of: path)
        for folder in [PackageLayout.storeFolder, PackageLayout.content, PackageLayout.models] {
            try Disk.makeDirectory(FilePath.join(path, folder))
        }
        try Disk.replaceFile(
            FilePath.join(path, PackageLayout.mimetype), with: Array("\(PackageLayout.packageType)\n".utf8))
        let modelFolder = "\(path)/\(PackageLayout.models)/\(modelName).xcdatamodel"
        try Disk.makeDirectory(modelFolder)
        try Disk.replaceFile(modelFolder + "/contents", with: Array(ModelContents.encode(model)))
    }

    /// Creates an empty store in the package.
    package func makeStore() throws -> SQLitePersistentStore {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: storePath))
        description.journal = .asFound
        return try SQLitePersistentStore.create(description, model: model, files: content.externalValues)
    }

    /// Writes the manifest and makes the package durable. The store must be closed.
    /// - Parameters:
    ///   - protection: The protection of the source of the package and of the item that it
    ///     replaces.
    ///   - isDurable: False for a temporary package, because an fsync of many thousand files would
    ///     take most of the time.
    package func finish(_ manifest: DocumentManifest, _ protection: FileProtection, isDurable: Bool = true) throws {
        try Disk.replaceFile(FilePath.join(path, PackageLayout.manifest), with: manifest.encoded)
        try protection.protect(path)
        guard !protection.replacesFolder else { return isDurable ? try Disk.synchronizeTree(path) : () }
        try Disk.setMode(folderMode & (protection.folderMode | FileProtection.groupRule), of: path)
        if isDurable { try Disk.synchronizeTree(path) }
    }

    /// The manifest for this package with its closed store. Reads the store.
    package func manifest(uuid: String, marker: DocumentMarker, counts: EntityCounts) throws -> DocumentManifest {
        var manifest = DocumentManifest(
            uuid: uuid, marker: marker, modelName: modelName, model: model, counts: counts,
            storeBytes: try Disk.status(of: storePath)?.size ?? 0, attachments: try content.attachments())
        manifest.store.pages = try SavedPages(ofFileAt: storePath)
        manifest.files = try FileSums.recorded(inPackage: path)
        manifest.model.note(try PackageReader(path).model(modelName))
        return manifest
    }

    /// The default name of a model: its first version identifier, if that is a valid file name.
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
