internal import Glibc

extension Disk {
    /// Replaces or creates a small file atomically and durably: after a crash, either the old
    /// content or the new content is complete.
    ///
    /// The new content is written to a hidden file beside the target and synchronized. Then the
    /// file is renamed and the folder is synchronized. Owner, group, mode, access list and user
    /// attributes of an existing file are kept. If the last step fails, the new content is in
    /// place but may not survive a power failure.
    package static func replaceFile(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o666) throws {
        try replaceFile(path, mode: mode) { try $0.append(bytes) }
    }

    /// Replaces or creates a file with the content that `write` produces. `ready` is called when
    /// the new file is durable, just before it is renamed.
    /// - Parameters:
    ///   - folder: The folder for the temporary file, on the same file system; nil for the folder
    ///     of the target. `removeTemporaries(in:)` removes files that remain there after a crash.
    ///   - undoes: Whether the old content is restored if the last step fails, so that a failed
    ///     call has no effect. In this mode a crash between the last two steps leaves the old
    ///     content under the temporary name. If the kernel or the file system can't exchange two
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
            if old != nil {
                try AccessRights(of: path)?.give(to: temporary)
                let previous = try File(path, .read)
                try copyAttributes(from: previous.descriptor, to: file.descriptor, temporary)
            }
            try write(file)
            try file.synchronize()
            try ready()
            if undoes { isExchanged = try old == nil ? false : exchangeIfPossible(temporary, path) }
            if !isExchanged { try rename(temporary, to: path) }
        } catch {
            // An error of removing the file must not hide the original error.
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
        // The replacement is complete; an error of removing the old file does not matter.
        if isExchanged { _ = try? removeFileIfPresent(temporary) }
    }

    /// Exchanges two names; returns false if the kernel or the file system does not support it.
    private static func exchangeIfPossible(_ one: String, _ other: String) throws -> Bool {
        do {
            try exchange(one, other)
            return true
        } catch let error as FileSystemError where refusesFlags(error) {
            return false
        }
    }

    /// Removes temporary files that crashes left in a folder. Nothing may be replacing files there
    /// concurrently. Has no effect if the folder does not exist.
    package static func removeTemporaries(in folder: String) throws {
        guard try kind(of: folder) == .directory else { return }
        for name in try names(in: folder, followingLink: false, where: { $0.first == UInt8(ascii: ".") }) {
            try removeTemporary(name, in: folder)
        }
    }

    /// Removes a file in a folder if its name is that of a temporary file. Returns whether the file
    /// was removed.
    @discardableResult
    package static func removeTemporary(_ name: String, in folder: String) throws -> Bool {
        guard isTemporary(name) else { return false }
        let path = FilePath.join(folder, name)
        // Folders with such names belong to replacements of whole documents, which have their own
        // protocol.
        guard try Disk.kind(of: path) == .file else { return false }
        try removeFile(path)
        return true
    }

    /// The tag in the names of temporary files.
    package static let temporaryTag = "tmp"

    /// Whether a name is that of a temporary file.
    package static func isTemporary(_ name: String) -> Bool {
        let mark = ".\(temporaryTag)-", idLength = 36
        guard name.hasPrefix("."), name.utf8.count > mark.utf8.count + idLength, UniqueName.isOne(name.suffix(idLength))
        else { return false }
        return name.dropLast(idLength).hasSuffix(mark)
    }
}
