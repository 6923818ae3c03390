import SwiftSyntax

/// `NSSet` and `NSMutableSet` take no array literals on Linux.
extension PortVisitor {
    private static let setTypes: Set = ["NSSet", "NSMutableSet"]

    /// Makes an array literal a set.
    private func makeSet(_ array: ArrayExprSyntax, _ type: String, through end: AbsolutePosition? = nil) {
        let start = array.positionAfterSkippingLeadingTrivia, arrayEnd = array.endPositionBeforeTrailingTrivia
        if array.elements.isEmpty {
            change([SourceEdit(start: start, end: end ?? arrayEnd, text: "\(type)()")])
        } else {
            change([
                SourceEdit(start: start, end: start, text: "\(type)(array: "),
                SourceEdit(start: arrayEnd, end: end ?? arrayEnd, text: ")"),
            ])
        }
    }

    /// The set that a type is, or an optional of it.
    private func setType(_ type: TypeSyntax?) -> String? {
        guard let type else { return nil }
        if let optional = type.as(OptionalTypeSyntax.self) { return setType(optional.wrappedType) }
        if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return setType(optional.wrappedType) }
        let name = type.trimmedDescription
        return Self.setTypes.contains(name) ? name : nil
    }

    /// `let tags: NSSet = [a, b]`, and the default of a parameter.
    func rewriteSetLiteral(_ initializer: InitializerClauseSyntax?, of type: TypeSyntax?) {
        guard let array = initializer?.value.as(ArrayExprSyntax.self), let name = setType(type) else { return }
        makeSet(array, name)
    }

    /// `[a, b] as NSSet`, `book.tags = [a, b]`, `book.tags ?? []`.
    func rewriteSetLiterals(_ elements: [ExprSyntax]) {
        for (index, element) in elements.enumerated() where index > 0 && index + 1 < elements.count {
            let left = elements[index - 1], right = elements[index + 1]
            if element.is(UnresolvedAsExprSyntax.self), let array = left.as(ArrayExprSyntax.self),
                let type = right.as(TypeExprSyntax.self), let name = setType(type.type)
            {
                makeSet(array, name, through: right.endPositionBeforeTrailingTrivia)
            } else if let array = right.as(ArrayExprSyntax.self), index + 2 == elements.count,
                element.is(AssignmentExprSyntax.self) || element.trimmedDescription == "??",
                let property = name(of: left), classes.isSet(property)
            {
                makeSet(array, "NSSet")
            }
        }
    }

    /// `book.addToTags([a, b])`
    func rewriteSetArgument(_ node: FunctionCallExprSyntax, of name: String) {
        guard node.arguments.count == 1, let argument = node.arguments.first, argument.label == nil,
            let array = argument.expression.as(ArrayExprSyntax.self), classes.isSet(name)
        else { return }
        makeSet(array, "NSSet")
    }

    /// The name of the property or method that an expression leads to.
    func name(of expression: some ExprSyntaxProtocol) -> String? {
        let expression = ExprSyntax(expression)
        if let chain = expression.as(OptionalChainingExprSyntax.self) { return name(of: chain.expression) }
        return expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            ?? expression.as(DeclReferenceExprSyntax.self)?.baseName.text
    }
}
