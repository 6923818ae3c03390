import CoreData
import Testing

/// The names of key paths.
struct KeyPathTests {
    @Test func aPropertyOfAnEntityHasAName() {
        #expect(name(\Shelf.name) == "name" && name(\Shelf.isFull) == "isFull" && name(\Shelf.count) == "count")
        #expect(name(\Shelf.room?.name) == "room.name" && name(\Shelf.room?.floor) == "room.floor")
        #expect(name(\Shelf.room!.name!) == "room.name" && name(\Shelf.day) == "day" && name(\Shelf.bytes) == "bytes")
        #expect(name(\Shelf.size) == "size" && name(\Shelf.mark) == "mark")
    }

    @Test func whatComputesHasNone() {
        #expect(name(\Shelf.title) == nil && name(\Shelf.fullTitle) == nil && name(\Shelf.nothing) == nil)
        #expect(name(\Shelf.half) == nil && name(\Shelf.isLong) == nil && name(\Shelf.loud) == nil)
        #expect(name(\Shelf.byKey) == nil && name(\Shelf.sorted) == nil && name(\Shelf.setting) == nil)
        #expect(name(\Shelf.origin) == nil)
    }

    @Test func whatGivesAValueAsItIsHasItsName() {
        #expect(name(\Shelf.alias) == "name" && name(\Shelf.roomName) == "room.name")
        #expect(name(\Shelf.byHand) == "byHand")
    }

    private func name<Value>(_ keyPath: KeyPath<Shelf, Value>) -> String? {
        NSSortDescriptor(keyPath: keyPath, ascending: true).key
    }
}

/// A place without a neutral value.
struct Origin {
    let x: Int
}

enum Size: Int16 {
    case small, large
}

final class Room: NSManagedObject {
    @Managed var name: String?
    @Managed var floor: Int32
}

final class Shelf: NSManagedObject {
    @Managed var name: String?
    @Managed var count: Int16
    @Managed var isFull: Bool
    @Managed var day: Date
    @Managed var bytes: Data?
    @Managed var size: Size
    @Managed var mark: NSNumber?
    @Managed var room: Room?
    @Managed var origin: Origin

    var alias: String? { name }
    var roomName: String? { room?.name }
    var byHand: String? {
        willAccessValue(forKey: "byHand")
        defer { didAccessValue(forKey: "byHand") }
        return primitiveValue(forKey: "byHand") as? String
    }
    var byKey: String { value(forKey: "name") as? String ?? "none" }
    var title: String { name ?? "Untitled" }
    var fullTitle: String? { name.map { "\($0) \(room?.name ?? "")" } }
    var loud: String? { name?.uppercased() }
    var nothing: String? { nil }
    var half: Int16 { count / 2 }
    var isLong: Bool { count > 100 }
    var sorted: [String] { NSSortDescriptor(keyPath: \Shelf.name, ascending: true).key.map { [$0] } ?? [] }
    var setting: String? {
        name = "set"
        return "set"
    }
}
