internal import ArchiveKit
internal import FileSystem
public import Foundation
package import Storage

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
package struct CapturedParts: Sendable {
    package var extra: [ExtraFile] = []
    package var previews: [ExtraFile] = []
    /// Nil where nothing was asked.
    package var description: Description?

    package init(extra: [ExtraFile] = [], previews: [ExtraFile] = [], description: Description? = nil) {
        self.extra = extra
        self.previews = previews
        self.description = description
    }

    package struct Description: Sendable, Hashable {
        package var title: String?
        package var keywords: [String]?

        package init(title: String?, keywords: [String]?) {
            self.title = title
            self.keywords = keywords
        }
    }
}

/// New files that stand beside those that they are to replace.
package struct StagedParts {
    fileprivate struct Part {
        /// Nil where the file is to be taken away.
        var temporary: String?
        /// Beneath the package, as `folder` is.
        var folder: String
        var name: String
        /// What the file is to have in it; nil where it is to be taken away.
        var sum: Manifest.FileSum?
    }

    fileprivate var package = ""
    fileprivate var files: [Part] = []

    /// Takes away what was not put in place.
    package func remove() {
        guard files.contains(where: { $0.temporary != nil }), let root = try? Directory(package) else { return }
        for file in files { if let temporary = file.temporary { _ = try? root.directory(file.folder).removeFile(temporary) } }
    }
}

/// Puts captured files into a package folder: durably beside those that they are to replace, then under their names. Every folder is opened beneath the package, with no link on the way.
struct PartsWriter {
    package let package: String
    /// Whether the folder is the working set of an archive, which has what is not here.
    var isWorkingSet = false

    package func stage(_ parts: CapturedParts) throws -> StagedParts {
        var staged = StagedParts(package: package)
        guard !parts.extra.isEmpty || !parts.previews.isEmpty else { return staged }
        do {
            let root = try Directory(package)
            try removeStrays(parts, root)
            for file in parts.extra { try stage(file, PackageLayout.extra, root, &staged) }
            for file in parts.previews { try? stage(file, PackageLayout.preview, root, &staged) }
            return staged
        } catch {
            staged.remove()
            throw error
        }
    }

    private func stage(_ file: ExtraFile, _ folder: String, _ root: Directory, _ staged: inout StagedParts) throws {
        let target = try place(file.path, folder)
        let content = try file.content(), mark = RemovedParts.mark(of: target)
        try stage(content, target, root, &staged)
        if isWorkingSet { try stage(content == nil ? Data() : nil, mark, root, &staged) }
    }

    private func stage(_ content: Data?, _ target: String, _ root: Directory, _ staged: inout StagedParts) throws {
        let name = FilePath.name(target), path = FilePath.parent(target)
        guard let content else { return staged.files.append(.init(folder: path, name: name)) }
        let folder = try makeFolders(path, root)
        let temporary = FilePath.name(FilePath.sibling(of: name, tag: Disk.temporaryTag, id: UniqueName.make()))
        do {
            let made = try folder.file(temporary, .create())
            defer { made.close() }
            try content.withUnsafeBytes { try made.append($0) }
            try made.synchronize()
        } catch {
            _ = try? folder.removeFile(temporary)
            throw error
        }
        let sum = content.withUnsafeBytes { Manifest.FileSum($0) }
        staged.files.append(.init(temporary: temporary, folder: path, name: name, sum: sum))
    }

    private func makeFolders(_ path: String, _ root: Directory) throws -> Directory {
        var folder = root
        for name in path.split(separator: "/") {
            try folder.makeDirectory(String(name))
            folder = try folder.directory(String(name))
        }
        return folder
    }

    /// The content of an application's file; nil where there is none.
    func read(_ name: String, in folder: String) throws -> Data? {
        let target = try place(name, folder)
        guard let folder = try self.folder(FilePath.parent(target), Directory(package)), try folder.status(of: FilePath.name(target))?.kind == .file else { return nil }
        return try Data(folder.file(FilePath.name(target), refusingHardLinks: true).readAll(limit: .max))
    }

    /// A folder beneath the package; nil where there is none.
    private func folder(_ path: String, _ root: Directory) throws -> Directory? {
        do {
            return try root.directory(path)
        } catch let error as FileSystemError where error.code == .notFound {
            return nil
        }
    }

    /// Removes what a crash has left of files that never took their names.
    private func removeStrays(_ parts: CapturedParts, _ root: Directory) throws {
        let targets = try parts.extra.map { try place($0.path, PackageLayout.extra) } + parts.previews.compactMap { try? place($0.path, PackageLayout.preview) }
        for path in Set(targets.map { FilePath.parent($0) }) {
            guard let folder = try folder(path, root) else { continue }
            for entry in try folder.entries() where entry.kind == .file && entry.name.hasPrefix(".") && UniqueName.isOne(entry.name.suffix(36)) {
                try folder.removeFile(entry.name)
            }
        }
    }

    /// Gives staged files their names, once the save is committed.
    package func place(_ staged: StagedParts) throws {
        guard !staged.files.isEmpty else { return }
        let root = try Directory(package)
        var paths: Set<String> = []
        for file in staged.files {
            if let temporary = file.temporary {
                let folder = try root.directory(file.folder)
                try folder.rename(temporary, to: folder, file.name)
            } else {
                guard let folder = try folder(file.folder, root) else { continue }
                try folder.removeFile(file.name)
            }
            var path = file.folder
            while paths.insert(path).inserted, path.contains("/") { path = FilePath.parent(path) }
        }
        for path in paths.sorted(by: >) { try folder(path, root)?.synchronize() }
        if !paths.isEmpty { try root.synchronize() }
    }

    /// The path of an application's file beneath the package, which must stay beneath its folder and be one that an archive may hold.
    package func place(_ name: String, _ folder: String) throws -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isGood = parts.count <= 8 && parts.allSatisfy {
            !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 200 && !$0.contains("\\") && !$0.contains(":") && !PackageLayout.isTransient($0)
                && !$0.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.properties.generalCategory == .format }
        }
        guard isGood else { throw DocumentError(.usage, "“\(name)” can't be the name of a file in a document", path: package) }
        return "\(folder)/\(name)"
    }
}

extension DocumentSession {
    package func part(_ name: String, in folder: String) throws -> Data? {
        try DocumentError.stage(.reading, path) {
            let whole = "\(folder)/\(name)"
            // Of an archive the working set has what was changed.
            if let package, let data = try PartsWriter(package: package).read(name, in: folder) {
                try checkFile(whole, data.withUnsafeBytes { Manifest.FileSum($0) })
                return data
            }
            guard let reader = place.archive?.reader, reader.directory[whole] != nil else { return nil }
            if let package, try RemovedParts(inWorkingSet: package).contains()(whole) { return nil }
            return try Data(reader.read(whole, limit: .max))
        }
    }

    package func stage(_ parts: CapturedParts) throws -> StagedParts {
        try DocumentError.stage(.writing, path) {
            if let package { return try partsWriter(package).stage(parts) }
            if parts.extra.isEmpty { return StagedParts() }
            throw DocumentError(.unsupported, "a store by itself has no place for files of the application", path: path, hint: "save it as a package")
        }
    }

    private func partsWriter(_ package: String) -> PartsWriter { PartsWriter(package: package, isWorkingSet: place.archive != nil && workingSet != nil) }

    /// Gives staged files their names after the commit, which stands whatever becomes of them; answers what hindered it.
    package func place(_ staged: StagedParts) -> (any Error)? {
        unplacedParts = nil
        guard let package, !staged.files.isEmpty else { return nil }
        let sums = fileSums
        // Until all have their names it is not known which are there.
        fileSums = nil
        do {
            try DocumentError.stage(.describing, path) { try partsWriter(package).place(staged) }
            fileSums = sums
            for file in staged.files { fileSums?[FilePath.join(file.folder, file.name)] = file.sum }
        } catch {
            unplacedParts = error
        }
        return unplacedParts
    }

    /// Puts title and keywords into the commit, which is their true place.
    package func describe(_ parts: CapturedParts, in changes: inout ChangeSet) {
        guard let description = parts.description, manifest != nil else { return }
        if manifest?.title != description.title { changes.metadata["FolioTitle"] = .some(description.title.map { .string($0) }) }
        if manifest?.keywords != description.keywords {
            changes.metadata["FolioKeywords"] = .some(description.keywords.map { .array($0.map { .string($0) }) })
        }
    }

    /// Notes title and keywords for the manifest, now that they are committed.
    package func noteDescription(_ parts: CapturedParts) {
        guard let description = parts.description else { return }
        manifest?.title = description.title
        manifest?.keywords = description.keywords
    }
}
