import Foundation
import ObjectGraph
import Query
import Schema

/// A context with live results of several kinds, and lists that are kept by what is told of them.
final class FollowedContext {
    typealias Deviation = RandomEditor.Deviation

    /// Live results, and a copy that follows their changes as a list view does.
    private final class Live {
        let results: FetchedResultsController<ManagedObject>
        var shown: [[ManagedObject]] = []
        private var observation: FetchedResultsObservation?
        var failure: String?

        init(_ request: FetchRequest<ManagedObject>, _ context: ManagedObjectContext, sections: String? = nil) throws {
            results = FetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections)
            observation = results.observe { [unowned self] in apply($0) }
            try begin()
        }

        func begin() throws {
            try results.performFetch()
            shown = results.sections.map(\.objects)
        }

        private func apply(_ changes: FetchedResultsChanges) {
            var deletions: [IndexPath] = [], insertions: [(IndexPath, ManagedObject)] = []
            for change in changes.objects {
                switch change {
                case .insert(let object, let place): insertions.append((place, object))
                case .delete(let object, let place):
                    if shown[place[0]][place[1]] !== object { failure = "a deletion names another object" }
                    deletions.append(place)
                case .move(let object, let from, let to):
                    if shown[from[0]][from[1]] !== object { failure = "a move names another object" }
                    deletions.append(from)
                    insertions.append((to, object))
                case .update(let object, let place):
                    if shown[place[0]][place[1]] !== object { failure = "an update names another object" }
                }
            }
            for place in deletions.sorted(by: >) { shown[place[0]].remove(at: place[1]) }
            for section in changes.deletedSections.reversed() {
                if !shown[section].isEmpty { failure = "a section is deleted that has objects" }
                shown.remove(at: section)
            }
            for section in changes.insertedSections { shown.insert([], at: section) }
            for (place, object) in insertions.sorted(by: { $0.0 < $1.0 }) {
                shown[place[0]].insert(object, at: place[1])
            }
        }
    }

    let context: ManagedObjectContext
    let name: String
    private var live: [Live] = []
    private var observations: [ContextObservation] = []
    /// The accounts that notifications tell of.
    private var told: Set<ManagedObject> = []
    private var failure: String?

    init(_ context: ManagedObjectContext, _ name: String) throws {
        self.context = context
        self.name = name
        context.undoManager = UndoManager()
        func request(_ sort: [String], _ format: String? = nil, limit: Int = 0) throws -> FetchRequest<ManagedObject> {
            var request = FetchRequest<ManagedObject>(entityName: "Account")
            request.sortDescriptors = sort.map { SortKey($0) }
            if let format { request.predicate = try FetchPredicate(format: format) }
            request.fetchLimit = limit
            return request
        }
        live = [
            try Live(request(["balance", "title"]), context),
            try Live(request(["title"], "balance > 4"), context),
            try Live(request(["balance", "title"], limit: 3), context),
            try Live(request(["owner.name", "title"]), context),
            try Live(request(["title"], "owner.name != nil AND balance < 8"), context),
            try Live(request(["balance", "title"]), context, sections: "balance"),
        ]
        observations.append(context.observe(.objectsDidChange) { [unowned self] in note($0) })
        told = Set(try context.all("Account"))
    }

    /// Has another context merge the saves of this one.
    func tell(_ other: ManagedObjectContext) {
        observations.append(context.observe(.didSave) { other.mergeChanges(fromContextDidSave: $0) })
    }

    /// Fetches anew, as after a reset.
    func begin() throws {
        for live in live { try live.begin() }
        told = Set(try context.all("Account"))
    }

    private func note(_ notification: ContextNotification) {
        let lists = [notification.inserted, notification.updated, notification.deleted]
        for (index, first) in lists.enumerated() {
            for second in lists[(index + 1)...] where !first.isDisjoint(with: second) {
                failure = "a notification tells two things of one object"
            }
        }
        if notification.isReset { told = [] }
        for object in notification.deleted { told.remove(object) }
        for object in notification.inserted.union(notification.updated).union(notification.refreshed)
        where object.managedObjectContext != nil && object.entity.name == "Account" && !object.isDeleted {
            told.insert(object)
        }
    }

    func text(_ object: ManagedObject) -> String {
        "\(object.text("title") ?? "nil"):\(object.number("balance") ?? -1):\(object.target("owner").map { "\($0.objectID.key)" } ?? "nil")"
    }

    /// All accounts and people, in words.
    func contents() throws -> [String] {
        let accounts = try context.all("Account").map { text($0) }
        let people = try context.all("Person").map { person in
            "\(person.text("name") ?? "nil"): \(person.texts("accounts", "title").sorted())"
        }
        return accounts.sorted() + people.sorted()
    }

    func check() throws {
        let all = try context.all("Account")
        for (index, live) in live.enumerated() {
            let fetched = try context.fetch(live.results.fetchRequest)
            guard let shown = live.results.fetchedObjects, shown == fetched else {
                throw Deviation(
                    description:
                        "live results \(index) are \((live.results.fetchedObjects ?? []).map(text)), a fetch finds \(fetched.map(text))"
                )
            }
            if let failure = live.failure { throw Deviation(description: "live results \(index): \(failure)") }
            if live.shown.filter({ !$0.isEmpty }).flatMap({ $0 }) != shown {
                throw Deviation(
                    description: "changes of live results \(index) lead to \(live.shown.joined().map(text))")
            }
            if live.shown != live.results.sections.map(\.objects) {
                throw Deviation(description: "changes of sections of live results \(index) lead elsewhere")
            }
        }
        if let gone = all.first(where: { $0.isDeleted || $0.managedObjectContext == nil }) {
            throw Deviation(description: "a fetch finds the deleted \(gone.text("title") ?? "nil")")
        }
        if let failure { throw Deviation(description: failure) }
        if told != Set(all) {
            let more = told.subtracting(all).map { $0.text("title") ?? "nil" },
                less = Set(all).subtracting(told).map(text)
            throw Deviation(description: "notifications tell of \(more) too many and of \(less) too few")
        }
        // Both ends of the relationship agree.
        for person in try context.all("Person") {
            let here = Set(all.filter { $0.target("owner") === person }.map(text))
            let there = Set((person["accounts"] as? Set<ManagedObject> ?? []).map(text))
            if here != there {
                throw Deviation(
                    description:
                        "\(person.text("name") ?? "nil") has \(there.sorted()), of which \(here.sorted()) lead to it")
            }
        }
    }
}
