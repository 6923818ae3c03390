internal import Folio
internal import Foundation

/// The properties of an entity by their names as the host writes them, found without making text of
/// these.
struct KeyTable {
    private let names: [ContiguousArray<UInt8>]
    /// The index of a property plus 1, by the hash of its name; 0 for none.
    private let slots: [Int32]
    private let mask: Int

    init(_ entity: EntityDescription) {
        names = entity.properties.map { ContiguousArray($0.name.utf8) }
        var size = 8
        while size < names.count * 2 { size *= 2 }
        mask = size - 1
        var slots = [Int32](repeating: 0, count: size)
        for (index, name) in names.enumerated() {
            var slot = name.reduce(Self.seed) { Self.mixed($0, $1) } & (size - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(index + 1)
        }
        self.slots = slots
    }

    private static let seed = 5381
    @inline(__always)
    private static func mixed(_ hash: Int, _ byte: UInt8) -> Int { hash &* 33 ^ Int(byte) }

    /// The index of the property with a name; nil if there is none.
    /// - Parameter length: Of the name, in bytes.
    func index(_ name: UnsafePointer<CChar>, _ length: Int) -> Int? {
        let bytes = UnsafeRawBufferPointer(start: name, count: length)
        var hash = Self.seed
        for byte in bytes { hash = Self.mixed(hash, byte) }
        var slot = hash & mask
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if names[index].count == length, names[index].withUnsafeBytes({ $0.elementsEqual(bytes) }) {
                return index
            }
            slot = (slot + 1) & mask
        }
        return nil
    }
}
