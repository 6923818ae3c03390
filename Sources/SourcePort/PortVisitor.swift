import SwiftSyntax

/// Finds what is to be replaced in a file, and what is left to people.
final class PortVisitor: SyntaxVisitor {
    let classes: ManagedClasses
    private let imports: ImportedModules
    private(set) var edits: [SourceEdit] = []
    private(set) var notes: [PortNote] = []
    /// The number of places that were changed; one can take several edits.
    private(set) var changeCount = 0
    /// The names of the types that are being visited, the innermost last.
    private var types: [String] = []
    /// The names that Foundation has, too.
    private var clashing: Set<String> = []
    /// Whether the file has names of Core Data without importing it.
    private var lacksImport = false

    init(_ classes: ManagedClasses, _ imports: ImportedModules) {
        self.classes = classes
        self.imports = imports
        super.init(viewMode: .sourceAccurate)
    }

    private func replace(_ node: some SyntaxProtocol, with text: String) {
        edits.append(
            SourceEdit(
                start: node.positionAfterSkippingLeadingTrivia, end: node.endPositionBeforeTrailingTrivia, text: text))
        changeCount += 1
    }

    /// Changes one place by edits that belong together.
    func change(_ edits: [SourceEdit]) {
        self.edits += edits
        changeCount += 1
    }

    private func note(_ node: some SyntaxProtocol, _ message: String) {
        notes.append(PortNote(position: node.positionAfterSkippingLeadingTrivia, message: message))
    }

    // MARK: Attributes

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        switch node.attributeName.trimmedDescription {
        case "NSManaged":
            let isOfFunction = node.parent?.parent?.is(FunctionDeclSyntax.self) == true
            replace(node.attributeName, with: isOfFunction ? "ManagedAccessor" : "Managed")
            if !imports.hasCoreData { lacksImport = true }
        case "objc", "objcMembers", "nonobjc": remove(node)
        default: break
        }
        return .visitChildren
    }

    /// Removes an attribute with the white space behind it: what follows takes its place.
    private func remove(_ node: AttributeSyntax) {
        var end = node.endPositionBeforeTrailingTrivia
        let trivia = node.trailingTrivia + (node.nextToken(viewMode: .sourceAccurate)?.leadingTrivia ?? [])
        for piece in trivia.prefix(while: \.isWhitespace) { end += piece.sourceLength }
        edits.append(SourceEdit(start: node.positionAfterSkippingLeadingTrivia, end: end, text: ""))
        changeCount += 1
    }

    // MARK: Types

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        types.append(node.name.text)
        if node.inheritanceClause?.inheritedTypes.contains(where: {
            $0.type.trimmedDescription.hasSuffix("NSEntityMigrationPolicy")
        }) == true {
            notePolicyFunctions(node)
        }
        return .visitChildren
    }

    override func visitPost(_ node: ClassDeclSyntax) { types.removeLast() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        types.append(node.extendedType.trimmedDescription)
        return .visitChildren
    }

    override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }

    private func notePolicyFunctions(_ node: ClassDeclSyntax) {
        for member in node.memberBlock.members {
            guard let function = member.decl.as(FunctionDeclSyntax.self),
                function.attributes.contains(where: {
                    $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "objc"
                })
            else { continue }
            note(
                function.name,
                "a mapping's expression finds no method by its name here: override value(forFunction:arguments:) and call \(function.name.text) there"
            )
        }
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        noteClash(node.name.text)
        // What Foundation lists by it is a sequence on Linux.
        if node.name.text == "NSFastEnumeration" { replace(node, with: "Sequence") }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        // Beside Core Data's, calls of initializers find the right class by themselves.
        if !imports.hasCoreData { noteClash(node.baseName.text) }
        if imports.isNameOfCoreData(node.baseName.text) { lacksImport = true }
        return .visitChildren
    }

    private func noteClash(_ name: String) {
        if imports.isNameOfCoreData(name) { lacksImport = true }
        guard ["NSExpression", "NSComparisonPredicate"].contains(name), imports.hasOthers, !classes.hasAlias(name),
            !imports.importedNames.contains(name)
        else { return }
        clashing.insert(name)
    }

    /// Adds imports. Those of single names come before those of the same names in whole modules.
    override func visitPost(_ node: SourceFileSyntax) {
        let names = (lacksImport ? ["CoreData"] : []) + clashing.sorted().map { "class CoreData.\($0)" }
        guard let place = imports.place else {
            guard lacksImport, let first = node.statements.first else { return }
            let position = first.positionAfterSkippingLeadingTrivia
            change([SourceEdit(start: position, end: position, text: "import CoreData\n\n")])
            return
        }
        let before = place.modifiers.map { $0.trimmedDescription + " " }.joined(), position = place.endPosition
        for name in names {
            change([SourceEdit(start: position, end: position, text: "\n\(before)import \(name)")])
        }
    }

    // MARK: Key paths and selectors

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.macroName.text {
        case "keyPath": rewriteKeyPath(node)
        case "selector": rewriteSelector(node)
        default: return .visitChildren
        }
        return .skipChildren
    }

    private func rewriteKeyPath(_ node: MacroExpansionExprSyntax) {
        let words = (node.arguments.first?.expression.trimmedDescription ?? "").split(separator: ".").map(String.init)
        let typeNames = words.prefix { $0.first?.isUppercase == true }, keys = words.dropFirst(typeNames.count)
        let type = typeNames.last == "Self" || typeNames.isEmpty ? types.last : typeNames.joined(separator: ".")
        if keys.count == 1, let key = keys.first, let type, let last = type.split(separator: ".").last,
            classes.hasProperty(key, in: String(last))
        {
            return replace(node, with: "NSStringFromKeyPath(\\\(type).\(key))")
        }
        let text = keys.joined(separator: ".")
        replace(node, with: "\"\(text)\"")
        note(node, "the compiler does not check the key path \"\(text)\" any more")
    }

    private static let comparisons: Set = [
        "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardCompare",
    ]

    private func rewriteSelector(_ node: MacroExpansionExprSyntax) {
        let text = node.arguments.first?.expression.trimmedDescription ?? ""
        let name = text.prefix { $0 != "(" }.split(separator: ".").last.map(String.init) ?? ""
        if Self.comparisons.contains(name) { return replace(node, with: "Selector(\"\(name):\")") }
        // One that observes is listed by its call.
        let call = node.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)
        if call?.calledExpression.trimmedDescription.hasSuffix("addObserver") == true { return }
        note(node, "methods are not called by selectors here: pass a closure that calls \(text)")
    }

    // MARK: Calls

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        let labels = node.arguments.map { $0.label?.text ?? "_" }
        let name = name(of: node.calledExpression)
        if let name { rewriteSetArgument(node, of: name) }
        switch (name, labels) {
        case ("NSPredicate", ["format", "arguments"]), ("NSExpression", ["format", "arguments"]): rewriteArguments(node)
        case ("addObserver", ["_", "selector", "name", "object"]):
            note(node, "observe with a closure: addObserver(forName:object:queue:using:)")
        case ("addObserver", ["_", "forKeyPath", "options", "context"]), ("removeObserver", ["_", "forKeyPath"]),
            ("removeObserver", ["_", "forKeyPath", "context"]):
            note(node, Self.unobserved)
        case ("observe", _), ("publisher", ["for"]), ("publisher", ["for", "options"]):
            if node.arguments.first?.expression.is(KeyPathExprSyntax.self) == true { note(node, Self.unobserved) }
        case ("willChangeValue", ["for"]), ("didChangeValue", ["for"]):
            note(node, "changes are told by the property's name: \(name ?? "")(forKey:)")
        case ("classForCoder", []): rewriteClass(node)
        default: break
        }
        return .visitChildren
    }

    private static let unobserved =
        "objects are not observed by key here: observe notifications of the context"

    /// `Book.self.classForCoder()` as `Book.self`.
    private func rewriteClass(_ node: FunctionCallExprSyntax) {
        guard let base = node.calledExpression.as(MemberAccessExprSyntax.self)?.base else { return }
        let isMetatype = base.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "self"
        change([
            SourceEdit(
                start: base.endPositionBeforeTrailingTrivia, end: node.endPositionBeforeTrailingTrivia,
                text: isMetatype ? "" : ".self")
        ])
    }

    /// `arguments: getVaList(values)` as `argumentArray: values`.
    private func rewriteArguments(_ node: FunctionCallExprSyntax) {
        guard let argument = node.arguments.last, let label = argument.label else { return }
        guard let call = argument.expression.as(FunctionCallExprSyntax.self), call.arguments.count == 1,
            call.calledExpression.trimmedDescription == "getVaList", let values = call.arguments.first
        else { return note(argument, "there are no va_lists here: pass the values as argumentArray") }
        edits.append(
            SourceEdit(
                start: label.positionAfterSkippingLeadingTrivia, end: label.endPositionBeforeTrailingTrivia,
                text: "argumentArray"))
        edits.append(
            SourceEdit(
                start: call.positionAfterSkippingLeadingTrivia,
                end: values.expression.positionAfterSkippingLeadingTrivia, text: ""))
        edits.append(
            SourceEdit(
                start: values.expression.endPositionBeforeTrailingTrivia, end: call.endPositionBeforeTrailingTrivia,
                text: ""))
        changeCount += 1
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        rewriteSetLiteral(node.initializer, of: node.typeAnnotation?.type)
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        rewriteSetLiteral(node.defaultValue, of: node.type)
        return .visitChildren
    }

    /// `Book.fetchRequest() as! NSFetchRequest<Book>` as a request that is made, and other casts of
    /// requests as the initializer that does what they mean.
    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let elements = Array(node.elements)
        rewriteSetLiterals(elements)
        for (index, element) in elements.enumerated() where index > 0 && index + 1 < elements.count {
            guard let mark = element.as(UnresolvedAsExprSyntax.self)?.questionOrExclamationMark,
                let type = elements[index + 1].as(TypeExprSyntax.self),
                type.type.as(IdentifierTypeSyntax.self)?.name.text == "NSFetchRequest"
            else { continue }
            let operand = elements[index - 1], wanted = type.trimmedDescription
            let start = operand.positionAfterSkippingLeadingTrivia, end = type.endPositionBeforeTrailingTrivia
            if let base = baseOfRequest(operand), base != "Self", wanted == "NSFetchRequest<\(base)>" {
                edits.append(SourceEdit(start: start, end: end, text: "\(wanted)(entityName: \"\(base)\")"))
            } else {
                edits.append(SourceEdit(start: start, end: start, text: "\(wanted)(casting: "))
                edits.append(
                    SourceEdit(
                        start: operand.endPositionBeforeTrailingTrivia, end: end, text: mark.text == "!" ? ")!" : ")"))
            }
            changeCount += 1
        }
        return .visitChildren
    }

    /// `Book` of `Book.fetchRequest()`.
    private func baseOfRequest(_ operand: ExprSyntax) -> String? {
        guard let call = operand.as(FunctionCallExprSyntax.self), call.arguments.isEmpty,
            let member = call.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "fetchRequest"
        else { return nil }
        return member.base?.trimmedDescription
    }

    // MARK: Functions

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        let name = node.name.text
        let parameters = node.signature.parameterClause.parameters
        if name.hasPrefix("validate"), parameters.contains(where: { $0.type.trimmedDescription.contains("Pointer<") }) {
            note(
                node.name,
                "is not found by its name, and values are no pointers here: validate in validateForInsert() and validateForUpdate()"
            )
        }
        if name == "observeValue" && parameters.first?.firstName.text == "forKeyPath"
            || name == "automaticallyNotifiesObservers" || name.hasPrefix("keyPathsForValuesAffecting")
        {
            note(node.name, Self.unobserved)
        }
        return .visitChildren
    }
}
