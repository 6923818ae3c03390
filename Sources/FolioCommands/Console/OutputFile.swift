import Foundation

/// A result file that is there whole or not at all: written beside its place, then moved into it.
final class OutputFile {
    let sink: ByteSink
    private let descriptor: Int32
    private let temporary: String
    private let path: String
    private let interruption: Interruption
    private var isFinished = false

    init(path: String, interruption: Interruption) throws {
        self.path = path
        self.interruption = interruption
        let url = URL(fileURLWithPath: path)
        temporary = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).tmp-\(UUID().uuidString)").path
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw CommandError(.cannotCreate, "cannotCreate", "can't create the file: \(String(cString: strerror(errno)))", path: path)
        }
        interruption.addLeftover(temporary)
        sink = ByteSink(descriptor: descriptor)
    }

    /// Puts the file into its place.
    func finish() throws {
        try sink.finish()
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw CommandError(.inputOutput, "inputOutput", String(cString: strerror(errno)), path: path)
        }
        isFinished = true
    }

    deinit {
        if !isFinished { unlink(temporary) }
        interruption.removeLeftover(temporary)
        close(descriptor)
    }
}
