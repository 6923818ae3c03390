import SwiftSyntax

/// A persistent property of a class with `@Model`, as declared.
struct PersistedProperty {
    let name: String
    /// The declared type, or the type of the literal.
    let type: String
    let isOptional: Bool
    let initialValue: ExprSyntax?
    let isTransient: Bool
    /// The arguments of `@Attribute` and `@Relationship`; nil without the attribute.
    let attributeArguments: String?
    let relationshipArguments: String?
    let access: String

    /// Whether a declaration declares stored instance properties.
    static func isStoredVariable(_ variable: VariableDeclSyntax) -> Bool {
        let isInstance = !variable.modifiers.contains {
            ["static", "class", "lazy", "override"].contains($0.name.text)
        }
        return isInstance && variable.bindings.allSatisfy { $0.accessorBlock == nil || isObserved($0) }
    }

    static func isObserved(_ binding: PatternBindingSyntax) -> Bool {
        guard case .accessors(let list)? = binding.accessorBlock?.accessors else { return false }
        return list.contains { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
    }

    /// Nil for a variable that can't be persisted; `MemberChecks` reports the reason.
    init?(_ variable: VariableDeclSyntax) {
        guard variable.bindingSpecifier.tokenKind == .keyword(.var), Self.isStoredVariable(variable),
            variable.bindings.count == 1,
            let binding = variable.bindings.first, !Self.isObserved(binding),
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
            !variable.modifiers.contains(where: { ["weak", "unowned"].contains($0.name.text) }),
            binding.typeAnnotation?.type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) != true
        else { return nil }
        initialValue = binding.initializer?.value.trimmed
        if let annotation = binding.typeAnnotation?.type {
            type = annotation.trimmedDescription
            isOptional =
                annotation.is(OptionalTypeSyntax.self)
                || annotation.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
        } else if let inferred = initialValue.flatMap(Self.literalType) {
            type = inferred
            isOptional = false
        } else {
            return nil
        }
        name = pattern.identifier.text.trimmingBackticks
        isTransient = variable.attribute(named: "Transient") != nil
        attributeArguments = variable.attribute(named: "Attribute").map { $0.arguments?.trimmedDescription ?? "" }
        relationshipArguments = variable.attribute(named: "Relationship").map { $0.arguments?.trimmedDescription ?? "" }
        access = variable.modifiers.access
    }

    private static func literalType(_ value: ExprSyntax) -> String? {
        if value.is(StringLiteralExprSyntax.self) { return "String" }
        if value.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if value.is(FloatLiteralExprSyntax.self) { return "Double" }
        if value.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        return nil
    }

    /// The name, escaped for use in code.
    var identifier: String { "`\(name)`" }
    var handle: String { name + "Property" }

    /// The expression that the accessors read and write.
    var place: String {
        if isOptional { return "self[Self.\(handle)]" }
        guard let initialValue else { return "self[required: Self.\(handle)]" }
        return "self[Self.\(handle), default: \(initialValue)]"
    }

    /// The expression that declares the property in the schema.
    var declaration: String {
        var arguments = ["isOptional: \(isOptional)"]
        if isTransient { arguments.append("isTransient: true") }
        if let initialValue, relationshipArguments == nil, !initialValue.is(NilLiteralExprSyntax.self) {
            arguments.append("defaultValue: \(initialValue)")
        }
        if let attributeArguments { arguments.append("_AttributeOptions(\(attributeArguments))") }
        if let relationshipArguments { arguments.append("_RelationshipOptions(\(relationshipArguments))") }
        return "\(handle)._declaration(\(arguments.joined(separator: ", ")))"
    }
}

extension VariableDeclSyntax {
    func attribute(named name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in attributes
        where attribute.attributeName.trimmedDescription.split(separator: ".").last.map(String.init) == name {
            return attribute
        }
        return nil
    }
}

extension DeclModifierListSyntax {
    /// The access level for a member generated for such a declaration, followed by a space.
    var access: String {
        for modifier in self {
            switch modifier.name.tokenKind {
            case .keyword(.public), .keyword(.open): return "public "
            case .keyword(.package): return "package "
            case .keyword(.fileprivate), .keyword(.private): return "fileprivate "
            default: continue
            }
        }
        return ""
    }
}

extension String {
    var trimmingBackticks: String {
        hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
    }
}
