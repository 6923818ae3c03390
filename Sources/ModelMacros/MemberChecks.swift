import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Reports the members that a class with `@Model` can't have, with the reason.
struct MemberChecks<Context: MacroExpansionContext> {
    let context: Context

    /// The names of properties of `ManagedObject`.
    private var taken: Set<String> {
        [
            "hasPersistentChangedValues", "managedObjectContext", "entity", "objectID", "isInserted", "isUpdated",
            "isDeleted", "isFault", "hasChanges", "description",
        ]
    }

    func check(_ members: MemberBlockItemListSyntax) {
        for member in members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                if PersistedProperty.isStoredVariable(variable) { check(variable) } else { checkUnmarked(variable) }
            } else if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                check(initializer)
            }
        }
    }

    private func check(_ variable: VariableDeclSyntax) {
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            let mended = variable.bindingSpecifier.with(\.tokenKind, .keyword(.var))
            context.report(
                "constant", "a property of an entity is a variable: the store fills it", at: variable.bindingSpecifier,
                fixIts: [.replacing("constant", "make it a variable", variable.bindingSpecifier, by: mended)])
            return
        }
        if let modifier = variable.modifiers.first(where: { ["weak", "unowned"].contains($0.name.text) }) {
            let mended = variable.without { $0.modifiers = $0.modifiers.filter { $0.id != modifier.id } }
            context.report(
                "weak", "a property of an entity holds nothing: there is nothing to weaken", at: modifier,
                fixIts: [.replacing("weak", "remove “\(modifier.name.text)”", variable, by: mended)])
            return
        }
        guard variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            return context.report(
                "severalBindings", "declare each property of an entity by itself", at: variable.bindings)
        }
        if PersistedProperty.isObserved(binding), let block = binding.accessorBlock {
            return context.report(
                "observer", "a property of an entity can't have observers: override willSave, or observe the context",
                at: block)
        }
        if taken.contains(pattern.identifier.text.trimmingBackticks) {
            return context.report(
                "taken", "ManagedObject has a property “\(pattern.identifier.text)” of its own", at: pattern)
        }
        if let type = binding.typeAnnotation?.type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            let optional = OptionalTypeSyntax(wrappedType: type.wrappedType, trailingTrivia: type.trailingTrivia)
            context.report(
                "unwrapped", "a value can be missing: a property of an entity is optional or has a value of its own",
                at: type,
                fixIts: [.replacing("unwrapped", "make it optional", type, by: optional)])
            return
        }
        guard PersistedProperty(variable) != nil else {
            let annotation = TypeAnnotationSyntax(
                colon: .colonToken(trailingTrivia: .space), type: IdentifierTypeSyntax(name: .identifier("<#Type#>")),
                trailingTrivia: .space)
            let mended = binding.with(\.pattern.trailingTrivia, []).with(\.typeAnnotation, annotation)
            return context.report(
                "needsType", "write the type of “\(pattern.identifier.text)”: a macro sees no more than the text",
                at: pattern,
                fixIts: [.replacing("needsType", "write the type", binding, by: mended)])
        }
        check(variable, binding)
    }

    /// Checks the attributes of a property against its type.
    private func check(_ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax) {
        let relationship = variable.attribute(named: "Relationship")
        if let relationship, variable.attribute(named: "Attribute") != nil {
            context.report("both", "a property is an attribute or a relationship, not both", at: relationship)
        }
        if let transient = variable.attribute(named: "Transient"),
            let unique = variable.attribute(named: "Attribute")?.option("unique")
        {
            let mended = variable.without { $0.attributes = $0.attributes.filter { $0.id != transient.id } }
            context.report(
                "uniqueTransient", "the store keeps values unique, and never sees a transient one", at: unique,
                fixIts: [.replacing("uniqueTransient", "remove @Transient", variable, by: mended)])
        }
        guard let relationship, let type = binding.typeAnnotation?.type else { return }
        if isSingleObject(type) {
            let optional = OptionalTypeSyntax(wrappedType: type.trimmed, trailingTrivia: type.trailingTrivia)
            context.report(
                "needsOptional", "the object at the other end of a to-one relationship can be missing", at: type,
                fixIts: [.replacing("needsOptional", "make it optional", type, by: optional)])
        } else if type.is(OptionalTypeSyntax.self), let order = relationship.argument("isOrdered") {
            context.report("orderedToOne", "a to-one relationship has one object at most, and no order", at: order)
        }
    }

    /// Reports attributes on computed, static and lazy properties, which don't belong to the
    /// entity.
    private func checkUnmarked(_ variable: VariableDeclSyntax) {
        for name in ["Attribute", "Relationship", "Transient"] {
            guard let attribute = variable.attribute(named: name) else { continue }
            let mended = variable.without { $0.attributes = $0.attributes.filter { $0.id != attribute.id } }
            context.report(
                "notStored", "this property is none of the entity's: those are stored variables of the object",
                at: attribute,
                fixIts: [.replacing("notStored", "remove @\(name)", variable, by: mended)])
        }
    }

    private func check(_ initializer: InitializerDeclSyntax) {
        let modifiers = Set(initializer.modifiers.map(\.name.text))
        guard modifiers.isDisjoint(with: ["convenience", "required", "override"]) else { return }
        var mended = initializer
        mended.modifiers.append(DeclModifierSyntax(name: .keyword(.convenience, trailingTrivia: .space)))
        if initializer.modifiers.isEmpty {
            // The leading trivia of the keyword belongs before the modifier.
            mended.modifiers[mended.modifiers.startIndex].leadingTrivia = initializer.initKeyword.leadingTrivia
            mended.initKeyword.leadingTrivia = []
        }
        context.report(
            "designated", "an object is made by its context: this initializer calls self.init(context:)",
            at: initializer.initKeyword,
            fixIts: [.replacing("designated", "make it a convenience initializer", initializer, by: mended)])
    }

    /// Whether a type is a plain name without generic arguments, that is, neither optional nor a
    /// collection.
    private func isSingleObject(_ type: TypeSyntax) -> Bool {
        if let name = type.as(IdentifierTypeSyntax.self) { return name.genericArgumentClause == nil }
        return type.is(MemberTypeSyntax.self)
    }
}

extension VariableDeclSyntax {
    /// The declaration after a removal at its beginning, with the same leading trivia.
    fileprivate func without(_ removing: (inout VariableDeclSyntax) -> Void) -> VariableDeclSyntax {
        var mended = self
        removing(&mended)
        mended.leadingTrivia = leadingTrivia
        return mended
    }
}

extension AttributeSyntax {
    /// The argument with a label.
    fileprivate func argument(_ label: String) -> LabeledExprSyntax? {
        arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }
    }

    /// The unlabeled argument with a name, such as `.unique`.
    fileprivate func option(_ name: String) -> LabeledExprSyntax? {
        arguments?.as(LabeledExprListSyntax.self)?.first {
            $0.label == nil && $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
        }
    }
}
