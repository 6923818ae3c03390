import Schema

/// What the declarations of all kinds of properties have, so that ``NSPropertyDescription`` reads
/// and changes them in one way.
protocol PropertyDeclaration {
    var name: String { get set }
    var isOptional: Bool { get set }
    var isTransient: Bool { get set }
    var isIndexed: Bool { get set }
    var versionHashModifier: String? { get set }
    var renamingIdentifier: String? { get set }
    var userInfo: [String: String] { get set }
}

extension AttributeDescription: PropertyDeclaration {}
extension RelationshipDescription: PropertyDeclaration {}

extension FetchedPropertyDescription: PropertyDeclaration {
    // A fetched property is never stored, whatever is set.
    var isTransient: Bool {
        get { false }
        set {}
    }
    var isIndexed: Bool {
        get { false }
        set {}
    }
}

/// The declaration of a property that is part of no entity, such as a computed column.
struct PlainDeclaration: PropertyDeclaration {
    var name = ""
    var isOptional = true
    var isTransient = false
    var isIndexed = false
    var versionHashModifier: String?
    var renamingIdentifier: String?
    var userInfo: [String: String] = [:]
}
