import PortReport
import SwiftSyntax

/// The properties of a program's classes that are those of entities.
struct ManagedClasses {
    /// What the declarations of classes name after the colon.
    private let parents: [String: Set<String>]
    /// The names of the properties with `@NSManaged`, by the names of their classes.
    private let properties: [String: Set<String>]
    /// The names of the properties that are an `NSSet` in each class that has them, and of the
    /// methods that take one.
    private let sets: Set<String>
    /// The names that the program gives types of other modules.
    private let aliases: Set<String>

    /// - Parameter classes: Those of models, which Xcode generates.
    init(_ trees: [SourceFileSyntax], _ classes: [PortRequest.ModelClass]) {
        let visitor = DeclarationVisitor(viewMode: .sourceAccurate)
        for tree in trees { visitor.walk(tree) }
        for model in classes where model.isGenerated {
            visitor.parents[model.name, default: []].insert(model.superclass)
            visitor.properties[model.name, default: []].formUnion(model.properties)
            visitor.others.formUnion(Set(model.properties).subtracting(model.sets))
            visitor.sets.formUnion(model.sets)
            for name in model.sets {
                let suffix = name.prefix(1).uppercased() + name.dropFirst()
                visitor.sets.formUnion(["addTo\(suffix)", "removeFrom\(suffix)"])
            }
        }
        (parents, properties, aliases) = (visitor.parents, visitor.properties, visitor.aliases)
        sets = visitor.sets.subtracting(visitor.others)
    }

    /// Whether a property of this name is an `NSSet`, or a method takes one.
    func isSet(_ name: String) -> Bool { sets.contains(name) }

    /// Whether the program has a name of its own for a type.
    func hasAlias(_ name: String) -> Bool { aliases.contains(name) }

    /// Whether a class or one that it inherits from declares a property with `@NSManaged`.
    func hasProperty(_ name: String, in type: String) -> Bool {
        var seen: Set<String> = [], pending = [type]
        while let next = pending.popLast() {
            guard seen.insert(next).inserted else { continue }
            if properties[next]?.contains(name) == true { return true }
            pending += parents[next] ?? []
        }
        return false
    }
}

private final class DeclarationVisitor: SyntaxVisitor {
    var parents: [String: Set<String>] = [:]
    var properties: [String: Set<String>] = [:]
    var sets: Set<String> = []
    /// The names of what is of other types, variables and parameters too.
    var others: Set<String> = []
    var aliases: Set<String> = []

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        aliases.insert(node.name.text)
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let parameters = node.signature.parameterClause.parameters
        if parameters.count == 1, let parameter = parameters.first, parameter.firstName.text == "_" {
            let type = parameter.type.trimmedDescription
            if Self.isSet(parameter.type) { sets.insert(node.name.text) }
            // A method of that name that takes a literal as it is.
            if ["[", "Set<", "Sequence", "Collection"].contains(where: type.contains) { others.insert(node.name.text) }
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        note((node.secondName ?? node.firstName).text, isSet: Self.isSet(node.type), isManaged: false)
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        for binding in node.bindings {
            let isSet = binding.typeAnnotation.map { Self.isSet($0.type) } ?? false
            note(binding.pattern.trimmedDescription, isSet: isSet, isManaged: Self.isManaged(node))
        }
        return .visitChildren
    }

    private func note(_ name: String, isSet: Bool, isManaged: Bool) {
        if isSet, isManaged { sets.insert(name) } else if !isSet { others.insert(name) }
    }

    private static func isManaged(_ node: VariableDeclSyntax) -> Bool {
        node.attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "NSManaged"
        }
    }

    private static func isSet(_ type: TypeSyntax) -> Bool {
        ["NSSet", "NSSet?", "NSSet!"].contains(type.trimmedDescription)
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        let inherited = node.inheritanceClause?.inheritedTypes.map { type in
            // `CoreData.NSManagedObject` is `NSManagedObject`.
            type.type.trimmedDescription.split(separator: ".").last.map(String.init) ?? ""
        }
        parents[node.name.text, default: []].formUnion(inherited ?? [])
        note(node.memberBlock, of: node.name.text)
        return .visitChildren
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        note(node.memberBlock, of: node.extendedType.trimmedDescription)
        return .visitChildren
    }

    private func note(_ members: MemberBlockSyntax, of type: String) {
        for member in members.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), Self.isManaged(variable) else { continue }
            for binding in variable.bindings {
                properties[type, default: []].insert(binding.pattern.trimmedDescription)
            }
        }
    }
}
