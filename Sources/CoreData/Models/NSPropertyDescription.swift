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

    private var plain = PlainDeclaration()
    /// The part of the declaration that all kinds of properties have. Setting it does not check
    /// whether the model can be changed.
    var declaration: any PropertyDeclaration {
        get { plain }
        set { if let newValue = newValue as? PlainDeclaration { plain = newValue } }
    }

    private func edit(_ change: (inout any PropertyDeclaration) -> Void) {
        willEdit()
        change(&declaration)
    }

    /// The name of the property, unique in its entity.
    open var name: String {
        get { declaration.name }
        set { edit { $0.name = newValue } }
    }
    /// Whether an object can be saved without a value.
    open var isOptional: Bool {
        get { declaration.isOptional }
        set { edit { $0.isOptional = newValue } }
    }
    /// Whether the value is kept in memory only. Fetched properties always are: setting it has no
    /// effect on them.
    open var isTransient: Bool {
        get { declaration.isTransient }
        set { edit { $0.isTransient = newValue } }
    }
    /// Free-form keys and values of the model's author. Only texts are kept in model files.
    open var userInfo: [AnyHashable: Any]? {
        get { declaration.userInfo }
        set { edit { $0.userInfo = UserInfo.texts(newValue) } }
    }
    /// A text that changes the version hash.
    open var versionHashModifier: String? {
        get { declaration.versionHashModifier }
        set { edit { $0.versionHashModifier = newValue } }
    }
    /// The name in earlier versions of the model; the present name where nothing else was set.
    open var renamingIdentifier: String? {
        get { declaration.renamingIdentifier ?? name }
        set { edit { $0.renamingIdentifier = newValue } }
    }
    /// Whether models from before 2017 ask for an index. Setting it has no effect on fetched
    /// properties.
    open var isIndexed: Bool {
        get { declaration.isIndexed }
        set { edit { $0.isIndexed = newValue } }
    }
    /// Whether Spotlight indexes the property. It is kept of attributes, and not used.
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

    /// Sets predicates that values must satisfy before a save, with a text for each, which becomes
    /// the error's description.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        willEdit()
        self.validationPredicates = validationPredicates ?? []
        self.validationWarnings = validationWarnings ?? []
    }

    /// Copies what every kind has to another description of the same kind.
    func copyCommon(to other: NSPropertyDescription) {
        other.declaration = declaration
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
