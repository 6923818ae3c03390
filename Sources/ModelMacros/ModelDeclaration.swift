import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The class to which `@Model` is attached.
struct ModelDeclaration {
    let name: String
    let superclass: String
    let access: String
    private let members: MemberBlockItemListSyntax

    /// Nil, after reporting a diagnostic, if the declaration can't be a model class.
    init?(_ declaration: some DeclGroupSyntax, in context: some MacroExpansionContext) {
        guard let classDeclaration = declaration.as(ClassDeclSyntax.self) else {
            let keyword = declaration.firstIntroducer ?? Syntax(declaration)
            context.report("needsClass", "@Model needs a class: objects of a context have identity", at: keyword)
            return nil
        }
        if let generics = classDeclaration.genericParameterClause {
            context.report(
                "generic", "a class with @Model can't be generic: it is the class of one entity", at: generics)
            return nil
        }
        guard let superclass = classDeclaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription else {
            let clause = InheritanceClauseSyntax(
                colon: .colonToken(trailingTrivia: .space),
                inheritedTypes: [InheritedTypeSyntax(type: IdentifierTypeSyntax(name: "ManagedObject"))],
                trailingTrivia: .space)
            var mended = classDeclaration
            mended.name = mended.name.with(\.trailingTrivia, [])
            mended.inheritanceClause = clause
            context.report(
                "needsSuperclass", "a class with @Model inherits from ManagedObject or from another class with @Model",
                at: classDeclaration.name,
                fixIts: [.replacing("needsSuperclass", "inherit from ManagedObject", classDeclaration, by: mended)])
            return nil
        }
        name = classDeclaration.name.text
        self.superclass = superclass
        let access = classDeclaration.modifiers.access
        self.access = access == "fileprivate " ? "" : access
        members = classDeclaration.memberBlock.members
    }

    /// The names in the arguments of each `#Unique` or `#Index`, as array literals.
    func keyPathLists(of macro: String, in context: some MacroExpansionContext) -> [String] {
        var lists: [String] = []
        for member in members {
            guard let expansion = member.decl.as(MacroExpansionDeclSyntax.self), expansion.macroName.text == macro
            else { continue }
            for argument in expansion.arguments {
                guard let elements = argument.expression.as(ArrayExprSyntax.self)?.elements else {
                    context.report(
                        "keyPaths", "#\(macro) takes arrays of key paths, such as [\\.name]", at: argument.expression)
                    continue
                }
                let names = elements.map { element -> String? in
                    let components = element.expression.as(KeyPathExprSyntax.self)?.components
                    guard let components, components.count == 1,
                        let property = components.first?.component.as(KeyPathPropertyComponentSyntax.self)
                    else {
                        context.report(
                            "keyPaths", "#\(macro) takes key paths of one step, such as \\.name", at: element.expression
                        )
                        return nil
                    }
                    return "\"\(property.declName.baseName.text.trimmingBackticks)\""
                }
                lists.append("[\(names.compactMap { $0 }.joined(separator: ", "))]")
            }
        }
        return lists
    }
}

extension DeclGroupSyntax {
    /// The keyword `struct`, `enum`, `actor` and so on.
    fileprivate var firstIntroducer: Syntax? { introducer.isPresent ? Syntax(introducer) : nil }
}

extension TokenSyntax {
    fileprivate var isPresent: Bool { presence == .present }
}
