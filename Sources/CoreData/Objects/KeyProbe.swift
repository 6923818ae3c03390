import Foundation
import ObjectGraph
import Schema
import Synchronization

/// Finds the name of a key path by reading it of an object that only notes which keys it is asked
/// for.
///
/// A computed property has a name only where it gives a property's value as it is: each key is
/// asked of the value of the one before, and the result is the last answer, of the same type.
/// Others have none, however many keys they read.
enum KeyProbe {
    /// A key that an object was asked for, and the answer.
    private struct Note {
        let key: String
        let owner: ObjectIdentifier
        /// Nil where the caller takes values of any type.
        let type: Any.Type?
        let answer: Any?
    }

    /// The answers so far, while a key path is read.
    private final class Notes {
        var all: [Note] = []
        /// The objects that answered, so that their addresses stay distinct.
        var objects: [NSManagedObject] = []
    }

    /// One key path is read at a time: the accessors can't be told whose question it is.
    private static let lock = Mutex(())
    /// The thread that reads a key path; 0 while none does.
    private static let reader = Atomic<UInt>(0)
    // Safe because only the thread in `reader` uses it: it is that thread while it holds `lock`.
    nonisolated(unsafe) private static var notes = Notes()

    private static var ownThread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }

    /// Whether a key path is being read in this thread.
    static var isReading: Bool {
        let reader = reader.load(ordering: .relaxed)
        return reader != 0 && reader == ownThread
    }

    /// The keys of a key path, separated by dots; nil where it has none that can be found.
    static func keys(of keyPath: AnyKeyPath, _ root: NSManagedObject.Type) -> String? {
        let valueType = type(of: keyPath).valueType
        // A computed property that looks for a key path itself is none of the model's.
        guard !isReading, ManagedValue.hasProbeValue(valueType), !leadsIntoCollection(keyPath) else { return nil }
        return lock.withLock { _ in
            guard let probe = probe(of: root) else { return nil }
            notes = Notes()
            reader.store(ownThread, ordering: .sequentiallyConsistent)
            defer { reader.store(0, ordering: .sequentiallyConsistent) }
            let value = (probe as Any)[keyPath: keyPath]
            guard isPath(from: probe, to: value, valueType, isUnwrapped: "\(keyPath)".hasSuffix("!")) else {
                return nil
            }
            return notes.all.map(\.key).joined(separator: ".")
        }
    }

    /// Whether a key path goes on in a collection: it is no path of properties, and the empty
    /// collection that a probe answers would trap for the index of an element.
    private static func leadsIntoCollection(_ keyPath: AnyKeyPath) -> Bool {
        // A computed component is described as `<computed 0x1234 (Array<String>)>`.
        let components = "\(keyPath)".components(separatedBy: "<computed ").dropFirst().dropLast()
        return components.contains { component in
            var type = component.drop { $0 != "(" }.dropFirst()
            while type.hasPrefix("Optional<") { type = type.dropFirst("Optional<".count) }
            return ["Array<", "ContiguousArray<", "Dictionary<", "Set<"].contains { type.hasPrefix($0) }
        }
    }

    private static func isPath(from root: NSManagedObject, to value: Any?, _ type: Any.Type, isUnwrapped: Bool) -> Bool
    {
        var owner: NSManagedObject? = root
        for note in notes.all {
            guard let current = owner, note.owner == ObjectIdentifier(current) else { return false }
            owner = PlaceholderValue.flat(note.answer) as? NSManagedObject
        }
        guard let last = notes.all.last, isSame(last.answer, value) else { return false }
        guard let asked = last.type, asked != type else { return true }
        // `\Book.author?.name` is optional where the name is not.
        if (type as? any OptionalValue.Type)?.wrapped == asked { return true }
        return isUnwrapped && (asked as? any OptionalValue.Type)?.wrapped == type
    }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        switch (PlaceholderValue.flat(left), PlaceholderValue.flat(right)) {
        case (nil, nil): true
        case (let left as NSManagedObject, let right as NSManagedObject): left === right
        case (let left as AnyHashable, let right as AnyHashable): left == right
        default: false
        }
    }

    /// Notes a key and answers it, where a key path is being read in this thread; nil where not.
    static func answer<Value>(_ key: String, of owner: NSManagedObject, as type: Value.Type) -> Value? {
        guard isReading else { return nil }
        let value = ManagedValue.probe(type)
        notes.all.append(Note(key: key, owner: ObjectIdentifier(owner), type: type, answer: value))
        return value
    }

    /// Notes a key that is asked for without a type, where a key path is being read in this thread;
    /// false where not. The answer is nil.
    static func note(_ key: String, of owner: NSManagedObject) -> Bool {
        guard isReading else { return false }
        notes.all.append(Note(key: key, owner: ObjectIdentifier(owner), type: nil, answer: nil))
        return true
    }

    /// An object of a class that has no context, no values and no entity of the class.
    static func probe(of type: NSManagedObject.Type) -> NSManagedObject? {
        guard let entity = room.model.entity(named: "Probe"), let seed = try? room.maker.seed(of: entity) else {
            return nil
        }
        let probe = type.init(seed)
        if isReading { notes.objects.append(probe) }
        return probe
    }

    // Safe because only `probe(of:)` uses the two, under `lock`.
    nonisolated(unsafe) private static let room: ManagedObjectContext = {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Probe"
        model.entities = [entity]
        probeModel = model
        return WaitingRoom(model: model.use()).context
    }()
    nonisolated(unsafe) private static var probeModel: NSManagedObjectModel?
}
