import FileSystem
import Synchronization

/// The external values whose files are known to be durable.
///
/// An existing file need not be durable: the process that wrote it, or created its folder, may have
/// crashed or failed before synchronizing.
package final class DurableNames: Sendable {
    private struct Known {
        var names: Set<String> = []
        var folders: Set<String> = []
    }

    private let known = Mutex(Known())

    package init() {}

    /// Makes the name of a file durable. Its content must be durable already.
    /// - Parameter levels: The number of folders above the file's own folder that may be new too.
    package func note(_ name: String, file: String, levels: Int) throws {
        var folder = FilePath.parent(file)
        try Disk.synchronizeDirectory(folder)
        // The folders above only change when folders are created, which always calls this method.
        let isKnown = known.withLock { !$0.folders.insert(folder).inserted }
        if !isKnown {
            do {
                for _ in 0..<levels {
                    folder = FilePath.parent(folder)
                    try Disk.synchronizeDirectory(folder)
                }
            } catch {
                known.withLock { _ = $0.folders.remove(FilePath.parent(file)) }
                throw error
            }
        }
        known.withLock { _ = $0.names.insert(name) }
    }

    /// Makes a file and its name durable; returns false if there is no such file. Costs only a
    /// status call if the file is known to be durable.
    package func secure(_ name: String, file: String, levels: Int) throws -> Bool {
        guard try Disk.kind(of: file) == .file else { return false }
        if known.withLock({ $0.names.contains(name) }) { return true }
        try Disk.synchronizeFile(file)
        try note(name, file: file, levels: levels)
        return true
    }

    package func forget(_ name: String) { known.withLock { _ = $0.names.remove(name) } }
    /// Call it after the files were moved to another location.
    package func forgetAll() { known.withLock { $0 = Known() } }
    /// Call it if the folders may have to be created again.
    package func forgetFolders() { known.withLock { $0.folders = [] } }
}
