import Schema
import Synchronization

// The models in use, so that what Folio's model says of an object leads back to Core Data's
// description of it.

extension NSManagedObjectModel {
    private final class Entry: Sendable {
        // Set by the initializer alone; loading a weak reference is safe in any thread.
        nonisolated(unsafe) weak var model: NSManagedObjectModel?

        init(_ model: NSManagedObjectModel) { self.model = model }
    }

    /// By ``ManagedObjectModel/number``, in the order in which they came.
    private static let entries = Mutex<[(number: UInt64, entry: Entry)]>([])

    /// Notes that the model came into use, and what was made of it.
    func noteUse(as compiled: ManagedObjectModel) {
        Self.entries.withLock { entries in
            entries.removeAll { $0.entry.model == nil || $0.entry.model === self }
            entries.append((compiled.number, Entry(self)))
        }
    }

    /// The description of a model of Folio's: the first that came into use, or a new one where
    /// nobody has one. Traps for a model with a text that can't be parsed.
    static func of(_ compiled: ManagedObjectModel) -> NSManagedObjectModel {
        if let known = entries.withLock({ entries in
            entries.first { $0.number == compiled.number }?.entry.model
        }) {
            return known
        }
        do { return try NSManagedObjectModel(compiled) } catch { preconditionFailure("\(error)") }
    }

    /// The models that coordinators work with, the latest first.
    static var loaded: [NSManagedObjectModel] {
        entries.withLock { entries in entries.reversed().compactMap(\.entry.model) }
    }
}

extension NSEntityDescription {
    /// The description of an entity of a model of Folio's.
    static func of(_ entity: EntityDescription, in compiled: ManagedObjectModel) -> NSEntityDescription {
        guard let found = NSManagedObjectModel.of(compiled).entitiesByName[entity.name] else {
            preconditionFailure("The model has its own entity \(entity.name)")
        }
        return found
    }

    /// An entity by its name, in the model that was used last.
    static func loaded(named name: String) -> NSEntityDescription {
        for model in NSManagedObjectModel.loaded { if let found = model.entitiesByName[name] { return found } }
        preconditionFailure("No model in use has an entity named \(name)")
    }
}
