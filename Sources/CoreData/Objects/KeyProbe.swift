import Foundation
import ObjectGraph
import Schema
import Synchronization

/// Finds the name of a key path by reading it of an object that only notes which keys it is asked
/// for.
enum KeyProbe {
    /// The objects that only note, and the keys so far, while a key path is read.
    private final class Notes {
        var keys: [String] = []
    }

    /// One key path is read at a time: the accessors can't be told whose question it is.
    private static let lock = Mutex(())
    /// The thread that reads a key path; 0 while none does.
    private static let reader = Atomic<UInt>(0)
    /// Used by the thread of ``reader`` alone.
    nonisolated(unsafe) private static var notes = Notes()

    private static var ownThread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }

    static func keys(of keyPath: AnyKeyPath, _ root: NSManagedObject.Type) -> String? {
        lock.withLock { _ in
            guard let probe = probe(of: root) else { return nil }
            reader.store(ownThread, ordering: .sequentiallyConsistent)
            defer { reader.store(0, ordering: .sequentiallyConsistent) }
            notes.keys = []
            _ = (probe as Any)[keyPath: keyPath]
            return notes.keys.isEmpty ? nil : notes.keys.joined(separator: ".")
        }
    }

    /// Notes a key, where a key path is being read in this thread; false where not.
    static func note(_ key: String) -> Bool {
        let reader = reader.load(ordering: .relaxed)
        guard reader != 0, reader == ownThread else { return false }
        notes.keys.append(key)
        return true
    }

    /// An object of a class that has no context, no values and no entity of the class.
    static func probe(of type: NSManagedObject.Type) -> NSManagedObject? {
        guard let entity = room.model.entity(named: "Probe"), let seed = try? room.seedOfNewObject(of: entity) else {
            return nil
        }
        return type.init(seed)
    }

    nonisolated(unsafe) private static let room: ManagedObjectContext = {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Probe"
        model.entities = [entity]
        probeModel = model
        return WaitingRoom(model: model).context
    }()
    nonisolated(unsafe) private static var probeModel: NSManagedObjectModel?
}
