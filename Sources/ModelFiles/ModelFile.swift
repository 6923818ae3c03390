internal import Coding
public import Foundation
public import Schema

/// A file or directory with one or more versions of a model. Versions are read on demand.
///
/// ```swift
/// let file = try ModelFile(contentsOf: url)          // .xcdatamodeld, .xcdatamodel, .momd or .mom
/// print(file.versionNames)                           // ["Model", "Model 2", "Model 10"]
/// let model = try file.model()                       // the current version
/// ```
///
/// The kind of file is determined by its content, not by its extension.
public struct ModelFile: Sendable {
    /// The kind of a model file.
    public enum Kind: Sendable, Hashable {
        /// A directory of source versions: `.xcdatamodeld`.
        case versionedSource
        /// A single source model: an `.xcdatamodel`, or the file in it.
        case source
        /// A directory of compiled versions: `.momd`.
        case versionedCompiled
        /// A single compiled model: `.mom`.
        case compiled
    }

    /// The file or directory.
    public let url: URL
    /// The kind of file.
    public let kind: Kind
    /// The names of the versions, sorted with numbers compared by value. The order is a hint only:
    /// files don't record the order of versions.
    public let versionNames: [String]
    /// The version that is read by default: the one that the files mark as current, the only one,
    /// or else the last by name.
    public let currentVersionName: String
    /// Whether the files mark a version as current, or contain only one.
    public let saysWhichVersionIsCurrent: Bool
    /// The version hashes of the entities of each version, as recorded by the compiler; empty for
    /// source files.
    public let recordedVersionHashes: [String: [String: Data]]
    private let files: [String: URL]

    /// Inspects a model file without reading its versions.
    ///
    /// - Throws: ``ModelError`` with code `notFound` if it does not exist, `unreadable` if it is
    ///   not a model, `permission` or `inputOutput` if it can't be read.
    public init(contentsOf url: URL) throws(ModelError) {
        let found = try ModelFileFinder(url)
        self.url = url
        kind = found.kind
        files = found.files
        versionNames = found.files.keys.sorted { ModelFileFinder.precedes($0, $1) }
        recordedVersionHashes = found.recordedHashes
        if let current = found.current, files[current] != nil {
            currentVersionName = current
            saysWhichVersionIsCurrent = true
        } else {
            currentVersionName = versionNames.last ?? ""
            saysWhichVersionIsCurrent = versionNames.count == 1
        }
    }

    /// Reads a version; the current one if `version` is nil.
    ///
    /// - Throws: ``ModelError`` with code `notFound` for an unknown version; `unreadable`,
    ///   `invalid`, `permission` or `inputOutput` if it can't be read.
    public func model(version: String? = nil) throws(ModelError) -> ManagedObjectModel {
        let name = version.map { Self.withoutExtension($0) } ?? currentVersionName
        guard let file = files[name] ?? version.flatMap({ files[$0] }) else {
            throw ModelError(
                .notFound,
                "There is no version “\(name)”, only \(versionNames.map { "“\($0)”" }.joined(separator: ", "))",
                path: url.path)
        }
        return try ReadModels.model(file)
    }

    /// The version with the version hashes of a store, preferably the current one; nil if there is
    /// none.
    ///
    /// Versions that are not valid models are skipped. Versions are read until one matches.
    ///
    /// - Throws: ``ModelError`` with code `permission` or `inputOutput` if a version could not be
    ///   read, because it may be the matching one.
    public func model(matching hashes: [String: Data]) throws(ModelError) -> (name: String, model: ManagedObjectModel)?
    {
        let names = [currentVersionName] + versionNames.reversed().filter { $0 != currentVersionName }
        let recorded = names.filter { recordedVersionHashes[$0] == hashes }
        for name in recorded + names.filter({ !recorded.contains($0) }) {
            guard let model = try readableModel(version: name) else { continue }
            if recorded.contains(name) || model.fits(hashes) { return (name, model) }
        }
        return nil
    }

    /// A version; nil if its file is not a model.
    private func readableModel(version: String) throws(ModelError) -> ManagedObjectModel? {
        do {
            return try model(version: version)
        } catch  where error.code == .permission || error.code == .inputOutput {
            throw error
        } catch {
            return nil
        }
    }

    /// Reads a single file, whose kind is determined by its content.
    package static func read(_ file: URL) throws(ModelError) -> ManagedObjectModel {
        try decode(try ModelFileFinder.contents(of: file), path: file.path)
    }

    /// Decodes the bytes of a `contents`, `elements` or `.mom` file.
    package static func decode(_ data: Data, path: String?) throws(ModelError) -> ManagedObjectModel {
        guard PropertyList.isBinary(data) else { return try ModelContents.decode(data, path: path) }
        let rootClass = try? KeyedArchive(data).root().className
        return rootClass == "XDPMModel"
            ? try LegacyModel.decode(data, path: path) : try CompiledModel.decode(data, path: path)
    }

    private static func withoutExtension(_ name: String) -> String {
        for suffix in [".xcdatamodel", ".mom"] where name.hasSuffix(suffix) {
            return String(name.dropLast(suffix.count))
        }
        return name
    }
}

extension ManagedObjectModel {
    /// Reads the current version of a model file. Use ``ModelFile`` for other versions.
    ///
    /// What Xcode compiles with a warning is read, such as a default value that is none of its
    /// type: ``ManagedObjectModel/warnings`` tells of it.
    ///
    /// - Throws: ``ModelError`` with code `notFound` or `unreadable`, or `invalid` with all errors
    ///   in the model.
    public convenience init(contentsOf url: URL) throws(ModelError) {
        let model = try ModelFile(contentsOf: url).model()
        try self.init(model.definition, warnings: model.warnings)
    }
}

extension ManagedObjectModel {
    /// Whether a store with these version hashes contains the whole model or one of its
    /// configurations.
    func fits(_ hashes: [String: Data]) -> Bool {
        isCompatible(withVersionHashes: hashes)
            || definition.configurations.keys.contains { isCompatible(withVersionHashes: hashes, configuration: $0) }
    }
}
