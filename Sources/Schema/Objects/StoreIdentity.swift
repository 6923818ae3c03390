internal import Foundation

/// The store that an object ID belongs to, together with the model with which that store is open.
public final class StoreIdentity: Sendable {
    /// The UUID of the store, in upper case.
    public let uuid: String
    /// The model with which the store is open.
    public let model: ManagedObjectModel

    /// The texts by which the store identifies its objects; nil if it uses primary keys only.
    package let references: StoreReferences?

    package init(uuid: String, model: ManagedObjectModel, references: StoreReferences? = nil) {
        self.uuid = uuid
        self.model = model
        self.references = references
    }

    /// Whether `uuid` can be used as the UUID of a store in URIs: 1 to 64 letters, digits and
    /// hyphens.
    package static func isLegal(_ uuid: String) -> Bool {
        (1...64).contains(uuid.utf8.count)
            && uuid.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
    }

    /// Creates a unique identity for objects that are in no store yet.
    package static func unsaved(_ model: ManagedObjectModel) -> StoreIdentity {
        // `UUID()` opens a device with every call.
        var generator = SystemRandomNumberGenerator()
        let high = generator.next() & ~0xF000 | 0x4000, low = generator.next() & ~(3 << 62) | 2 << 62
        let uuid = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
        return StoreIdentity(uuid: uuid.uuidString, model: model)
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
