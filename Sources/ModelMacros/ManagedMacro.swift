package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Managed`: the accessors of a property of a managed object's class, and the bodies of methods
/// that change a to-many relationship.
package struct ManagedMacro: AccessorMacro, BodyMacro {
    package static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
        else { return [] }
        let key = name.identifier?.name ?? name.text
        return [
            "get { managedValue(forKey: \"\(raw: key)\") }",
            "set { setManagedValue(newValue, forKey: \"\(raw: key)\") }",
        ]
    }

    package static func expansion(
        of node: AttributeSyntax, providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) -> [CodeBlockItemSyntax] {
        guard let function = declaration.as(FunctionDeclSyntax.self) else { return [] }
        let arguments = function.signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).text }
        return [
            "performManagedAccessor(\"\(raw: function.name.text)\", [\(raw: arguments.joined(separator: ", "))])"
        ]
    }
}

/// `@ManagedObjectClass`: `@Managed` for every member that says nothing else.
package struct ManagedObjectClassMacro: MemberAttributeMacro {
    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) -> [AttributeSyntax] {
        if let variable = member.as(VariableDeclSyntax.self) {
            guard variable.bindingSpecifier.tokenKind == .keyword(.var), variable.attributes.isEmpty,
                let binding = variable.bindings.first, variable.bindings.count == 1, binding.accessorBlock == nil,
                binding.initializer == nil,
                !variable.modifiers.contains(where: { ["static", "class", "lazy", "weak"].contains($0.name.text) })
            else { return [] }
            return ["@Managed"]
        }
        guard let function = member.as(FunctionDeclSyntax.self), function.body == nil, function.attributes.isEmpty
        else {
            return []
        }
        return ["@ManagedAccessor"]
    }
}
