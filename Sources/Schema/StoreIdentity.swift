/// Which store an object ID belongs to, and with which model it is read.
public final class StoreIdentity: Sendable {
    /// Upper-case UUID text.
    public let uuid: String
    /// The version with which the store is open.
    public let model: ManagedObjectModel

    package init(uuid: String, model: ManagedObjectModel) {
        self.uuid = uuid
        self.model = model
    }

    /// Whether `uuid` can be a store's in URIs: letters, digits and hyphens, at most 64.
    package static func isLegal(_ uuid: String) -> Bool {
        (1...64).contains(uuid.utf8.count)
            && uuid.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
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
