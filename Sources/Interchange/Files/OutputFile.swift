import DocumentFiles
import Folio
import Foundation

/// A result file that is created atomically: written to a temporary file beside its path, then
/// renamed. If the path is a symbolic link, its target is replaced. Devices and pipes are written
/// directly.
package final class OutputFile {
    package let sink: ByteSink
    private let path: String
    /// The path of the file with symbolic links resolved.
    private let target: String
    /// The path of the temporary file; nil for files that are written directly.
    private let temporary: String?
    private let registry: (any UnfinishedFiles)?

    /// - Parameters:
    ///   - sources: The documents, models and files that the content comes from, as given on the
    ///     command line. The file must not be within one of them, or replace it.
    ///   - targets: The documents that the command creates, which need not exist yet. The same
    ///     applies to them.
    ///   - registry: Knows of the temporary file until it is finished or removed.
    package init(
        path: String, of sources: [String], besides targets: [String] = [], registry: (any UnfinishedFiles)? = nil
    ) throws {
        func failure(_ reason: String) -> InterchangeError {
            InterchangeError(.cannotCreate, "cannotCreate", "can't create the file: \(reason)", path: path)
        }
        self.path = path
        self.registry = registry
        let place = ResolvedPath(path)
        try Self.refuse(path, in: sources)
        for target in targets where place.text == ResolvedPath(target).text || place.lies(in: ResolvedPath(target)) {
            throw InterchangeError.usage(
                "\(path) would lie in \(target), or in its place", hint: "choose another place")
        }
        target = place.text
        var status = stat()
        let isThere = stat(target, &status) == 0
        // The name must be checked here, because the temporary file has another, shorter one.
        if !isThere, errno == ENAMETOOLONG { throw failure(String(cString: strerror(errno))) }
        switch isThere ? status.st_mode & S_IFMT : S_IFREG {
        case S_IFREG:
            let folder = URL(fileURLWithPath: target).deletingLastPathComponent().path
            Self.removeLeftovers(in: folder)
            let name = "\(folder)/\(Self.temporaryPrefix)\(UUID().uuidString)"
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isThere ? 0o600 : 0o666)
            guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
            // A file that nobody locks is one that a killed process has left.
            flock(descriptor, LOCK_EX | LOCK_NB)
            if isThere { try? TemporaryFiles.takeRights(of: target, for: name) }
            temporary = name
            sink = ByteSink(descriptor: descriptor, path: path)
            registry?.addLeftover(name)
        case S_IFDIR: throw failure("it is a folder")
        default:
            temporary = nil
            // Opening a pipe blocks until a reader opens it, so it is opened when there is output.
            sink = ByteSink(path: path) { [target] in
                let descriptor = open(target, O_WRONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
                return descriptor
            }
        }
    }

    private static let temporaryPrefix = ".tmp-"
    /// The age in seconds from which a file without a lock is a leftover: a new one is locked just
    /// after it was made.
    private static let shortestLife = 60

    /// Removes the temporary files of this user's processes that were killed.
    private static func removeLeftovers(in folder: String) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return }
        for name in names where name.hasPrefix(temporaryPrefix) {
            guard UUID(uuidString: String(name.dropFirst(temporaryPrefix.count))) != nil,
                case let descriptor = open("\(folder)/\(name)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
                descriptor >= 0
            else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                time(nil) - status.st_mtim.tv_sec > shortestLife, flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else { continue }
            unlink("\(folder)/\(name)")
        }
    }

    /// - Throws: A usage error if a path is within one of the files that a command reads, or would
    ///   replace it.
    package static func refuse(_ path: String, in sources: [String]) throws {
        let place = ResolvedPath(path)
        for source in sources {
            for name in [source, DocumentArgument(source).path, ModelReference(source).url.path]
            where FileManager.default.fileExists(atPath: name) {
                let known = ResolvedPath(name)
                guard place.text == known.text || place.lies(in: known) else { continue }
                throw InterchangeError.usage(
                    "\(path) would lie in \(source), or in its place", hint: "choose another place")
            }
        }
    }

    /// Moves the file to its path.
    package func finish() throws {
        try sink.finish()
        guard let temporary, let descriptor = sink.descriptor else { return }
        guard fsync(descriptor) == 0, rename(temporary, target) == 0 else {
            throw InterchangeError(.inputOutput, "inputOutput", String(cString: strerror(errno)), path: path)
        }
    }

    deinit {
        if let temporary {
            // After `finish()` the temporary file does not exist any more.
            unlink(temporary)
            registry?.removeLeftover(temporary)
        }
        if let descriptor = sink.descriptor { close(descriptor) }
    }
}
