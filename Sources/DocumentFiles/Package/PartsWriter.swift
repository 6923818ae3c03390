internal import FileSystem
internal import Foundation

/// Writes captured files to a package: durably under temporary names first, then under their names.
/// All folders are opened relative to the package, without following symbolic links.
struct PartsWriter {
    let package: String
    /// Whether the folder is the working set of an archive, which contains the other files.
    var isWorkingSet = false

    func stage(_ parts: CapturedParts) throws -> StagedParts {
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
        let sum = content.withUnsafeBytes { DocumentManifest.FileSum($0) }
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

    /// The content of an application's file; nil if it does not exist.
    func read(_ name: String, in folder: String) throws -> Data? {
        let target = try place(name, folder)
        guard let folder = try self.folder(FilePath.parent(target), Directory(package)),
            try folder.status(of: FilePath.name(target))?.kind == .file
        else { return nil }
        return try Data(folder.file(FilePath.name(target), refusingHardLinks: true).readAll(limit: .max))
    }

    /// Opens a folder of the package; nil if it does not exist.
    private func folder(_ path: String, _ root: Directory) throws -> Directory? {
        do {
            return try root.directory(path)
        } catch let error as FileSystemError where error.code == .notFound {
            return nil
        }
    }

    /// Removes temporary files that a crash has left.
    private func removeStrays(_ parts: CapturedParts, _ root: Directory) throws {
        let targets =
            try parts.extra.map { try place($0.path, PackageLayout.extra) }
            + parts.previews.compactMap { try? place($0.path, PackageLayout.preview) }
        for path in Set(targets.map { FilePath.parent($0) }) {
            guard let folder = try folder(path, root) else { continue }
            for entry in try folder.entries()
            where entry.kind == .file && entry.name.hasPrefix(".") && UniqueName.isOne(entry.name.suffix(36)) {
                try folder.removeFile(entry.name)
            }
        }
    }

    /// Renames staged files to their final names after the commit of the save.
    func place(_ staged: StagedParts) throws {
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

    /// The path of an application's file relative to the package. Throws if it is not valid in a
    /// document or an archive.
    func place(_ name: String, _ folder: String) throws -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isGood =
            parts.count <= 8
            && parts.allSatisfy {
                !$0.isEmpty && $0 != "." && $0 != ".." && $0.utf8.count <= 200 && !$0.contains("\\")
                    && !$0.contains(":") && !PackageLayout.isTransient($0)
                    && !$0.unicodeScalars.contains {
                        $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
                    }
            }
        guard isGood else {
            throw DocumentError(.usage, "“\(name)” can't be the name of a file in a document", path: package)
        }
        return "\(folder)/\(name)"
    }
}
