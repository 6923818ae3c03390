import Foundation
import ObjectGraph
import Query
import Schema
import Synchronization
import TestSupport
import Testing

/// A large graph with cascades: the work of deleting it and of taking that back, counted.
struct LargeGraphTests {
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
            [
                prepared.exchange(0, ordering: .relaxed), deletionsUndone.exchange(0, ordering: .relaxed),
                filled.exchange(0, ordering: .relaxed),
            ]
        }
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Node", managedObjectClassName: "Node", attributes: [.init("number", .integer32)],
                relationships: [
                    .init("parent", to: "Node", inverse: "children"),
                    .init("children", to: "Node", inverse: "parent", maxCount: 0, deleteRule: .cascade),
                    .init("parts", to: "Node", inverse: "whole", maxCount: 0, isOrdered: true, deleteRule: .cascade),
                    .init("whole", to: "Node", inverse: "parts"),
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

    /// `FOLIO_LARGE_GRAPH` makes it larger or smaller; this takes some seconds without
    /// optimization.
    private static let count =
        ProcessInfo.processInfo.environment["FOLIO_LARGE_GRAPH"].flatMap { Int($0) } ?? sweep(10_000, all: 100_000)

    @Test func aCascadeTouchesEachObjectOnce() throws {
        let count = Self.count
        try GraphFixture.run(.sqlite, classes: ["Node": Node.self], model: Self.model()) { fixture in
            try grow(count, in: fixture.context())
            let context = fixture.context()
            let manager = UndoManager()
            context.undoManager = manager
            _ = Node.takeCounts()
            context.delete(try context.one("Node", "number == 0"))
            context.processPendingChanges()
            #expect(context.deletedObjects.count == count)
            #expect(Node.takeCounts() == [count, 0, 0])
            manager.undo()
            #expect(!context.hasChanges && context.deletedObjects.isEmpty)
            #expect(Node.takeCounts() == [0, count, 0])
            manager.redo()
            #expect(context.deletedObjects.count == count)
            try context.save()
            #expect(Node.takeCounts()[0] == 0)
            #expect(try fixture.context().count("Node") == 0)
        }
    }
}
