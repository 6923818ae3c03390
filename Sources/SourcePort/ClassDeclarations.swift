import SwiftSyntax

/// A class that a file declares.
struct DeclaredClass {
    let file: Int
    let node: ClassDeclSyntax
    /// Whether it stands under `#if`.
    let isConditional: Bool
}

/// An extension with members that override.
struct OverridingExtension {
    let file: Int
    let type: String
    let node: ExtensionDeclSyntax
    let overrides: [MemberBlockItemSyntax]
    /// Whether it, or one of its overrides, stands under `#if`.
    let isConditional: Bool

    /// Whether nothing stays of it without the overrides.
    var isNothingElse: Bool { overrides.count == node.memberBlock.members.count && node.inheritanceClause == nil }

    /// What its members have from it: attributes and the access level.
    var prefix: String {
        let attributes = node.attributes.compactMap { $0.as(AttributeSyntax.self) }.filter {
            !["objc", "nonobjc", "objcMembers"].contains($0.attributeName.trimmedDescription)
        }
        return (attributes.map(\.trimmedDescription) + node.modifiers.map(\.trimmedDescription)).map { $0 + " " }
            .joined()
    }
}

/// The classes of all files, and the extensions that override.
struct ClassDeclarations {
    /// The classes by their names; those that are declared once.
    let classes: [String: DeclaredClass]
    /// The names of all classes.
    let names: Set<String>
    /// The extensions that override, by the names of their types, in the order of the files.
    let overriding: [(type: String, extensions: [OverridingExtension])]
    private let privates: [Set<String>]

    init(_ files: [PortedFile]) {
        var classes: [String: [DeclaredClass]] = [:], order: [String] = []
        var extensions: [String: [OverridingExtension]] = [:], privates: [Set<String>] = []
        for (index, file) in files.enumerated() {
            let visitor = ClassVisitor(index, takesOverrides: file.isRewritten)
            visitor.walk(file.tree)
            for (name, declared) in visitor.classes { classes[name, default: []].append(declared) }
            for found in visitor.extensions {
                if extensions[found.type] == nil { order.append(found.type) }
                extensions[found.type, default: []].append(found)
            }
            privates.append(visitor.privateNames)
        }
        self.classes = classes.compactMapValues { $0.count == 1 ? $0[0] : nil }
        names = Set(classes.keys)
        overriding = order.map { ($0, extensions[$0] ?? []) }
        self.privates = privates
    }

    /// The names that a file keeps to itself.
    func privateNames(of file: Int) -> Set<String> { privates[file] }
}

private final class ClassVisitor: SyntaxVisitor {
    private let file: Int
    private let takesOverrides: Bool
    private var types: [String] = []
    private var conditions = 0
    private(set) var classes: [(String, DeclaredClass)] = []
    private(set) var extensions: [OverridingExtension] = []
    private(set) var privateNames: Set<String> = []

    init(_ file: Int, takesOverrides: Bool) {
        self.file = file
        self.takesOverrides = takesOverrides
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        conditions += 1
        return .visitChildren
    }
    override func visitPost(_ node: IfConfigDeclSyntax) { conditions -= 1 }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        types.append(node.name.text)
        classes.append(
            (
                types.joined(separator: "."),
                DeclaredClass(file: file, node: node, isConditional: conditions > 0)
            ))
        notePrivate(node.modifiers, [node.name])
        return .visitChildren
    }
    override func visitPost(_ node: ClassDeclSyntax) { types.removeLast() }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        types.append(node.name.text)
        notePrivate(node.modifiers, [node.name])
        return .visitChildren
    }
    override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        types.append(node.name.text)
        notePrivate(node.modifiers, [node.name])
        return .visitChildren
    }
    override func visitPost(_ node: EnumDeclSyntax) { types.removeLast() }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        let type = node.extendedType.trimmedDescription
        types.append(type)
        guard takesOverrides else { return .visitChildren }
        var overrides: [MemberBlockItemSyntax] = [], hasConditional = conditions > 0
        for member in node.memberBlock.members {
            if member.decl.is(IfConfigDeclSyntax.self) {
                let inner = member.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.override) }
                if inner {
                    overrides.append(member)
                    hasConditional = true
                }
            } else if member.modifiers.contains(where: { $0.name.tokenKind == .keyword(.override) }) {
                overrides.append(member)
            }
        }
        if !overrides.isEmpty {
            extensions.append(
                OverridingExtension(
                    file: file, type: type, node: node, overrides: overrides, isConditional: hasConditional))
        }
        return .visitChildren
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        notePrivate(node.modifiers, [node.name])
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        notePrivate(
            node.modifiers, node.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier })
        return .visitChildren
    }

    private func notePrivate(_ modifiers: DeclModifierListSyntax, _ names: [TokenSyntax]) {
        guard
            modifiers.contains(where: {
                [.keyword(.private), .keyword(.fileprivate)].contains($0.name.tokenKind) && $0.detail == nil
            })
        else { return }
        privateNames.formUnion(names.compactMap(\.identifier?.name))
    }
}

extension MemberBlockItemSyntax {
    /// What stands before the member's declaration, such as `override`.
    var modifiers: DeclModifierListSyntax { decl.asProtocol((any WithModifiersSyntax).self)?.modifiers ?? [] }

    var hasAccessLevel: Bool {
        modifiers.contains {
            ["open", "public", "package", "internal", "fileprivate", "private"].contains($0.name.text)
                && $0.detail == nil
        }
    }

    /// Where a modifier can be added.
    var positionForModifiers: AbsolutePosition? { modifiers.first?.positionAfterSkippingLeadingTrivia }

    /// Where its first line begins, with the comments above it.
    var positionOfFirstLine: AbsolutePosition {
        var start = position, next = position
        for piece in leadingTrivia {
            guard piece.isWhitespace else { break }
            next += piece.sourceLength
            if piece.isNewline { start = next }
        }
        return start
    }
}
