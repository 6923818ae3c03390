internal import Glibc

extension Disk {
    /// Replaces or makes a small file so that, whatever happens, the old content or the new one is
    /// there, whole; returns when it is durable.
    ///
    /// The new content goes to a hidden file beside it, is synchronized, takes the name by rename,
    /// and the folder is synchronized. Mode and user attributes of an existing file are kept. Where
    /// the last step fails, the new content is in place but may not survive a power cut.
    package static func replaceFile(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o666) throws {
        try replaceFile(path, mode: mode) { try $0.append(bytes) }
    }

    /// Replaces or makes a file whose content `write` produces; `ready` runs when the new file is
    /// durable, just before it takes the name.
    /// - Parameters:
    ///   - folder: Where the new content is written first, on the same file system; nil for beside
    ///     the file. `removeTemporaries(in:)` there takes away what a crash leaves.
    ///   - undoes: Whether the old content is put back where the last step fails, so that what is
    ///     refused is not found done. A crash between the last two steps leaves the old content
    ///     under the temporary name then. Where the kernel or the file system can't exchange two
    ///     names, the new content stays.
    package static func replaceFile(
        _ path: String, mode: UInt32 = 0o666, by folder: String? = nil, undoes: Bool = false,
        writing write: (File) throws -> Void, ready: () throws -> Void = {}
    ) throws {
        let old = try status(of: path)
        if let old, old.kind != .file {
            throw FileSystemError(.unsuitableFile, operation: "replace", path: path, detail: "not a plain file")
        }
        let place = folder.map { FilePath.join($0, FilePath.name(path)) } ?? path
        let temporary = FilePath.sibling(of: place, tag: temporaryTag, id: UniqueName.make())
        var isExchanged = false
        do {
            let file = try File(temporary, .create(mode: mode))
            defer { file.close() }
            if let old {
                try file.setMode(old.mode)
                try FileProtection.open.replacing(path).giveAway(temporary)
                let previous = try File(path, .read)
                try copyAttributes(from: previous.descriptor, to: file.descriptor, temporary)
            }
            try write(file)
            try file.synchronize()
            try ready()
            if undoes { isExchanged = try old == nil ? false : exchangeIfPossible(temporary, path) }
            if !isExchanged { try rename(temporary, to: path) }
        } catch {
            // The first error is the one that counts.
            _ = try? removeFileIfPresent(temporary)
            throw error
        }
        do {
            try synchronizeDirectory(FilePath.parent(path))
        } catch {
            if isExchanged {
                if (try? exchange(temporary, path)) != nil { _ = try? removeFileIfPresent(temporary) }
            } else if undoes, old == nil {
                _ = try? removeFileIfPresent(path)
            }
            if undoes { try? synchronizeDirectory(FilePath.parent(path)) }
            throw error
        }
        // The new content stands whatever becomes of the old.
        if isExchanged { _ = try? removeFileIfPresent(temporary) }
    }

    /// Whether two names were exchanged; false where the kernel or the file system can't.
    private static func exchangeIfPossible(_ one: String, _ other: String) throws -> Bool {
        do {
            try exchange(one, other)
            return true
        } catch let error as FileSystemError where refusesFlags(error) {
            return false
        }
    }

    /// Removes what crashes left of replacing files in a folder. Nobody else may be replacing one
    /// there. Fine where there is no folder.
    package static func removeTemporaries(in folder: String) throws {
        guard try kind(of: folder) == .directory else { return }
        for name in try names(in: folder, followingLink: false, where: { $0.first == UInt8(ascii: ".") }) {
            try removeTemporary(name, in: folder)
        }
    }

    /// Removes a file in a folder if its name says that a crash left it of replacing another one;
    /// answers whether it did.
    @discardableResult
    package static func removeTemporary(_ name: String, in folder: String) throws -> Bool {
        guard isTemporary(name) else { return false }
        let path = FilePath.join(folder, name)
        // Folders of such names are replacements of whole documents, and have a protocol of their
        // own.
        guard try Disk.kind(of: path) == .file else { return false }
        try removeFile(path)
        return true
    }

    /// The mark of names of files that are being written and have no other name yet.
    package static let temporaryTag = "tmp"

    /// Whether a name is that of a file that is being written, or was when its writer was ended.
    package static func isTemporary(_ name: String) -> Bool {
        let mark = ".\(temporaryTag)-", idLength = 36
        guard name.hasPrefix("."), name.utf8.count > mark.utf8.count + idLength, UniqueName.isOne(name.suffix(idLength))
        else { return false }
        return name.dropLast(idLength).hasSuffix(mark)
    }
}
