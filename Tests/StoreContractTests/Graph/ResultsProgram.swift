import Foundation
import ObjectGraph
import Query
import TestSupport

/// A random program over contexts that merge each other's saves, with live results in each.
final class ResultsProgram {
    typealias Deviation = RandomEditor.Deviation

    private let fixture: GraphFixture
    private let places: [FollowedContext]
    private let seed: UInt64
    /// The steps and edits that are left out, by number.
    private let omitted: Set<Int>
    private var random: SplitMix
    private var lastTitle = 0
    /// What was done, for a report.
    private(set) var trace: [String] = []

    init(_ fixture: GraphFixture, seed: UInt64, omitting omitted: Set<Int> = []) throws {
        self.fixture = fixture
        self.seed = seed
        self.omitted = omitted
        var random = SplitMix(state: seed)
        let policies: [MergePolicy] = [
            .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ]
        let start = fixture.context()
        for number in 0..<3 {
            let person = try start.make("Person", ["name": "P\(number)"])
            for index in 0..<number {
                try start.make("Account", ["title": "s\(number)\(index)", "balance": number + index, "owner": person])
            }
        }
        try start.save()
        var places: [FollowedContext] = []
        for name in ["A", "B"] {
            places.append(
                try FollowedContext(fixture.context(policies.randomElement(using: &random) ?? .error), name))
        }
        self.places = places
        let isTold = Bool.random(using: &random)
        self.random = random
        // One follows by itself, the other is told; or both follow.
        places[0].context.automaticallyMergesChangesFromParent = true
        if isTold {
            places[0].tell(places[1].context)
        } else {
            places[1].context.automaticallyMergesChangesFromParent = true
        }
    }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// The number of a step, or of an edit of it; 0 is the step itself.
    private func unit(_ step: Int, _ edit: Int) -> Int { step * 4 + edit }

    /// Each step and each edit has random numbers of its own, so that the others stay the same if
    /// one is left out.
    private func begins(_ step: Int, _ edit: Int = 0) -> Bool {
        random = SplitMix(state: seed &* 1_000_003 &+ UInt64(unit(step, edit)))
        return !omitted.contains(unit(step, edit))
    }

    func go(_ steps: Int) throws {
        for number in 0..<steps where begins(number) {
            let place = places[self.number(0...1)]
            try step(number, place)
            for place in places { place.context.processPendingChanges() }
            for place in places {
                do { try place.check() } catch { throw Deviation(description: "\(place.name): \(error)") }
            }
            try checkStore()
        }
        for place in places {
            for _ in 0..<5 { place.context.undo() }
            try place.check()
            place.context.rollback()
            place.context.processPendingChanges()
            try place.check()
        }
        try checkStore()
    }

    /// Runs a program; if it fails, finds a short program that fails, and throws that.
    static func run(_ kind: StoreKind, seed: UInt64, steps: Int) throws {
        func failure(_ omitted: Set<Int>) throws -> Deviation? {
            var failure: Deviation?
            try GraphFixture.run(kind) { fixture in
                let run = try ResultsProgram(fixture, seed: seed, omitting: omitted)
                do { try run.go(steps) } catch {
                    failure = Deviation(description: "\(error)\n\(run.trace.joined(separator: "; "))")
                }
            }
            return failure
        }
        guard var shortest = try failure([]) else { return }
        var omitted: Set<Int> = [], length = steps * 2
        while length > 0 {
            for first in stride(from: 0, to: steps * 4, by: length) {
                let fewer = omitted.union(first..<(first + length))
                guard fewer.count > omitted.count, let shorter = try failure(fewer) else { continue }
                (omitted, shortest) = (fewer, shorter)
            }
            length /= 2
        }
        throw shortest
    }

    // MARK: Steps

    private func step(_ step: Int, _ place: FollowedContext) throws {
        let context = place.context
        func note(_ what: String) { trace.append("\(place.name) \(what)") }
        switch number(0...29) {
        case 0...11:
            let edits = number(1...3), counts = number(0...2) == 0
            for edit in 1...edits where begins(step, edit) { try self.edit(place) }
            // A fetch in the middle.
            if counts { _ = try context.count("Account") }
        case 12, 13:
            note("undo")
            context.undo()
        case 14:
            note("redo")
            context.redo()
        case 15:
            note("undo, redo")
            context.processPendingChanges()
            guard context.undoManager?.canUndo == true else { return }
            let before = try place.contents()
            context.undo()
            try place.check()
            guard context.undoManager?.canRedo == true else { return }
            context.redo()
            let after = try place.contents()
            if after != before { throw Deviation(description: "redo after undo leads to \(after), not \(before)") }
        case 16...21:
            note("save")
            do { try context.save() } catch let error as GraphError {
                note("conflict \(error.code)")
                if number(0...1) == 0 {
                    note("rollback")
                    context.rollback()
                }
            }
        case 22, 23:
            note("rollback")
            context.rollback()
        case 24, 25:
            guard let some = try objects(place, "Account").randomElement(using: &random) else { return }
            // The other ends of relationships are not refreshed with an object.
            let merges = number(0...1) == 0 || some.changedValues().keys.contains("owner")
            note("refresh \(some.text("title") ?? "nil") \(merges)")
            context.refresh(some, mergeChanges: merges)
        case 26:
            note("refreshAll")
            context.refreshAllObjects()
        case 27:
            note("reset")
            context.reset()
            try place.begin()
        default:
            note("event")
            try context.event("Step") { for edit in 1...2 where begins(step, edit) { try self.edit(place) } }
        }
    }

    private func objects(_ place: FollowedContext, _ entity: String) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.sortDescriptors = [SortKey(entity == "Person" ? "name" : "title")]
        return try place.context.fetch(request)
    }

    private func edit(_ place: FollowedContext) throws {
        let context = place.context
        func note(_ what: String) { trace.append("\(place.name) \(what)") }
        let accounts = try objects(place, "Account"), people = try objects(place, "Person")
        guard let account = accounts.randomElement(using: &random), number(0...5) > 0 else {
            lastTitle += 1
            note("insert t\(lastTitle)")
            let new = try context.make("Account", ["title": "t\(lastTitle)", "balance": number(0...9)])
            if number(0...1) == 0, let person = people.randomElement(using: &random) { new["owner"] = person }
            return
        }
        let title = account.text("title") ?? "nil"
        switch number(0...9) {
        case 0...4:
            let balance = number(0...9)
            note("\(title).balance = \(balance)")
            account["balance"] = balance
        case 5, 6:
            note("delete \(title)")
            context.delete(account)
            context.processPendingChanges()
        case 7, 8:
            let person = number(0...3) == 0 ? nil : people.randomElement(using: &random)
            note("\(title).owner = \(person?.text("name") ?? "nil")")
            account["owner"] = person
        default:
            guard let person = people.randomElement(using: &random) else { return }
            note("\(person.text("name") ?? "nil") renamed")
            lastTitle += 1
            person["name"] = "P\(lastTitle)"
        }
    }

    /// Objects without changes have the values of the store.
    private func checkStore() throws {
        let fresh = ManagedObjectContext(fixture.coordinator)
        let stored = Dictionary(uniqueKeysWithValues: try fresh.all("Account").map { ($0.objectID, $0) })
        for place in places {
            let found = try place.context.all("Account")
            for object in found where !object.hasChanges {
                guard let same = stored[object.objectID] else {
                    throw Deviation(description: "\(place.name) has \(place.text(object)), which is not in the store")
                }
                if place.text(same) != place.text(object) {
                    throw Deviation(
                        description: "\(place.name) has \(place.text(object)), the store \(place.text(same))")
                }
            }
            let known = Set(found.map(\.objectID)).union(place.context.deletedObjects.map(\.objectID))
            if let missing = stored.first(where: { !known.contains($0.key) }) {
                throw Deviation(description: "\(place.name) lacks \(place.text(missing.value))")
            }
        }
    }
}
