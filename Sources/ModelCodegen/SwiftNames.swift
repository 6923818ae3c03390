import Schema

/// The Swift names of a model's classes and properties.
struct SwiftNames {
    /// The class names by entity, without module names. Entities without a class name, or with
    /// `NSManagedObject`, have no entry.
    let classes: [String: String]
    private let classNames: Set<String>
    private let members: [String: Members]
    private let framework: CodeGenerator.Framework

    /// The names of an entity's members in code, by the names in the model. Those of inherited
    /// properties are the super-entity's.
    private struct Members {
        var properties: [String: String] = [:]
        /// What the methods of a to-many relationship end with.
        var suffixes: [String: String] = [:]
    }

    private static let baseClasses: Set<String> = ["NSManagedObject", "ManagedObject"]
    /// Names that a property of a class can't have: those of properties of `ManagedObject`, those
    /// that a key path takes for a type or for the object itself, and those that are no name.
    private static let taken: Set<String> = [
        "hasPersistentChangedValues", "managedObjectContext", "entity", "objectID", "isInserted", "isUpdated",
        "isDeleted", "isFault", "hasChanges", "predicateConstant", "description", "hash", "hashValue",
        "ID", "Type", "Protocol", "Self", "self", "init", "_",
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

    /// - Parameter modelName: The name of the model, after which the enum with its classes is
    ///   named.
    init(_ model: ManagedObjectModel, modelName: String, _ framework: CodeGenerator.Framework = .folio)
        throws(CodegenError)
    {
        self.framework = framework
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
            if framework == .folio, last == Self.typeName(modelName) + "Model" {
                faults.append("\(entity.name): its class \(last) has the name of the enum that holds the model")
            }
            if framework.modules.contains(last) {
                faults.append("\(entity.name): the class \(last) would hide the module of that name")
            }
            classes[entity.name] = last
        }
        guard faults.isEmpty else { throw CodegenError(faults: faults) }
        self.classes = classes
        classNames = Set(classes.values)
        members = Self.members(of: model)
    }

    /// Names the members of all entities. No two members of a class and its ancestors have one
    /// name.
    private static func members(of model: ManagedObjectModel) -> [String: Members] {
        var members: [String: Members] = [:]
        var used: [String: (names: Set<String>, suffixes: Set<String>)] = [:]
        // Super-entities come before their sub-entities.
        for entity in model.entities {
            var own = Members()
            var (names, suffixes) = entity.superentity.flatMap { used[$0.name] } ?? ([], [])
            let definition = entity.definition
            let all =
                definition.attributes.map(\.name) + definition.relationships.map(\.name)
                + definition.fetchedProperties.map(\.name)
            // Names that can stay as they are come first.
            for name in all where !taken.contains(name) && names.insert(name).inserted {
                own.properties[name] = keywords.contains(name) ? "`\(name)`" : name
            }
            for name in all where own.properties[name] == nil {
                own.properties[name] = free(name, among: &names)
            }
            let toManys = definition.relationships.filter(\.isToMany).map(\.name)
            for name in toManys where name == capitalized(name) && suffixes.insert(name).inserted {
                own.suffixes[name] = name
            }
            for name in toManys where own.suffixes[name] == nil {
                let suffix = capitalized(name)
                own.suffixes[name] = suffixes.insert(suffix).inserted ? suffix : free(suffix, among: &suffixes)
            }
            members[entity.name] = own
            used[entity.name] = (names, suffixes)
        }
        return members
    }

    /// The name with as many underscores as it takes.
    private static func free(_ name: String, among names: inout Set<String>) -> String {
        var free = name + "_"
        while !names.insert(free).inserted { free += "_" }
        return free
    }

    /// The name of an entity's own property in code, with backticks or underscores if necessary.
    func property(_ name: String, of entity: EntityDescription) -> String {
        members[entity.name]?.properties[name] ?? Self.property(name)
    }

    /// What the names of the methods for an entity's own to-many relationship end with.
    func suffix(_ name: String, of entity: EntityDescription) -> String {
        members[entity.name]?.suffixes[name] ?? Self.capitalized(name)
    }

    /// A type of a module, qualified if a class of the model has its name.
    func type(_ name: String, in module: String) -> String {
        classNames.contains(name) ? "\(module).\(name)" : name
    }

    /// A type of Folio.
    func folio(_ name: String) -> String { type(name, in: "Folio") }
    /// A type of the standard library.
    func swift(_ name: String) -> String { type(name, in: "Swift") }

    /// The Swift type of an entity's objects: the class of the entity, or of its nearest
    /// super-entity that has one.
    func objectType(_ entity: EntityDescription?) -> String {
        var next = entity
        while let entity = next {
            if let name = classes[entity.name] { return name }
            next = entity.superentity
        }
        return baseType
    }

    /// The class of objects whose entities have none of their own.
    var baseType: String { type(framework.baseClass, in: framework.module) }

    /// The name of a function in code, with backticks or an underscore if necessary.
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
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            && (!keywords.contains(name) || contextual.contains(name))
    }

    /// Words that are the names of members only where a type is meant.
    private static let contextual: Set<String> = ["Type", "Protocol", "open"]
}
