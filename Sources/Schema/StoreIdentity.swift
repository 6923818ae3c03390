/// Which store an object ID belongs to, and with which model it is read.
public final class StoreIdentity: Sendable {
    /// Upper-case UUID text.
    public let uuid: String
    /// The version with which the store is open.
    public let model: ManagedObjectModel

    /// What the store calls its objects, where that is not numbers alone.
    package let references: StoreReferences?

    package init(uuid: String, model: ManagedObjectModel, references: StoreReferences? = nil) {
        self.uuid = uuid
        self.model = model
        self.references = references
    }

    /// Whether `uuid` can be a store's in URIs: letters, digits and hyphens, at most 64.
    package static func isLegal(_ uuid: String) -> Bool {
        (1...64).contains(uuid.utf8.count)
            && uuid.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    }

    /// An identity for objects that are in no store yet, unlike any other.
    package static func unsaved(_ model: ManagedObjectModel) -> StoreIdentity {
        // `UUID()` opens a device each time.
        var generator = SystemRandomNumberGenerator()
        let high = generator.next() & ~0xF000 | 0x4000, low = generator.next() & ~(3 << 62) | 2 << 62
        return StoreIdentity(uuid: text(high, low), model: model)
    }

    /// The text of a UUID: by hand, since every document that is opened has one made.
    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let value = UInt8(truncatingIfNeeded: (digit < 16 ? high : low) >> UInt64(60 - digit % 16 * 4)) & 15
                text[place] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
                place += 1
            }
            return place
        }
    }
}

extension StoreIdentity: Hashable {
    public static func == (left: StoreIdentity, right: StoreIdentity) -> Bool {
        left === right || left.uuid == right.uuid
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(uuid)
    }
}
