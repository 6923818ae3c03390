import Schema

/// The Swift names of a model's classes and properties.
struct SwiftNames {
    /// By entity: the name of the class, without the module's; entities that name none, or
    /// `NSManagedObject`, have no entry.
    let classes: [String: String]

    private static let baseClasses: Set<String> = ["NSManagedObject", "ManagedObject"]
    /// Names that a class can't give a property, since `ManagedObject` has a property of that name.
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

    /// What the objects of an entity are in Swift: the class of the nearest entity upwards that has
    /// one.
    func objectType(_ entity: EntityDescription?) -> String {
        var next = entity
        while let entity = next {
            if let name = classes[entity.name] { return name }
            next = entity.superentity
        }
        return "ManagedObject"
    }

    /// The name of a property, with the backticks or the underscore that it takes.
    static func property(_ name: String) -> String {
        if taken.contains(name) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// The name of what a typed accessor is kept in.
    static func handle(_ name: String) -> String { name + "Property" }

    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The name of a type made of any text.
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
