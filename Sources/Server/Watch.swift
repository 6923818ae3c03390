import Coding
import Folio
import Foundation

/// Results that a client follows.
final class Watch {
    let name: String
    let served: ServedDocument
    private let columns: [String]
    private let controller: FetchedResultsController<ManagedObject>
    private var observation: FetchedResultsObservation?
    private var changes: [JSONValue] = []
    /// Whether the client has missed changes.
    private var isStale = false

    init(_ name: String, _ request: FetchRequest<ManagedObject>, columns: [String], of served: ServedDocument) throws {
        self.name = name
        self.served = served
        self.columns = columns
        controller = FetchedResultsController(fetchRequest: request, managedObjectContext: served.context)
        try controller.performFetch()
        observation = controller.observe { [weak self] changes in self?.note(changes) }
    }

    private var objects: [ManagedObject] { controller.fetchedObjects ?? [] }
    var count: Int { objects.count }

    /// A window of the results.
    func rows(_ first: Int, _ count: Int) throws -> [JSONValue] {
        let objects = self.objects
        guard first < objects.count else { return [] }
        return try objects[first..<min(objects.count, first + min(count, objects.count))].map { object in
            columns.isEmpty ? .string(object.objectID.description) : try served.json(object, columns: columns)
        }
    }

    private func note(_ changes: FetchedResultsChanges) {
        guard !isStale else { return }
        self.changes += changes.objects.map { change in
            var members: [String: JSONValue] = [:]
            let object: ManagedObject
            switch change {
            case .delete(let deleted, let place):
                (object, members["kind"], members["from"]) = (deleted, .string("delete"), .int(place[1]))
            case .insert(let inserted, let place):
                (object, members["kind"], members["to"]) = (inserted, .string("insert"), .int(place[1]))
            case .move(let moved, let origin, let place):
                (object, members["kind"]) = (moved, .string("move"))
                (members["from"], members["to"]) = (.int(origin[1]), .int(place[1]))
            case .update(let updated, let place):
                (object, members["kind"], members["from"]) = (updated, .string("update"), .int(place[1]))
            }
            if object.managedObjectContext != nil { members["id"] = .string(object.objectID.description) }
            return .object(members)
        }
    }

    /// The client does not read: it fetches anew when it does.
    func holdBack() {
        guard !changes.isEmpty else { return }
        changes = []
        isStale = true
    }

    /// What the client is to be told; nil for nothing.
    func takeChanges() -> [String: JSONValue]? {
        guard isStale || !changes.isEmpty else { return nil }
        var parameters: [String: JSONValue] = [
            "watch": .string(name), "document": .string(served.name), "count": .int(count),
        ]
        if isStale { parameters["isReset"] = .bool(true) } else { parameters["changes"] = .array(changes) }
        changes = []
        isStale = false
        return parameters
    }
}
