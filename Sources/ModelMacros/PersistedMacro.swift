package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@_Persisted`, which `@Model` attaches to each property: generates the accessors, and the typed
/// property that they use.
package struct PersistedMacro: AccessorMacro, PeerMacro {
    package static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [AccessorDeclSyntax] {
        guard let property = declaration.as(VariableDeclSyntax.self).flatMap(PersistedProperty.init) else { return [] }
        return ["get { \(raw: property.place) }", "set { \(raw: property.place) = newValue }"]
    }

    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let property = declaration.as(VariableDeclSyntax.self).flatMap(PersistedProperty.init) else { return [] }
        return [
            "\(raw: property.access)static let \(raw: property.handle) = ManagedObject._typedProperty(\"\(raw: property.name)\", (\(raw: property.type)).self)"
        ]
    }
}
