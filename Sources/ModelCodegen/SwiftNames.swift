import Schema

/// The Swift names of a model's classes and properties.
struct SwiftNames {
    /// The class names by entity, without module names. Entities without a class name, or with
    /// `NSManagedObject`, have no entry.
    let classes: [String: String]

    private static let baseClasses: Set<String> = ["NSManagedObject", "ManagedObject"]
    /// Names of properties of `ManagedObject`, which a property of a class can't have.
    private static let taken: Set<String> = [
        "hasPersistentChangedValues", "managedObjectContext", "entity", "objectID", "isInserted", "isUpdated",
        "isDeleted", "isFault", "hasChanges",
        "description", "hashValue",
    ]
    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal", "let", "open", "operator",
        "private", "precedencegroup", "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias",
        "var", "break", "case", "catch",
        "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return",
        "throw", "switch", "where", "while",
        "Any", "as", "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type",
        "Protocol",
    ]

    init(_ model: ManagedObjectModel) throws(CodegenError) {
        var classes: [String: String] = [:]
        var owners: [String: String] = [:]
        var faults: [String] = []
        for entity in model.entities {
            guard let declared = entity.managedObjectClassName,
                let last = declared.split(separator: ".").last.map(String.init), !Self.baseClasses.contains(last)
            else { continue }
            if !Self.isIdentifier(last) { faults.append("\(entity.name): “\(declared)” is no name of a Swift class") }
            if let other = owners.updateValue(entity.name, forKey: last) {
                faults.append("\(entity.name): its class \(last) is that of \(other) too")
            }
            classes[entity.name] = last
        }
        guard faults.isEmpty else { throw CodegenError(faults: faults) }
        self.classes = classes
    }

    /// The Swift type of an entity's objects: the class of the entity, or of its nearest
    /// super-entity that has one.
    func objectType(_ entity: EntityDescription?) -> String {
        var next = entity
        while let entity = next {
            if let name = classes[entity.name] { return name }
            next = entity.superentity
        }
        return "ManagedObject"
    }

    /// The name of a property in code, with backticks or an underscore if necessary.
    static func property(_ name: String) -> String {
        if taken.contains(name) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// The name of the static property with the typed property.
    static func handle(_ name: String) -> String { name + "Property" }

    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The name of a type for any text.
    static func typeName(_ text: String) -> String {
        let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { capitalized(String($0)) }
        let name = words.joined()
        return name.first.map(\.isNumber) == true || name.isEmpty ? "_" + name : name
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_" else { return false }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && !keywords.contains(name)
    }
}
