public import Foundation

/// The identity of an object: its store, its entity and its primary key. An ID is valid outside of
/// contexts and in other processes.
///
/// ```swift
/// try context.obtainPermanentIDs(for: [book])
/// let text = book.objectID.uriRepresentation().absoluteString
/// if let id = coordinator.managedObjectID(text: text) { print(try context.existingObject(with: id)) }
/// ```
/// A new object has a temporary ID until it is saved. A temporary ID never equals the permanent
/// one, so keep permanent IDs only; ``ManagedObjectContext/obtainPermanentIDs(for:)`` assigns them
/// before a save.
public struct ManagedObjectID: Sendable {
    package let store: StoreIdentity
    package let entityIndex: Int
    /// Positive: the primary key of the object. Negative: a temporary key, unique in its context.
    package let key: Int64

    package init(store: StoreIdentity, entityIndex: Int, key: Int64) {
        self.store = store
        self.entityIndex = entityIndex
        self.key = key
    }

    /// The entity of the object, in the model with which its store is open.
    @_disfavoredOverload
    public var entity: EntityDescription { store.model.entities[entityIndex] }
    /// The UUID of the object's store; for a temporary ID, a UUID of its context.
    public var storeUUID: String { store.uuid }
    /// Whether the ID is temporary, that is, the object has not been saved.
    public var isTemporaryID: Bool { key < 0 }

    /// The ID as a URI: `x-coredata://<store UUID>/<Entity>/p<primary key>`, with `t` instead of
    /// `p` for a temporary ID.
    ///
    /// In stores that identify objects by text, the percent-escaped text is used instead of the
    /// primary key.
    public func uriRepresentation() -> URL {
        guard let url = URL(string: description) else {
            preconditionFailure("An entity's name can't stand in a URI: \(entity.name)")
        }
        return url
    }

    /// Parses `x-coredata://…/Entity/p7` or the short form `Entity/p7`. The ID belongs to `store`,
    /// which must be the store of a full URI.
    /// - Returns: Nil if the text is not such a URI, or names another store or an unknown entity.
    package init?(text: some StringProtocol, store: StoreIdentity) {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 5, parts[0] == "x-coredata:", parts[1].isEmpty {
            guard parts[2].uppercased() == store.uuid else { return nil }
            parts.removeFirst(3)
        }
        guard parts.count == 2, let name = String(parts[0]).removingPercentEncoding,
            let entity = store.model.entity(named: name)
        else { return nil }
        guard parts[1].first == "p" else { return nil }
        let reference = parts[1].dropFirst()
        if let references = store.references, StoreReferences.number(reference) == nil {
            guard let key = references.key(forEscaped: reference) else { return nil }
            self.init(store: store, entityIndex: entity.index, key: key)
            return
        }
        // An object has one name: no sign and no leading zero.
        guard let key = Int64(reference), key > 0, String(key) == reference else { return nil }
        self.init(store: store, entityIndex: entity.index, key: key)
    }
}

extension ManagedObjectID: Hashable {
    public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
        left.key == right.key && left.store == right.store && left.entity.rootIndex == right.entity.rootIndex
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }
}

extension ManagedObjectID: CustomStringConvertible {
    public var description: String {
        let name = entity.name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? entity.name
        return "x-coredata://\(store.uuid)/\(name)/\(reference)"
    }

    /// The short name in messages, such as `Book/p7`.
    package var shortName: String { "\(entity.name)/\(reference)" }

    /// The last component of the URI.
    package var reference: String {
        if key < 0 { return "t\(key.magnitude)" }
        return "p" + (store.references?.text(for: key).map(StoreReferences.escaped) ?? "\(key)")
    }
}
