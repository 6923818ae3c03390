import SwiftSyntax

/// The properties of a program's classes that are those of entities.
struct ManagedClasses {
    /// What the declarations of classes name after the colon.
    private let parents: [String: Set<String>]
    /// The names of the properties with `@NSManaged`, by the names of their classes.
    private let properties: [String: Set<String>]

    init(_ trees: [SourceFileSyntax]) {
        let visitor = DeclarationVisitor(viewMode: .sourceAccurate)
        for tree in trees { visitor.walk(tree) }
        (parents, properties) = (visitor.parents, visitor.properties)
    }

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
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                variable.attributes.contains(where: {
                    $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "NSManaged"
                })
            else { continue }
            for binding in variable.bindings {
                properties[type, default: []].insert(binding.pattern.trimmedDescription)
            }
        }
    }
}
