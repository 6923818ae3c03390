internal import Coding
public import Foundation
public import Schema

/// A model in files: one or several versions, read when asked for.
///
/// ```swift
/// let file = try ModelFile(contentsOf: url)          // .xcdatamodeld, .xcdatamodel, .momd or .mom
/// print(file.versionNames)                           // ["Model", "Model 2", "Model 10"]
/// let model = try file.model()                       // the current version
/// ```
///
/// What a file or directory is, is decided by what is in it, never by its extension.
public struct ModelFile: Sendable {
    /// How a model is kept.
    public enum Kind: Sendable, Hashable {
        /// A directory of versions as sources: `.xcdatamodeld`.
        case versionedSource
        /// One model as a source: `.xcdatamodel`, or the file in it.
        case source
        /// A directory of compiled versions: `.momd`.
        case versionedCompiled
        /// One compiled model: `.mom`.
        case compiled
    }

    /// The file or folder that was looked at.
    public let url: URL
    /// How the model is kept, by what was found there.
    public let kind: Kind
    /// The names of the versions, numbers in them in order of value: a hint only, files do not say
    /// in which order versions came.
    public let versionNames: [String]
    /// The version that is read where none is named: the one that the files call current, the only
    /// one, else the last by name.
    public let currentVersionName: String
    /// Whether the files themselves say which version is current, or there is only one.
    public let saysWhichVersionIsCurrent: Bool
    /// The hashes of every version's entities as the tools recorded them when compiling; empty for
    /// sources.
    public let recordedVersionHashes: [String: [String: Data]]
    private let files: [String: URL]

    /// Looks at a model without reading its versions.
    ///
    /// - Throws: ``ModelError`` `notFound` where there is nothing, `unreadable` for something that
    ///   is no model, `permission` or `inputOutput` where that can't be found out.
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

    /// Reads one version, the current one for nil.
    ///
    /// - Throws: ``ModelError`` `notFound` for an unknown version; `unreadable`, `invalid`,
    ///   `permission` and `inputOutput` as for any model.
    public func model(version: String? = nil) throws(ModelError) -> ManagedObjectModel {
        let name = version.map { Self.withoutExtension($0) } ?? currentVersionName
        guard let file = files[name] ?? version.flatMap({ files[$0] }) else {
            throw ModelError(
                .notFound,
                "There is no version “\(name)”, only \(versionNames.map { "“\($0)”" }.joined(separator: ", "))",
                path: url.path)
        }
        return try Self.read(file)
    }

    /// The version whose hashes a store recorded, the current one first; nil where none fits.
    ///
    /// Versions that are no models or make no sense are passed over. Cost: reads versions until one
    /// fits.
    /// - Throws: ``ModelError`` `permission` or `inputOutput` for a version that could not be read:
    ///   it may be the one that fits.
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

    /// One version; nil for a file that is no model.
    private func readableModel(version: String) throws(ModelError) -> ManagedObjectModel? {
        do {
            return try model(version: version)
        } catch  where error.code == .permission || error.code == .inputOutput {
            throw error
        } catch {
            return nil
        }
    }

    /// Reads one file of any kind, by its content.
    package static func read(_ file: URL) throws(ModelError) -> ManagedObjectModel {
        try decode(try ModelFileFinder.contents(of: file), path: file.path)
    }

    /// Reads the bytes of `contents`, `elements` or `.mom`.
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
    /// Reads the current version of a model in files; see ``ModelFile`` for the others.
    ///
    /// - Throws: ``ModelError`` `notFound`, `unreadable`, or `invalid` with everything that is
    ///   wrong in the model.
    public convenience init(contentsOf url: URL) throws(ModelError) {
        try self.init(try ModelFile(contentsOf: url).model().description)
    }
}

extension ManagedObjectModel {
    /// Whether a store with these hashes is one of the whole model or of one of its configurations.
    func fits(_ hashes: [String: Data]) -> Bool {
        isCompatible(withVersionHashes: hashes)
            || description.configurations.keys.contains { isCompatible(withVersionHashes: hashes, configuration: $0) }
    }
}
