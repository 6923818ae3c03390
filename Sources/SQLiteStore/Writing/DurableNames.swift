import FileSystem
import Synchronization

/// The files of large values that are known to be on the disk.
///
/// A file that is just there may not be: whoever wrote it may have crashed, or failed, before it
/// was synchronized, and so may whoever made its folder.
package final class DurableNames: Sendable {
    private struct Known {
        var names: Set<String> = []
        var folders: Set<String> = []
    }

    private let known = Mutex(Known())

    package init() {}

    /// Puts the name of a file on the disk, whose content is there already.
    /// - Parameter levels: How many folders above the file's own may be as new as the file.
    package func note(_ name: String, file: String, levels: Int) throws {
        var folder = FilePath.parent(file)
        try Disk.synchronizeDirectory(folder)
        // Those above change by new folders alone, each of which comes by here.
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

    /// Makes sure that a file is on the disk under its name; false where there is none. Costs a
    /// look at it where that is known.
    package func secure(_ name: String, file: String, levels: Int) throws -> Bool {
        guard try Disk.kind(of: file) == .file else { return false }
        if known.withLock({ $0.names.contains(name) }) { return true }
        try Disk.synchronizeFile(file)
        try note(name, file: file, levels: levels)
        return true
    }

    package func forget(_ name: String) { known.withLock { _ = $0.names.remove(name) } }
    /// The files are looked for elsewhere from now on.
    package func forgetAll() { known.withLock { $0 = Known() } }
    /// The folders may have to be made again.
    package func forgetFolders() { known.withLock { $0.folders = [] } }
}
