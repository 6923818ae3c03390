public import Foundation
import Query
import Schema
import Synchronization

/// Turns values of an application's own into the data that a transformable attribute keeps, and back.
///
/// ```swift
/// struct ColorTransformer: AttributeTransformer {
///     func data(from value: Any) throws -> Data { … }
///     func value(from data: Data) throws -> Any { … }
/// }
/// AttributeTransformers.register(ColorTransformer(), named: "ColorTransformer")
/// try car.setTransformedValue(Color.red, forKey: "color")
/// ```
/// What comes out of a store may have been written by anybody: a transformer makes nothing of it that it does not know.
public protocol AttributeTransformer: Sendable {
    /// - Throws: what says why the value can't be kept.
    func data(from value: Any) throws -> Data
    /// - Throws: what says why the data are none of this transformer's.
    func value(from data: Data) throws -> Any
}

/// The transformers that models name (`valueTransformerName`).
///
/// Without a name, and under Core Data's names for it, an attribute is kept as a keyed archive of Foundation's own values: ``SecureArchiveTransformer``.
public enum AttributeTransformers {
    private static let known = Mutex<[String: any AttributeTransformer]>([
        "NSSecureUnarchiveFromData": SecureArchiveTransformer(), "NSSecureUnarchiveFromDataTransformerName": SecureArchiveTransformer(),
        // Named so in models of the first years. Nothing is ever made of it but what the other one makes.
        "NSKeyedUnarchiveFromData": SecureArchiveTransformer(), "NSKeyedUnarchiveFromDataTransformerName": SecureArchiveTransformer(),
    ])

    /// Makes a transformer known, in the place of one of that name.
    public static func register(_ transformer: some AttributeTransformer, named name: String) {
        known.withLock { $0[name] = transformer }
    }

    /// The transformer of a name; nil if none was registered.
    public static func transformer(named name: String) -> (any AttributeTransformer)? { known.withLock { $0[name] } }

    public static var names: [String] { known.withLock { $0.keys.sorted() } }

    /// The transformer that an attribute names.
    static func transformer(for name: String?, entity: String, key: String) throws(GraphError) -> any AttributeTransformer {
        guard let name, !name.isEmpty else { return SecureArchiveTransformer() }
        if let found = transformer(named: name) { return found }
        let hint = NearestNames.question(NearestNames.nearest(to: name, among: names))
        throw GraphError(
            .wrongType, "\(entity).\(key) is transformed by \"\(name)\", which is not registered\(hint): call AttributeTransformers.register(_:named:)", entity: entity, key: key)
    }
}

extension ManagedObject {
    /// The value that a transformable attribute's data stand for, made anew each time: changing it in place changes nothing here.
    /// - Throws: ``GraphError`` with code `unknownKey`, or `wrongType` for an attribute that is not transformable, a transformer that is not registered, or data that it refuses; what
    ///   reading the store throws.
    public final func transformedValue(forKey key: String) throws -> Any? {
        let transformer = try transformer(forKey: key)
        let data: Data
        switch try propertyValue(forKey: key) {
        case .data(let bytes): data = bytes
        case .large(let value): data = try value.data()
        default: return nil
        }
        do { return try transformer.value(from: data) } catch { throw untransformable("holds data that its transformer refuses", key, error) }
    }

    /// Sets a transformable attribute to the data that a value becomes.
    /// - Throws: ``GraphError`` as ``transformedValue(forKey:)``; the attribute is as it was then.
    public final func setTransformedValue(_ value: Any?, forKey key: String) throws {
        let transformer = try transformer(forKey: key)
        guard let value else { return try setPropertyValue(.null, forKey: key) }
        let data: Data
        do { data = try transformer.data(from: value) } catch { throw untransformable("can't be \(type(of: value))", key, error) }
        try setPropertyValue(.data(data), forKey: key)
    }

    private func transformer(forKey key: String) throws(GraphError) -> any AttributeTransformer {
        guard let property = entity.property(named: key) else { throw GraphError.unknownKey(key, of: entity) }
        guard let attribute = property.attribute, attribute.type == .transformable else {
            throw GraphError(.wrongType, "\(entity.name).\(key) is no transformable attribute", entity: entity.name, key: key)
        }
        return try AttributeTransformers.transformer(for: attribute.valueTransformerName, entity: entity.name, key: key)
    }

    private func untransformable(_ what: String, _ key: String, _ error: any Error) -> GraphError {
        GraphError(.wrongType, "\(entity.name).\(key) \(what): \(error)", entity: entity.name, key: key, underlying: error)
    }
}
