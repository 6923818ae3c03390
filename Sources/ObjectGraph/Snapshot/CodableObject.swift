public import Foundation
import Schema

/// A class whose objects can be encoded and decoded. An object is encoded with all objects that can
/// be reached from it, as a ``GraphSnapshot`` with one root.
///
/// ```swift
/// extension Book: CodableObject {}
/// let data = try JSONEncoder().encode(book)
/// let copy = try JSONDecoder().decode(Book.self, from: data, configuration: context)
/// ```
/// Decoding inserts new objects into the context and saves nothing. To encode several objects, use
/// one ``GraphSnapshot``: it contains shared objects once.
public protocol CodableObject: ManagedObject, Encodable, DecodableWithConfiguration
where DecodingConfiguration == ManagedObjectContext {}

extension CodableObject {
    public func encode(to encoder: any Encoder) throws {
        try GraphSnapshot(of: [self]).encode(to: encoder)
    }

    /// Decodes an object, and inserts it and the objects that belong to it into a context.
    ///
    /// - Throws: What ``GraphSnapshot/insert(into:)`` throws; ``GraphError`` with code `wrongType`
    ///   if the encoded object has another class, or there are several.
    public init(from decoder: any Decoder, configuration context: ManagedObjectContext) throws {
        let snapshot = try GraphSnapshot(from: decoder)
        guard snapshot.roots.count == 1, let root = snapshot.objects.first(where: { $0.id == snapshot.roots[0] }) else {
            throw GraphError(
                .wrongType,
                "This is a snapshot of \(snapshot.roots.count) objects, not of one: decode it as a GraphSnapshot")
        }
        guard let entity = context.model.entity(named: root.entity) else {
            throw GraphError.unknownEntity(root.entity, in: context.model)
        }
        guard context.shapes[entity.index].objectClass == Self.self, !entity.isAbstract else {
            throw GraphError(
                .wrongType, "\(root.id) is of class \(context.shapes[entity.index].objectClass), not \(Self.self)",
                entity: root.entity)
        }
        self.init(context.registry.makeSeed(entity.index))
        context.tracker.didInsert(self)
        do {
            _ = try snapshot.insert(into: context, adopting: self)
        } catch {
            // If the failure came before any insertion, this object was not deleted by the cleanup.
            if !isDeleted { context.delete(self) }
            throw error
        }
    }
}
