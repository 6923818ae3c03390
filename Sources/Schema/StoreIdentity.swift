/// Which store an object ID belongs to, and with which model it is read.
public final class StoreIdentity: Sendable {
    /// Upper-case UUID text.
    public let uuid: String
    public let model: ManagedObjectModel

    package init(uuid: String, model: ManagedObjectModel) {
        self.uuid = uuid
        self.model = model
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
