import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: makes a class's stored properties those of its entity, and declares the entity.
struct ModelMacro: MemberMacro, MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let model = ModelDeclaration(declaration, in: context) else { return [] }
        PropertyChecks(context: context).check(declaration.memberBlock.members)
        let properties = declaration.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.compactMap(PersistedProperty.init)
        let name = model.name
        var arguments = ["\"\(name)\", of: \(name).self, superclass: \(model.superclass).self"]
        arguments.append("properties: [\(properties.map(\.declaration).joined(separator: ", "))]")
        if !properties.isEmpty {
            arguments.append("keyPaths: [\(properties.map { "\\\(name).\($0.identifier): \"\($0.name)\"" }.joined(separator: ", "))]")
        }
        for (label, macro) in [("uniquenessConstraints", "Unique"), ("indexes", "Index")] {
            let lists = model.keyPathLists(of: macro, in: context)
            if !lists.isEmpty { arguments.append("\(label): [\(lists.joined(separator: ", "))]") }
        }
        if let original = node.arguments?.as(LabeledExprListSyntax.self)?.first(where: { $0.label?.text == "originalName" }) {
            arguments.append("originalName: \(original.expression.trimmed)")
        }
        return ["\(raw: model.access)override class var schemaEntity: SchemaEntity? { SchemaEntity(\(raw: arguments.joined(separator: ", "))) }"]
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [AttributeSyntax] {
        guard let variable = member.as(VariableDeclSyntax.self), PersistedProperty(variable) != nil else { return [] }
        return ["@_Persisted"]
    }
}
