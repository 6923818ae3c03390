import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Says of each stored property that can't be one of an entity why not.
struct PropertyChecks<Context: MacroExpansionContext> {
    let context: Context

    /// What `ManagedObject` calls properties of its own.
    private var taken: Set<String> {
        ["hasPersistentChangedValues", "managedObjectContext", "entity", "objectID", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges", "description"]
    }

    func check(_ members: MemberBlockItemListSyntax) {
        for variable in members.compactMap({ $0.decl.as(VariableDeclSyntax.self) }) where PersistedProperty.isStoredVariable(variable) { check(variable) }
    }

    private func check(_ variable: VariableDeclSyntax) {
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            let mended = variable.bindingSpecifier.with(\.tokenKind, .keyword(.var))
            context.report(
                "constant", "a property of an entity is a variable: the store fills it", at: variable.bindingSpecifier,
                fixIts: [.replacing("constant", "make it a variable", variable.bindingSpecifier, by: mended)])
            return
        }
        guard variable.bindings.count == 1, let binding = variable.bindings.first, let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            return context.report("severalBindings", "declare each property of an entity by itself", at: variable.bindings)
        }
        if PersistedProperty.isObserved(binding), let block = binding.accessorBlock {
            return context.report("observer", "a property of an entity can't have observers: override willSave, or observe the context", at: block)
        }
        if taken.contains(pattern.identifier.text) {
            return context.report("taken", "ManagedObject has a property “\(pattern.identifier.text)” of its own", at: pattern)
        }
        guard PersistedProperty(variable) != nil else {
            return context.report("needsType", "write the type of “\(pattern.identifier.text)”: a macro sees no more than the text", at: pattern)
        }
        let relationship = variable.attribute(named: "Relationship")
        if let relationship, variable.attribute(named: "Attribute") != nil {
            context.report("both", "a property is an attribute or a relationship, not both", at: relationship)
        }
        if relationship != nil, let type = binding.typeAnnotation?.type, isSingleObject(type) {
            let optional = OptionalTypeSyntax(wrappedType: type.trimmed, trailingTrivia: type.trailingTrivia)
            context.report(
                "needsOptional", "the object at the other end of a to-one relationship can be missing", at: type,
                fixIts: [.replacing("needsOptional", "make it optional", type, by: optional)])
        }
    }

    /// A plain name without arguments: neither optional nor a collection.
    private func isSingleObject(_ type: TypeSyntax) -> Bool {
        if let name = type.as(IdentifierTypeSyntax.self) { return name.genericArgumentClause == nil }
        return type.is(MemberTypeSyntax.self)
    }
}
