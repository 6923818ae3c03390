package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Attribute`, `@Relationship` and `@Transient`. They expand to nothing; `@Model` reads them.
package struct MarkerMacro: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        let name = "@\(node.attributeName.trimmedDescription)"
        if !context.standsInModel {
            context.report("outsideModel", "\(name) says something of a property of a class with @Model", at: node)
        } else if !declaration.is(VariableDeclSyntax.self) {
            context.report("markedOther", "\(name) stands before a property", at: node)
        }
        return []
    }
}

/// `#Unique` and `#Index`. They expand to nothing; `@Model` reads them.
package struct DeclarationMarkerMacro: DeclarationMacro {
    package static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        if !context.standsInModel {
            context.report(
                "outsideModel", "#\(node.macroName.text) stands among the members of a class with @Model", at: node)
        }
        return []
    }
}

extension MacroExpansionContext {
    /// Whether the enclosing declaration is a class with `@Model`.
    fileprivate var standsInModel: Bool {
        guard let attributes = lexicalContext.first?.as(ClassDeclSyntax.self)?.attributes else { return false }
        return attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription.split(separator: ".").last == "Model"
        }
    }
}
