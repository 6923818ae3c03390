import Foundation
import ObjectGraph
import Query
import Schema
import Synchronization
import Testing

/// A large graph with cascades: the work of deleting it and of taking that back, counted.
@Suite struct LargeGraphTests {
    final class Node: ManagedObject {
        static let prepared = Atomic<Int>(0)
        static let deletionsUndone = Atomic<Int>(0)
        static let filled = Atomic<Int>(0)

        override func prepareForDeletion() { Self.prepared.add(1, ordering: .relaxed) }
        override func awakeFromFetch() { Self.filled.add(1, ordering: .relaxed) }
        override func awake(fromSnapshotEvents events: SnapshotEvents) {
            if events.contains(.undoDeletion) { Self.deletionsUndone.add(1, ordering: .relaxed) }
        }

        static func takeCounts() -> [Int] {
            [prepared.exchange(0, ordering: .relaxed), deletionsUndone.exchange(0, ordering: .relaxed), filled.exchange(0, ordering: .relaxed)]
        }
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Node", managedObjectClassName: "Node", attributes: [.init("number", .integer32)],
                relationships: [
                    .init("parent", to: "Node", inverse: "children"), .init("children", to: "Node", inverse: "parent", maxCount: 0, deleteRule: .cascade),
                    .init("parts", to: "Node", inverse: "whole", maxCount: 0, isOrdered: true, deleteRule: .cascade), .init("whole", to: "Node", inverse: "parts"),
                ])
        ])
    }

    /// A root with wide and ordered branches, and a chain behind one of them.
    private func grow(_ count: Int, in context: ManagedObjectContext) throws {
        var nodes: [ManagedObject] = []
        nodes.reserveCapacity(count)
        for number in 0..<count {
            let node = try context.insert("Node")
            node["number"] = number
            if number > 0 {
                let above = number < 50 ? number - 1 : number % 50
                node[number % 3 == 0 ? "whole" : "parent"] = nodes[above]
            }
            nodes.append(node)
        }
        try context.save()
    }

    /// `FOLIO_LARGE_GRAPH` makes it larger or smaller; this takes some seconds without optimisation.
    private static let count = ProcessInfo.processInfo.environment["FOLIO_LARGE_GRAPH"].flatMap { Int($0) } ?? 100_000

    /// Milliseconds of this thread's processor time: other work on the machine doesn't count.
    private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
        }
        let start = now()
        try body()
        return now() - start
    }

    /// The processor time of deleting, undoing, and deleting again with a save.
    private func run(_ count: Int) throws -> [Double] {
        var times: [Double] = []
        try GraphFixture.run(.sqlite, classes: ["Node": Node.self], model: Self.model()) { fixture in
            try grow(count, in: fixture.context())
            let context = fixture.context()
            let manager = UndoManager()
            context.undoManager = manager
            _ = Node.takeCounts()
            let root = try context.one("Node", "number == 0")
            times.append(
                Self.milliseconds {
                    context.delete(root)
                    context.processPendingChanges()
                })
            #expect(context.deletedObjects.count == count)
            #expect(Node.takeCounts() == [count, 0, 0])
            times.append(Self.milliseconds { manager.undo() })
            #expect(!context.hasChanges && context.deletedObjects.isEmpty)
            #expect(Node.takeCounts() == [0, count, 0])
            times.append(
                try Self.milliseconds {
                    manager.redo()
                    try context.save()
                })
            #expect(Node.takeCounts()[0] == 0)
            #expect(try fixture.context().count("Node") == 0)
        }
        print("A cascade over \(count) objects: deleted, undone, deleted again and saved in", times.map { String(format: "%.0f ms", $0) }.joined(separator: ", "))
        return times
    }

    @Test func aCascadeTouchesEachObjectOnce() throws {
        let large = try run(Self.count), small = try run(Self.count / 5)
        // Five times the objects: 5 for linear work, 25 for quadratic.
        for (large, small) in zip(large, small) { #expect(large < 12 * small + 50, "\(large) ms and \(small) ms") }
    }
}
