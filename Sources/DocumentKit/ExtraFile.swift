internal import ArchiveKit
internal import FileSystem
public import Foundation
internal import Storage

/// A file of the application's own, or a preview, that a save puts into the document.
public struct ExtraFile: Sendable {
    /// Where it is beneath `extra/` or `preview/`: plain names, with slashes between them.
    public var path: String
    /// Makes the content; called off the document's owner. Nil takes the file away.
    public var content: @Sendable () throws -> Data?

    public init(_ path: String, content: @escaping @Sendable () throws -> Data?) {
        self.path = path
        self.content = content
    }
}

/// What a save takes from the document beside its objects, when it begins.
struct CapturedParts: Sendable {
    var extra: [ExtraFile] = []
    var previews: [ExtraFile] = []
    /// Nil where nothing was asked.
    var description: Description?

    struct Description: Sendable, Hashable {
        var title: String?
        var keywords: [String]?
    }
}

/// New files that stand beside those that they are to replace.
struct StagedParts {
    fileprivate var files: [(temporary: String?, target: String)] = []

    /// Takes away what was not put in place.
    func remove() {
        for file in files { if let temporary = file.temporary { _ = try? Disk.removeFileIfPresent(temporary) } }
    }
}

extension PersistentDocument {
    func capturedParts() throws -> CapturedParts {
        // A preview that can't be made is none.
        let previews = (try? preview()) ?? []
        return try CapturedParts(extra: extraContent(), previews: previews, description: .init(title: title, keywords: keywords))
    }

    /// Reads a file of the application's own as it was last saved; nil where there is none.
    /// - Throws: `DocumentError`.
    public func extraFile(_ path: String) async throws -> Data? { try await away { try $0.part(path, in: PackageLayout.extra) } }

    /// Reads a preview of the document as it was last saved; nil where there is none.
    /// - Throws: `DocumentError`.
    public func previewFile(_ path: String) async throws -> Data? { try await away { try $0.part(path, in: PackageLayout.preview) } }
}

/// Puts captured files into a package folder: durably beside those that they are to replace, then under their names.
struct PartsWriter {
    let package: String
    /// Whether the folder is the working set of an archive, which has what is not here.
    var isWorkingSet = false

    func stage(_ parts: CapturedParts) throws -> StagedParts {
        var staged = StagedParts()
        guard !parts.extra.isEmpty || !parts.previews.isEmpty else { return staged }
        do {
            try removeStrays(parts)
            for file in parts.extra { try stage(file, PackageLayout.extra, &staged) }
            for file in parts.previews { try? stage(file, PackageLayout.preview, &staged) }
            return staged
        } catch {
            staged.remove()
            throw error
        }
    }

    private func stage(_ file: ExtraFile, _ folder: String, _ staged: inout StagedParts) throws {
        let target = try place(file.path, folder)
        let content = try file.content(), mark = RemovedParts(inWorkingSet: package).mark(of: "\(folder)/\(file.path)")
        if let content { try stage(content, target, &staged) } else { staged.files.append((nil, target)) }
        guard isWorkingSet else { return }
        if content == nil { try stage(Data(), mark, &staged) } else { staged.files.append((nil, mark)) }
    }

    private func stage(_ content: Data, _ target: String, _ staged: inout StagedParts) throws {
        try Disk.makeDirectories(FilePath.parent(target))
        let temporary = FilePath.sibling(of: target, tag: Disk.temporaryTag, id: UniqueName.make())
        do {
            let made = try File(temporary, .create())
            try content.withUnsafeBytes { try made.append($0) }
            try made.synchronize()
        } catch {
            _ = try? Disk.removeFileIfPresent(temporary)
            throw error
        }
        staged.files.append((temporary, target))
    }

    /// Removes what a crash has left of files that never took their names.
    private func removeStrays(_ parts: CapturedParts) throws {
        let targets = try parts.extra.map { try place($0.path, PackageLayout.extra) } + parts.previews.compactMap { try? place($0.path, PackageLayout.preview) }
        for folder in Set(targets.map { FilePath.parent($0) }) where try Disk.kind(of: folder) == .directory {
            for entry in try Disk.list(folder) where entry.kind == .file && entry.name.hasPrefix(".") && UniqueName.isOne(entry.name.suffix(36)) {
                try Disk.removeFileIfPresent(FilePath.join(folder, entry.name))
            }
        }
    }

    /// Gives staged files their names, once the save is committed.
    func place(_ staged: StagedParts) throws {
        var folders: Set<String> = []
        for file in staged.files {
            if let temporary = file.temporary { try Disk.rename(temporary, to: file.target) } else { try Disk.removeFileIfPresent(file.target) }
            var folder = FilePath.parent(file.target)
            while folder != package, folders.insert(folder).inserted { folder = FilePath.parent(folder) }
        }
        if !folders.isEmpty { folders.insert(package) }
        for folder in folders.sorted(by: >) where try Disk.exists(folder) { try Disk.synchronizeDirectory(folder) }
    }

    /// The path of an application's file, which must stay beneath its folder and be one that an archive may hold.
    func place(_ name: String, _ folder: String) throws -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isGood = parts.count <= 8 && parts.allSatisfy {
            !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 200 && !$0.contains("\\") && !$0.contains(":") && !PackageLayout.isTransient($0)
                && !$0.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.properties.generalCategory == .format }
        }
        guard isGood else { throw DocumentError(.usage, "“\(name)” can't be the name of a file in a document", path: package) }
        return "\(package)/\(folder)/\(name)"
    }
}

extension DocumentSession {
    fileprivate func part(_ name: String, in folder: String) throws -> Data? {
        try DocumentError.stage(.reading, path) {
            let whole = "\(folder)/\(name)"
            if let package, try Disk.kind(of: PartsWriter(package: package).place(name, folder)) == .file {
                return try Data(Directory(package).read(whole, limit: .max))
            }
            guard let reader = place.archive?.reader, reader.directory[whole] != nil else { return nil }
            if let package, try RemovedParts(inWorkingSet: package).contains()(whole) { return nil }
            return try Data(reader.read(whole, limit: .max))
        }
    }

    func stage(_ parts: CapturedParts) throws -> StagedParts {
        try DocumentError.stage(.writing, path) {
            if let package { return try partsWriter(package).stage(parts) }
            if parts.extra.isEmpty { return StagedParts() }
            throw DocumentError(.unsupported, "a store by itself has no place for files of the application", path: path, hint: "save it as a package")
        }
    }

    private func partsWriter(_ package: String) -> PartsWriter { PartsWriter(package: package, isWorkingSet: place.archive != nil && workingSet != nil) }

    /// Gives staged files their names after the commit, which stands whatever becomes of them; answers what hindered it.
    func place(_ staged: StagedParts) -> (any Error)? {
        guard let package, !staged.files.isEmpty else { return nil }
        do {
            try DocumentError.stage(.describing, path) { try partsWriter(package).place(staged) }
            return nil
        } catch {
            return error
        }
    }

    /// Puts title and keywords into the commit, which is their true place.
    func describe(_ parts: CapturedParts, in changes: inout ChangeSet) {
        guard let description = parts.description, manifest != nil else { return }
        if manifest?.title != description.title { changes.metadata["FolioTitle"] = .some(description.title.map { .string($0) }) }
        if manifest?.keywords != description.keywords {
            changes.metadata["FolioKeywords"] = .some(description.keywords.map { .array($0.map { .string($0) }) })
        }
    }

    /// Notes title and keywords for the manifest, now that they are committed.
    func noteDescription(_ parts: CapturedParts) {
        guard let description = parts.description else { return }
        manifest?.title = description.title
        manifest?.keywords = description.keywords
    }
}
