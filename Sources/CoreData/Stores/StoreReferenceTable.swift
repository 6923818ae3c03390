import Foundation
import Schema
import Storage
import Synchronization

/// The identities by which a store of the application's own knows its objects, and the IDs that
/// stand for them.
///
/// An ID has the same key for the same identity as long as any ID of the store exists, and shows
/// the identity in its URI.
final class StoreReferenceTable: Sendable {
    /// A reference object, as it is given back.
    private enum Original: Sendable {
        case text(String)
        case whole(Int64)
        case fraction(Double)
        case uuid(UUID)
        case url(URL)

        var value: Any {
            switch self {
            case .text(let text): text
            case .whole(let number): NSNumber(value: number)
            case .fraction(let number): NSNumber(value: number)
            case .uuid(let uuid): uuid
            case .url(let url): url
            }
        }

        var folio: ReferenceObject {
            switch self {
            case .text(let text): .text(text)
            case .whole(let number) where number > 0 && number < StoreReferences.firstKey: .number(number)
            case .whole(let number): .text("\(number)")
            case .fraction(let number): .text("\(number)")
            case .uuid(let uuid): .text(uuid.uuidString)
            case .url(let url): .text(url.absoluteString)
            }
        }
    }

    private struct Place: Hashable {
        let root: Int
        let key: Int64
    }

    private struct Entry {
        /// The entity that the store has named, a descendant of the one in some IDs.
        var entityIndex: Int
        var original: Original?
        /// Whether the identity was made for an object that is not saved yet.
        var isFresh = false

        init(entityIndex: Int) { self.entityIndex = entityIndex }

        /// Notes what is said of the identity. A descendant of the named entity stays.
        mutating func name(_ entity: EntityDescription, _ original: Original?) {
            if !entity.family.contains(entityIndex) { entityIndex = entity.index }
            if let original { self.original = original }
        }
    }

    let identity: StoreIdentity
    private let context: IncrementalStoreContext
    private let entries = Mutex<[Place: Entry]>([:])

    init(uuid: String, model: ManagedObjectModel) {
        identity = StoreIdentity(uuid: uuid, model: model, references: StoreReferences.shared(storeUUID: uuid))
        context = IncrementalStoreContext(identity)
    }

    /// The ID of an object. Traps for an entity of another model and for an identity that is none.
    func objectID(_ entityName: String?, _ reference: Any) -> ManagedObjectID {
        guard let known = identity.model.entity(named: entityName ?? "") else {
            preconditionFailure("The store's model has no entity named \(entityName ?? "")")
        }
        guard let original = Self.original(reference) else {
            preconditionFailure("A reference object is a text, a number, a UUID or a URL, not a \(type(of: reference))")
        }
        do {
            let key = try context.key(of: original.folio)
            let place = Place(root: known.rootIndex, key: key)
            let index = entries.withLock { entries in
                entries[place, default: Entry(entityIndex: known.index)].name(known, original)
                return entries[place]?.entityIndex
            }
            return ManagedObjectID(store: identity, entityIndex: index ?? known.index, key: key)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func original(_ reference: Any) -> Original? {
        switch reference {
        case let number as NSNumber where type(of: reference) is NSNumber.Type:
            switch String(cString: number.objCType) {
            case "d", "f": Int64(exactly: number.doubleValue).map { .whole($0) } ?? .fraction(number.doubleValue)
            default: .whole(number.int64Value)
            }
        case let number as any BinaryInteger: Int64(exactly: number).map { .whole($0) } ?? .text("\(number)")
        case let text as String: .text(text)
        case let text as NSString: .text("\(text)")
        case let uuid as UUID: .uuid(uuid)
        case let uuid as NSUUID: UUID(uuidString: uuid.uuidString).map { .uuid($0) }
        case let url as URL: .url(url)
        case let number as Double: Int64(exactly: number).map { .whole($0) } ?? .fraction(number)
        default: nil
        }
    }

    /// The identity that an ID stands for. Traps for an ID of another store and a temporary one.
    func referenceObject(_ id: ManagedObjectID) -> Any {
        precondition(id.store == identity && id.key > 0, "\(id) is no permanent ID of this store")
        if let known = entries.withLock({ $0[place(id)]?.original }) { return known.value }
        switch context.referenceObject(for: id) {
        case .text(let text)?: return text
        case .number(let number)?: return NSNumber(value: number)
        case nil: preconditionFailure("\(id) is no permanent ID of this store")
        }
    }

    private func place(_ id: ManagedObjectID) -> Place {
        Place(root: identity.model.entities[id.entityIndex].rootIndex, key: id.key)
    }

    /// The ID with the entity that the store has named.
    func exact(_ id: ManagedObjectID) -> ManagedObjectID {
        let index = entries.withLock { $0[place(id)]?.entityIndex }
        return ManagedObjectID(store: identity, entityIndex: index ?? id.entityIndex, key: id.key)
    }

    /// Notes the entity of an ID that was not made here.
    func note(_ id: ManagedObjectID) {
        guard id.store == identity, id.key > 0 else { return }
        let entity = identity.model.entities[id.entityIndex]
        entries.withLock { $0[place(id), default: Entry(entityIndex: id.entityIndex)].name(entity, nil) }
    }

    // MARK: New objects

    /// Notes IDs of new objects, which the store does not have yet.
    func addFresh(_ ids: [ManagedObjectID]) {
        entries.withLock { entries in
            for id in ids { entries[place(id), default: Entry(entityIndex: id.entityIndex)].isFresh = true }
        }
    }

    /// Notes that new objects were saved.
    func endFresh(_ ids: [ManagedObjectID]) {
        entries.withLock { entries in for id in ids { entries[place(id)]?.isFresh = false } }
    }

    /// Whether an ID is that of a new object, which the store does not have yet.
    func isFresh(_ id: ManagedObjectID) -> Bool { entries.withLock { $0[place(id)]?.isFresh == true } }
}
