import Folio
import Foundation

/// W11 and W12: what objects cost in memory alone.
enum ObjectWorkloads {
    private static let passes = 50

    private static func items(_ url: URL) async throws -> (PersistentDocument, [ManagedObject], AttributeKey<Int64>) {
        let document = try await PersistentDocument.open(url)
        guard let entity = document.model.entity(named: Item.entityName) else {
            throw BenchmarkError("the document has no items")
        }
        return (
            document, try document.context.fetch(FetchRequest<ManagedObject>(entityName: Item.entityName)),
            try entity.attribute("number")
        )
    }

    // MARK: Access

    /// A stored property of a class, which reading is held against.
    private final class Plain {
        var number: Int64
        init(_ number: Int64) { self.number = number }
    }

    static func folioReading(_ url: URL) async throws -> Measurement {
        let (document, items, number) = try await items(url)
        for item in items { try item.fulfillFault() }
        let watch = Stopwatch()
        var sum: Int64 = 0
        for _ in 0..<passes { for item in items { sum &+= item[number] ?? 0 } }
        let measured = watch.measurement(checksum: UInt64(bitPattern: sum))
        try await document.close()
        return measured
    }

    /// The same by name; what it is held against is the typed reading.
    static func dynamicReading(_ url: URL) async throws -> Measurement {
        let (document, items, _) = try await items(url)
        for item in items { try item.fulfillFault() }
        let watch = Stopwatch()
        var sum: Int64 = 0
        for _ in 0..<passes { for item in items { sum &+= Int64(item.value(forKey: "number") as? Int ?? 0) } }
        let measured = watch.measurement(checksum: UInt64(bitPattern: sum))
        try await document.close()
        return measured
    }

    static func handReading(_ size: Int) -> Measurement {
        let items = (0..<size).map { Plain(Item.number($0)) }
        let watch = Stopwatch()
        var sum: Int64 = 0
        for _ in 0..<passes { for item in items { sum &+= item.number } }
        return watch.measurement(checksum: UInt64(bitPattern: sum))
    }

    static func folioWriting(_ url: URL) async throws -> Measurement {
        let (document, items, number) = try await items(url)
        for item in items { try item.fulfillFault() }
        let watch = Stopwatch()
        for pass in 0..<passes { for item in items { item[number] = Int64(pass) } }
        let measured = watch.measurement(checksum: UInt64(items.reduce(0) { $0 + ($1[number] ?? 0) }))
        document.context.rollback()
        try await document.close()
        return measured
    }

    /// A dictionary for each object, as untyped models have it.
    private final class Loose {
        var values: [String: Any] = ["number": Int64(0)]
    }

    static func handWriting(_ size: Int) -> Measurement {
        let items = (0..<size).map { _ in Loose() }
        let watch = Stopwatch()
        for pass in 0..<passes { for item in items { item.values["number"] = Int64(pass) } }
        return watch.measurement(checksum: UInt64(items.reduce(0) { $0 + ($1.values["number"] as? Int64 ?? 0) }))
    }

    // MARK: Undo

    /// Undo or redo of all changes of one event; beside it the time that these changes took.
    static func undo(_ url: URL, _ contestant: Contestant, redoes: Bool) async throws -> Measurement {
        let (document, items, number) = try await items(url)
        let context = document.context
        context.undoManager = UndoManager()
        for item in items { try item.fulfillFault() }
        var watch = Stopwatch()
        for item in items { item[number] = (item[number] ?? 0) + 1 }
        context.processPendingChanges()
        var measured = watch.measurement(checksum: 0)
        if contestant == .folio {
            if redoes { context.undo() }
            watch = Stopwatch()
            if redoes { context.redo() } else { context.undo() }
            measured = watch.measurement(checksum: 0)
            if !redoes { context.redo() }
        }
        measured.checksum = UInt64(bitPattern: items.reduce(0) { $0 &+ ($1[number] ?? 0) })
        context.rollback()
        try await document.close()
        return measured
    }
}
