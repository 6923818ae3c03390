import Foundation
import ObjectGraph
import TestSupport

/// Makes the same random edits in a context and in a plain graph; the same ones for the same seed.
final class RandomEditor {
    struct Deviation: Error, CustomStringConvertible {
        let description: String
    }

    private var random: SplitMix
    private var lastNumber = 0
    /// What was done, for a report.
    var trace: [String] = []

    init(seed: UInt64) {
        random = SplitMix(state: seed)
    }

    /// `FOLIO_RANDOM_SEEDS` says how many seeds each kind of store runs, `FOLIO_RANDOM_FIRST` which
    /// comes first.
    static func seeds(_ count: Int) -> [Int] {
        func variable(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }
        let first = variable("FOLIO_RANDOM_FIRST") ?? 1
        return Array(first..<(first + (variable("FOLIO_RANDOM_SEEDS") ?? sweep((count + 3) / 4, all: count))))
    }

    func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    func edit(_ context: ManagedObjectContext, _ state: inout ReferenceGraph) throws {
        let before = state
        func object(_ name: String) throws -> ManagedObject {
            guard let entity = before.nodes[name]?.entity, let key = ReferenceGraph.names[entity]?.name else {
                throw Deviation(description: "there is no \(name)")
            }
            return try context.one(entity, "\(key) == '\(name)'")
        }
        let choice = number(in: 0...19)
        guard choice >= 5, let name = state.nodes.keys.sorted().randomElement(using: &random) else {
            return try insert(context, &state)
        }
        let some = try object(name)
        if choice < 7 {
            guard let key = ReferenceGraph.names[before.nodes[name]?.entity ?? ""]?.number else { return }
            let number = Bool.random(using: &random) ? number(in: 0...99) : nil
            trace.append("\(name).\(key) = \(number ?? -1)")
            some[key] = number
            return state.setNumber(number, of: name)
        }
        if choice < 9 {
            trace.append("delete \(name)")
            context.delete(some)
            context.processPendingChanges()
            return state.delete(name)
        }
        guard let relationship = state.relationships(of: name).randomElement(using: &random) else { return }
        let key = relationship.key
        // What somebody else deleted may still be led to.
        let candidates = state.candidates(for: relationship),
            members = state.links(name, key).filter { state.nodes[$0] != nil }
        switch choice {
        case 9, 10:
            let others = Array(
                candidates.shuffled(using: &random).prefix(relationship.isToMany ? number(in: 0...3) : 1))
            trace.append("\(name).\(key) = \(others)")
            let objects = try others.map(object)
            if !relationship.isToMany {
                some[key] = objects.first
            } else if relationship.isOrdered {
                some[key] = objects
            } else {
                some[key] = Set(objects)
            }
            if relationship.isToMany || others.isEmpty {
                state.replace(name, key, by: others)
            } else {
                state.link(name, key, others[0])
            }
        case 11, 12:
            guard let other = members.randomElement(using: &random) else { return }
            trace.append("\(name).\(key) - \(other)")
            if !relationship.isToMany {
                some[key] = nil
            } else if relationship.isOrdered {
                some.mutableOrderedSetValue(forKey: key).remove(try object(other))
            } else {
                some.mutableSetValue(forKey: key).remove(try object(other))
            }
            state.unlink(name, key, other)
        case 13 where relationship.isOrdered && members.count > 1:
            trace.append("\(name).\(key) moved")
            some.mutableOrderedSetValue(forKey: key).moveObjects(at: [members.count - 1], to: 0)
            state.replace(name, key, by: [members[members.count - 1]] + members.dropLast())
        default:
            guard let other = candidates.randomElement(using: &random) else { return }
            trace.append("\(name).\(key) + \(other)")
            if !relationship.isToMany {
                some[key] = try object(other)
            } else if relationship.isOrdered {
                some.mutableOrderedSetValue(forKey: key).add(try object(other))
            } else {
                some.mutableSetValue(forKey: key).add(try object(other))
            }
            state.link(name, key, other)
        }
    }

    private func insert(_ context: ManagedObjectContext, _ state: inout ReferenceGraph) throws {
        lastNumber += 1
        let name = "n\(lastNumber)"
        guard
            let entity = ["Person", "Person", "Account", "Account", "Savings", "Tag", "Entry", "Entry", "Card"]
                .randomElement(using: &random),
            let keys = ReferenceGraph.names[entity]
        else { return }
        trace.append("\(entity) \(name)")
        let new = try context.make(entity, [keys.name: name])
        if let number = keys.number { new[number] = lastNumber }
        state.insert(name, entity, number: keys.number == nil ? nil : lastNumber)
    }
}
