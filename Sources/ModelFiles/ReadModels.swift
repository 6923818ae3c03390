internal import Foundation
internal import Schema
internal import Synchronization

/// The models that the process read last, by their files. A program that opens thousands of
/// documents asks for the same versions each time.
enum ReadModels {
    private struct Key: Equatable {
        let path: String
        let size: Int
        let modified: Date
        let number: Int
    }

    private static let recent = Mutex(RecentlyUsed<Key, ManagedObjectModel>(capacity: 128))

    /// A file that was changed a moment ago may change again without its time showing it.
    private static let shortestAge: TimeInterval = 1

    /// Reads a single file, or gives what was read of it when it is unchanged since.
    static func model(_ file: URL) throws(ModelError) -> ManagedObjectModel {
        guard let key = key(file), key.modified.timeIntervalSinceNow < -shortestAge else {
            return try ModelFile.read(file)
        }
        if let known = recent.withLock({ $0.value(for: key) }) { return known }
        let model = try ModelFile.read(file)
        recent.withLock { $0.keep(model, for: key) }
        return model
    }

    private static func key(_ file: URL) -> Key? {
        guard
            let values = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path),
            let size = values[.size] as? Int, let modified = values[.modificationDate] as? Date
        else { return nil }
        return Key(
            path: file.path, size: size, modified: modified, number: (values[.systemFileNumber] as? Int) ?? 0)
    }
}
