public import Foundation
import Schema

/// A property of an entity, as a model declares it.
///
/// Descriptions can be changed until a coordinator uses their model.
open class NSPropertyDescription: NSObject {
    /// The entity that declares the property; nil as long as none does.
    public internal(set) weak var entity: NSEntityDescription?

    public override init() {
        super.init()
    }

    /// Checks that the model can still be changed, and forgets what was made of it.
    func willEdit() { entity?.willEdit() }

    /// A copy that belongs to no entity.
    func duplicate() -> NSPropertyDescription { preconditionFailure("\(type(of: self)) makes its own copies") }

    /// The name of the property, unique in its entity.
    open var name: String {
        get { "" }
        set { preconditionFailure("A property of no kind has no name: \(newValue)") }
    }
    /// Whether an object can be saved without a value.
    open var isOptional: Bool {
        get { true }
        set { willEdit() }
    }
    /// Whether the value is kept in memory only.
    open var isTransient: Bool {
        get { false }
        set { willEdit() }
    }
    /// Free-form keys and values of the model's author. Only texts are kept in model files.
    open var userInfo: [AnyHashable: Any]? {
        get { texts }
        set {
            willEdit()
            texts = UserInfo.texts(newValue)
        }
    }
    /// A text that changes the version hash.
    open var versionHashModifier: String? {
        get { nil }
        set { willEdit() }
    }
    /// The name in earlier versions of the model; nil for the same.
    open var renamingIdentifier: String? {
        get { nil }
        set { willEdit() }
    }
    /// Whether models from before 2017 ask for an index.
    open var isIndexed: Bool {
        get { false }
        set { willEdit() }
    }
    /// Whether Spotlight indexes the property. It is kept, and not used.
    open var isIndexedBySpotlight: Bool {
        get { false }
        set { willEdit() }
    }
    /// Whether Spotlight's store holds the property, which there is not here. It is not kept.
    open var isStoredInExternalRecord: Bool {
        get { false }
        set { willEdit() }
    }
    /// The hash of what decides about compatibility, of the entity that declares the property.
    open var versionHash: Data { entity?.versionHash ?? Data() }
    /// The predicates that values must satisfy, as
    /// ``setValidationPredicates(_:withValidationWarnings:)`` set them.
    open private(set) var validationPredicates: [NSPredicate] = []
    /// The warnings for values that do not satisfy a predicate.
    open private(set) var validationWarnings: [Any] = []

    /// The texts of the user info.
    var texts: [String: String] {
        get { [:] }
        set { willEdit() }
    }

    /// Sets predicates that values must satisfy before a save, with an error or a text for each.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        willEdit()
        self.validationPredicates = validationPredicates ?? []
        self.validationWarnings = validationWarnings ?? []
    }

    /// Copies what every kind has to another description.
    func copyCommon(to other: NSPropertyDescription) {
        other.validationPredicates = validationPredicates
        other.validationWarnings = validationWarnings
    }

    open override var description: String { "<\(type(of: self)) \(name)>" }
}

extension NSPropertyDescription: NSCopying {
    /// A description of its own, which belongs to no entity.
    public func copy(with zone: NSZone? = nil) -> Any { duplicate() }
}

/// User information between what callers use and what models keep.
enum UserInfo {
    static func texts(_ values: [AnyHashable: Any]?) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in values ?? [:] { texts["\(key)"] = "\(value)" }
        return texts
    }
}
