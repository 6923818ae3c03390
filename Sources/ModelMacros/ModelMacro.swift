package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Model`: turns the stored properties of a class into properties of its entity, and declares the
/// entity.
package struct ModelMacro: MemberMacro, MemberAttributeMacro {
    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let model = ModelDeclaration(declaration, in: context) else { return [] }
        MemberChecks(context: context).check(declaration.memberBlock.members)
        let properties = declaration.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.compactMap(
            PersistedProperty.init)
        let name = model.name
        var arguments = ["\"\(name)\", of: \(name).self, superclass: \(model.superclass).self"]
        arguments.append("properties: [\(properties.map(\.declaration).joined(separator: ", "))]")
        if !properties.isEmpty {
            arguments.append("keyPaths: \(keyPaths(of: properties, in: name))")
        }
        for (label, macro) in [("uniquenessConstraints", "Unique"), ("indexes", "Index")] {
            let lists = model.keyPathLists(of: macro, in: context)
            if !lists.isEmpty { arguments.append("\(label): [\(lists.joined(separator: ", "))]") }
        }
        if let original = node.arguments?.as(LabeledExprListSyntax.self)?.first(where: {
            $0.label?.text == "originalName"
        }) {
            arguments.append("originalName: \(original.expression.trimmed)")
        }
        return [
            "\(raw: model.access)override class var _schemaEntity: _SchemaEntity? { _SchemaEntity(\(raw: arguments.joined(separator: ", "))) }"
        ]
    }

    /// A closure that returns the names of the properties by key paths of the class or of a
    /// subclass, whose key paths are different.
    private static func keyPaths(of properties: [PersistedProperty], in name: String) -> String {
        let entries = properties.map { "names[\\_Object.\($0.identifier)] = \"\($0.name)\"" }
        return """
            { type in
                func names<_Object: \(name) & KeyPathNaming>(_: _Object.Type) -> [AnyKeyPath: String] {
                    var names: [AnyKeyPath: String] = [:]
                    \(entries.joined(separator: "\n        "))
                    return names
                }
                return (type as? any (\(name) & KeyPathNaming).Type).map { names($0) } ?? [:]
            }
            """
    }

    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [AttributeSyntax] {
        guard let variable = member.as(VariableDeclSyntax.self), PersistedProperty(variable) != nil else { return [] }
        return ["@_Persisted"]
    }
}
