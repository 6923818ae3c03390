import SwiftSyntax
import SwiftSyntaxMacros

/// `@Attribute`, `@Relationship`, `@Transient`: say nothing by themselves, `@Model` reads them.
struct MarkerMacro: PeerMacro {
    static func expansion(of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext) -> [DeclSyntax] {
        []
    }
}

/// `#Unique`, `#Index`: say nothing by themselves, `@Model` reads them.
struct DeclarationMarkerMacro: DeclarationMacro {
    static func expansion(of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext) -> [DeclSyntax] { [] }
}
