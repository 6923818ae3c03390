public import Foundation
import Folio
import Migration
import Query
import Schema

/// Describes a migration from one version of a model to another.
open class NSMappingModel: NSObject {
    /// The entity mappings, in the order in which they are executed.
    open var entityMappings: [NSEntityMapping]!

    /// Creates a mapping model without mappings.
    public override init() {
        super.init()
        entityMappings = []
    }

    convenience init(_ model: MappingModel) {
        self.init()
        entityMappings = model.entityMappings.map { NSEntityMapping($0) }
    }

    /// What Folio's manager gets.
    ///
    /// - Throws: `MigrationError` for a source expression that can't be executed.
    func folio() throws -> MappingModel { MappingModel(entityMappings: try entityMappings.map { try $0.folio() }) }

    /// Whether two mapping models say the same.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        guard other !== self, let own = try? folio() else { return other === self }
        return (try? other.folio()) == own
    }

    // The mappings can change, their number hardly.
    open override var hash: Int { entityMappings.count }

    /// Reads a mapping model; nil if it can't be read.
    public convenience init?(contentsOf url: URL?) {
        guard let url, let model = try? MappingModel(contentsOf: url) else { return nil }
        self.init(model)
    }

    /// The mapping model of bundles that fits two versions; nil if there is none.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        guard
            let found = MappingModel.found(
                in: ModelFinder.folders(of: bundles ?? [.main]), from: sourceModel.compiled(),
                to: destinationModel.compiled())
        else { return nil }
        self.init(found)
    }

    /// Infers the mapping between two versions.
    ///
    /// - Throws: An error of Cocoa's domain, `NSInferredMappingModelError`.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        try translatingErrors {
            NSMappingModel(try MappingModel.inferred(from: sourceModel.compiled(), to: destinationModel.compiled()))
        }
    }

    /// The entity mappings by name.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary(entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

/// The kind of an entity mapping. The raw values are Apple's.
public enum NSEntityMappingType: UInt, Sendable {
    /// Not known.
    case undefinedEntityMappingType = 0
    /// A policy creates the objects.
    case customEntityMappingType
    /// The entity is new.
    case addEntityMappingType
    /// The entity is removed.
    case removeEntityMappingType
    /// The objects are copied.
    case copyEntityMappingType
    /// The objects are changed.
    case transformEntityMappingType
}

/// Describes how the objects of one entity are migrated.
open class NSEntityMapping: NSObject {
    private var value: EntityMapping
    private var ownUserInfo: [AnyHashable: Any]?

    /// Creates a mapping without entities.
    public override init() { value = EntityMapping("", .undefined, from: nil, to: nil) }

    init(_ mapping: EntityMapping) {
        value = mapping
        super.init()
        attributeMappings = mapping.attributeMappings.map { NSPropertyMapping($0) }
        relationshipMappings = mapping.relationshipMappings.map { NSPropertyMapping($0) }
        sourceExpression = mapping.sourcePredicate.map { predicate in
            NSExpression(
                .call(
                    target: .variable("manager"), selector: "fetchRequestForSourceEntityNamed:predicateString:",
                    arguments: [
                        .constant(.string(mapping.sourceEntityName ?? "")),
                        .constant(.string(predicate.predicateFormat)),
                    ]))
        }
    }

    /// What Folio's manager gets.
    ///
    /// - Throws: `MigrationError` with code `invalidMapping` for a source expression that is not a
    ///   fetch by a predicate: without it, other objects would be migrated.
    func folio() throws -> EntityMapping {
        var mapping = value
        mapping.name = name
        mapping.attributeMappings = (attributeMappings ?? []).map(\.folio)
        mapping.relationshipMappings = (relationshipMappings ?? []).map(\.folio)
        mapping.sourcePredicate = nil
        guard let sourceExpression else { return mapping }
        guard let text = sourceExpression.query.predicateOfSource else {
            throw MigrationError(
                .invalidMapping,
                "The source expression of the mapping “\(mapping.name)” is not of the form FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", …), …): \(sourceExpression)"
            )
        }
        if text == "TRUEPREDICATE" { return mapping }
        do { mapping.sourcePredicate = try FetchPredicate(format: text) } catch {
            throw MigrationError(
                .invalidMapping,
                "The source expression of the mapping “\(mapping.name)” has no valid predicate: \(error)"
            )
        }
        return mapping
    }

    /// The name of the mapping: unless it has one, the names of the entities, as in `Old->New`.
    open var name: String! {
        get {
            value.name.isEmpty ? "\(value.sourceEntityName ?? "")->\(value.destinationEntityName ?? "")" : value.name
        }
        set { value.name = newValue ?? "" }
    }
    /// The kind of the mapping.
    open var mappingType: NSEntityMappingType {
        get { NSEntityMappingType(rawValue: UInt(value.kind.rawValue)) ?? .undefinedEntityMappingType }
        set { value.kind = EntityMapping.Kind(rawValue: Int(newValue.rawValue)) ?? .undefined }
    }
    /// The name of the old entity.
    open var sourceEntityName: String? {
        get { value.sourceEntityName }
        set { value.sourceEntityName = newValue }
    }
    /// The hash of the old entity.
    open var sourceEntityVersionHash: Data? {
        get { value.sourceEntityVersionHash }
        set { value.sourceEntityVersionHash = newValue }
    }
    /// The name of the new entity.
    open var destinationEntityName: String? {
        get { value.destinationEntityName }
        set { value.destinationEntityName = newValue }
    }
    /// The hash of the new entity.
    open var destinationEntityVersionHash: Data? {
        get { value.destinationEntityVersionHash }
        set { value.destinationEntityVersionHash = newValue }
    }
    /// The mappings of attributes.
    open var attributeMappings: [NSPropertyMapping]?
    /// The mappings of relationships.
    open var relationshipMappings: [NSPropertyMapping]?
    /// The expression of the old objects:
    /// `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", …), …)`.
    open var sourceExpression: NSExpression?
    /// Free-form values. An inferred mapping has sets of names under `addedProperties`,
    /// `removedProperties` and `mappedProperties`.
    open var userInfo: [AnyHashable: Any]? {
        get {
            if let ownUserInfo { return ownUserInfo }
            var info: [AnyHashable: Any] = value.userInfo
            for (key, names) in [
                ("addedProperties", value.addedProperties), ("removedProperties", value.removedProperties),
                ("mappedProperties", value.mappedProperties),
            ] where !names.isEmpty { info[key] = names }
            return info.isEmpty ? nil : info
        }
        set {
            ownUserInfo = newValue
            value.userInfo = UserInfo.texts(newValue)
        }
    }
    /// The name of the policy's class.
    open var entityMigrationPolicyClassName: String? {
        get { value.migrationPolicyName }
        set { value.migrationPolicyName = newValue }
    }
}

extension QueryExpression {
    /// The text of the predicate in the expression of a mapping's old objects.
    fileprivate var predicateOfSource: String? {
        switch self {
        case .call(_, "fetchRequestForSourceEntityNamed:predicateString:", let arguments):
            guard arguments.count == 2, case .constant(.string(let text)) = arguments[1] else { return nil }
            return text
        case .function(_, let arguments): return arguments.lazy.compactMap(\.predicateOfSource).first
        default: return nil
        }
    }
}

/// Describes the value of a property of new objects.
open class NSPropertyMapping: NSObject {
    /// The name of the property.
    open var name: String?
    /// The expression of the value.
    open var valueExpression: NSExpression?
    /// Free-form values.
    open var userInfo: [AnyHashable: Any]?

    /// Creates a mapping without a value.
    public override init() { super.init() }

    init(_ mapping: PropertyMapping) {
        super.init()
        name = mapping.name
        valueExpression = mapping.valueExpression.map { NSExpression($0) }
        userInfo = mapping.userInfo.isEmpty ? nil : mapping.userInfo
    }

    var folio: PropertyMapping {
        PropertyMapping(name ?? "", valueExpression: valueExpression?.query, userInfo: UserInfo.texts(userInfo))
    }
}
