import Folio
import Foundation

/// The object of the workloads: String, Int64, Double, Bool, Date, UUID, all made from its number.
enum Item {
    static let entityName = "Item"

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                entityName,
                attributes: [
                    AttributeDescription("name", .string, isOptional: false),
                    AttributeDescription("number", .integer64, isOptional: false, defaultValue: .int(0)),
                    AttributeDescription("ratio", .double, isOptional: false, defaultValue: .double(0)),
                    AttributeDescription("flag", .boolean, isOptional: false, defaultValue: .bool(false)),
                    AttributeDescription("created", .date),
                    AttributeDescription("identifier", .uuid),
                ])
        ])
    }

    /// The attributes by their typed keys.
    struct Keys {
        let name: AttributeKey<String>
        let number: AttributeKey<Int64>
        let ratio: AttributeKey<Double>
        let flag: AttributeKey<Bool>
        let created: AttributeKey<Date>
        let identifier: AttributeKey<UUID>

        init(_ entity: EntityDescription) throws {
            name = try entity.attribute("name")
            number = try entity.attribute("number")
            ratio = try entity.attribute("ratio")
            flag = try entity.attribute("flag")
            created = try entity.attribute("created")
            identifier = try entity.attribute("identifier")
        }

        @inline(__always) func set(_ item: ManagedObject, _ index: Int) {
            item[name] = Item.name(index)
            item[number] = Item.number(index)
            item[ratio] = Item.ratio(index)
            item[flag] = Item.flag(index)
            item[created] = Date(timeIntervalSinceReferenceDate: Item.seconds(index))
            item[identifier] = Item.uuid(index)
        }

        @inline(__always) func add(_ item: ManagedObject, to checksum: inout Checksum) {
            checksum.add(UInt64(item[name]?.utf8.count ?? -1))
            checksum.add(UInt64(bitPattern: item[number] ?? -1))
            checksum.add((item[ratio] ?? -1).bitPattern)
            checksum.add(item[flag] == true ? 1 : 0)
            checksum.add((item[created]?.timeIntervalSinceReferenceDate ?? -1).bitPattern)
            checksum.add(UInt64(item[identifier]?.uuid.0 ?? 0))
        }
    }

    static func name(_ index: Int) -> String {
        "Item " + String(index)
    }

    static func number(_ index: Int) -> Int64 { Int64(index) &* 7919 }
    static func ratio(_ index: Int) -> Double { Double(index) * 0.5 + 0.25 }
    static func flag(_ index: Int) -> Bool { index & 1 == 1 }
    static func seconds(_ index: Int) -> Double { 700_000_000.5 + Double(index) }

    static func uuid(_ index: Int) -> UUID {
        let high = UInt64(index) &* 0x9e37_79b9_7f4a_7c15
        let low = ~high
        func byte(_ word: UInt64, _ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (8 * place)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
                byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6),
                byte(low, 7)
            ))
    }
}
