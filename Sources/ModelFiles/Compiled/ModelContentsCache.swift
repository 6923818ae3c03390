internal import Foundation
internal import Schema
internal import Synchronization

/// The models that were read last, by the bytes of their files, so that a document is not kept
/// waiting for a model that this process knows: its own when it is opened again, or that of all
/// documents of an application.
enum ModelContentsCache {
    private struct Entry {
        let contents: Data
        let model: ManagedObjectModel
    }

    private static let greatestCount = 8
    private static let greatestSize = 256 << 10
    /// The one used last stands at the end.
    private static let entries = Mutex<[Entry]>([])

    static func model(of contents: Data) -> ManagedObjectModel? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.contents == contents }) else { return nil }
            if index != entries.count - 1 { entries.append(entries.remove(at: index)) }
            return entries[entries.count - 1].model
        }
    }

    static func keep(_ model: ManagedObjectModel, of contents: Data) {
        guard contents.count <= greatestSize else { return }
        entries.withLock { entries in
            guard !entries.contains(where: { $0.contents == contents }) else { return }
            if entries.count == greatestCount { entries.removeFirst() }
            entries.append(Entry(contents: contents, model: model))
        }
    }
}
