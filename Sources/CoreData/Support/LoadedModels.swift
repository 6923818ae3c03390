import Schema
import Synchronization

/// The models in use, so that what Folio's model says of an object leads back to Core Data's
/// description of it.
enum LoadedModels {
    private final class Entry: Sendable {
        // Set by the initializer alone; loading a weak reference is safe in any thread.
        nonisolated(unsafe) weak var model: NSManagedObjectModel?

        init(_ model: NSManagedObjectModel) { self.model = model }
    }

    /// By ``ManagedObjectModel/number``, in the order in which they came.
    private static let entries = Mutex<[(number: UInt64, entry: Entry)]>([])

    static func add(_ model: NSManagedObjectModel, for compiled: ManagedObjectModel) {
        entries.withLock { entries in
            entries.removeAll { $0.entry.model == nil || $0.entry.model === model }
            entries.append((compiled.number, Entry(model)))
        }
    }

    /// The description of a model of Folio's: the first that came into use, or a new one where
    /// nobody has one. Traps for a model with a text that can't be parsed.
    static func model(of compiled: ManagedObjectModel) -> NSManagedObjectModel {
        if let known = entries.withLock({ entries in
            entries.first { $0.number == compiled.number }?.entry.model
        }) {
            return known
        }
        do { return try NSManagedObjectModel(compiled) } catch { preconditionFailure("\(error)") }
    }

    static func entity(_ entity: EntityDescription, of compiled: ManagedObjectModel) -> NSEntityDescription {
        guard let found = model(of: compiled).entitiesByName[entity.name] else {
            preconditionFailure("The model has its own entity \(entity.name)")
        }
        return found
    }

    /// The models that coordinators work with, the latest first.
    static var all: [NSManagedObjectModel] {
        entries.withLock { entries in entries.reversed().compactMap(\.entry.model) }
    }
}
