import Folio
import Foundation

/// A result file that is there whole or not at all: written beside its place, then moved into it.
/// What a symbolic link leads to is replaced, not the link; a device or pipe, which has no place to
/// be moved into, is written as it is.
final class OutputFile {
    let sink: ByteSink
    private let path: String
    /// Where the file is to be, links followed.
    private let target: String
    /// Nil for what is written as it is.
    private let temporary: String?
    private let interruption: Interruption

    /// - Parameters:
    ///   - sources: The documents, models and files whose content goes there, as the command line
    ///     names them: the file must not lie in one, or in its place.
    ///   - targets: The documents that the command makes, whether or not there is something yet.
    init(path: String, of sources: [String], besides targets: [String] = [], interruption: Interruption) throws {
        func failure(_ reason: String) -> CommandError {
            CommandError(.cannotCreate, "cannotCreate", "can't create the file: \(reason)", path: path)
        }
        self.path = path
        self.interruption = interruption
        let place = ResolvedPath(path)
        try Self.refuse(path, in: sources)
        for target in targets where place.text == ResolvedPath(target).text || place.lies(in: ResolvedPath(target)) {
            throw CommandError.usage("\(path) would lie in \(target), or in its place", hint: "choose another place")
        }
        target = place.text
        var status = stat()
        let isThere = stat(target, &status) == 0
        // It is written under another name first, which is short enough.
        if !isThere, errno == ENAMETOOLONG { throw failure(String(cString: strerror(errno))) }
        switch isThere ? status.st_mode & S_IFMT : S_IFREG {
        case S_IFREG:
            let name = URL(fileURLWithPath: target).deletingLastPathComponent().appendingPathComponent(
                ".tmp-\(UUID().uuidString)"
            ).path
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
            if isThere { fchmod(descriptor, status.st_mode & 0o7777) }
            temporary = name
            sink = ByteSink(descriptor: descriptor, path: path)
            interruption.addLeftover(name)
        case S_IFDIR: throw failure("it is a folder")
        default:
            temporary = nil
            // A pipe is open when somebody reads it: until then there is work to do.
            sink = ByteSink(path: path) { [target] in
                let descriptor = open(target, O_WRONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
                return descriptor
            }
        }
    }

    /// - Throws: a usage error where a path lies in something that a command reads, or in its
    ///   place.
    static func refuse(_ path: String, in sources: [String]) throws {
        let place = ResolvedPath(path)
        for source in sources {
            for name in [source, DocumentArgument(source).path, ModelReference(source).url.path]
            where FileManager.default.fileExists(atPath: name) {
                let known = ResolvedPath(name)
                guard place.text == known.text || place.lies(in: known) else { continue }
                throw CommandError.usage(
                    "\(path) would lie in \(source), or in its place", hint: "choose another place")
            }
        }
    }

    /// Puts the file into its place.
    func finish() throws {
        try sink.finish()
        guard let temporary, let descriptor = sink.descriptor else { return }
        guard fsync(descriptor) == 0, rename(temporary, target) == 0 else {
            throw CommandError(.inputOutput, "inputOutput", String(cString: strerror(errno)), path: path)
        }
    }

    deinit {
        if let temporary {
            // Nothing is there any more where the file was finished.
            unlink(temporary)
            interruption.removeLeftover(temporary)
        }
        if let descriptor = sink.descriptor { close(descriptor) }
    }
}
