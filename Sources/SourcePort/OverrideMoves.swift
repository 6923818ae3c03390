import PortReport
import SwiftSyntax

/// Moves overrides from extensions into classes: Swift overrides in extensions through the
/// Objective-C runtime alone.
///
/// An extension of a class that Xcode generates becomes that class.
struct OverrideMoves {
    /// The classes of models that no source declared before.
    private(set) var declaredClasses: [String] = []
    private var edits: [Int: [SourceEdit]] = [:]
    private var notes: [Int: [PortNote]] = [:]
    private var counts: [Int: Int] = [:]
    /// The ranges whose edits are no longer those of their files.
    private var taken: [Int: [Range<AbsolutePosition>]] = [:]

    private let files: [PortedFile]
    private let declarations: ClassDeclarations

    init(_ files: [PortedFile], _ classes: [PortRequest.ModelClass]) {
        self.files = files
        declarations = ClassDeclarations(files)
        let generated = Dictionary(classes.filter(\.isGenerated).map { ($0.name, $0) }) { first, _ in first }
        for (type, extensions) in declarations.overriding {
            if let declared = declarations.classes[type] {
                move(extensions, into: declared)
            } else if let model = generated[type], !declarations.names.contains(type) {
                declare(model, from: extensions)
            } else {
                for source in extensions { leave(source) }
            }
        }
    }

    func apply(to files: inout [PortedFile]) {
        for index in files.indices {
            files[index].edits.removeAll { edit in
                taken[index, default: []].contains { $0.lowerBound <= edit.start && edit.end <= $0.upperBound }
            }
            files[index].edits += edits[index, default: []]
            files[index].notes += notes[index, default: []]
            files[index].changeCount += counts[index, default: 0]
        }
    }

    // MARK: Into a class that there is

    private mutating func move(_ sources: [OverridingExtension], into target: DeclaredClass) {
        var parts: [EditText.Piece] = []
        for source in sources {
            guard !source.isConditional, !target.isConditional, files[target.file].isRewritten else {
                leave(source)
                continue
            }
            for member in source.overrides { noteWhatIsPrivate(in: member, of: source, to: target.file) }
            parts += Self.separated(take(source), after: parts)
        }
        guard !parts.isEmpty else { return }
        add(parts, to: target.node.memberBlock, of: target.file)
    }

    private mutating func add(_ parts: [EditText.Piece], to block: MemberBlockSyntax, of file: Int) {
        var text = EditText(pieces: [.text(block.members.isEmpty ? "\n" : "\n\n")] + parts)
        // A brace on the line of the class comes onto its own.
        if !block.rightBrace.leadingTrivia.contains(where: \.isNewline) { text.pieces.append(.text("\n")) }
        let end = block.members.last?.endPosition ?? block.leftBrace.endPositionBeforeTrailingTrivia
        edits[file, default: []].append(SourceEdit(at: end, text))
    }

    /// Members with an empty line between them.
    private static func separated(_ parts: [MovedPart], after others: [EditText.Piece]) -> [EditText.Piece] {
        let pieces = parts.flatMap { [.text("\n\n"), .moved($0)] as [EditText.Piece] }
        return others.isEmpty ? Array(pieces.dropFirst()) : pieces
    }

    /// Takes the overrides out of an extension, and the extension away if nothing stays of it.
    ///
    /// - Parameter isReplaced: Whether something else takes its place.
    private mutating func take(_ source: OverridingExtension, isReplaced: Bool = false) -> [MovedPart] {
        let node = source.node, file = source.file, members = node.memberBlock.members
        let prefix = source.prefix
        var parts: [MovedPart] = []
        for member in source.overrides {
            let range = member.positionOfFirstLine..<member.endPosition
            var inner = files[file].edits.filter { range.lowerBound <= $0.start && $0.end <= range.upperBound }
            if let position = member.positionForModifiers, !prefix.isEmpty, !member.hasAccessLevel {
                inner.append(SourceEdit(start: position, end: position, text: prefix))
            }
            taken[file, default: []].append(range)
            parts.append(
                MovedPart(
                    file: file,
                    edits: SourceEdits(
                        inner, of: files[file].bytes, from: range.lowerBound, to: range.upperBound)))
            counts[file, default: 0] += 1
        }
        guard source.isNothingElse else {
            remove(source.overrides, from: members, file)
            return parts
        }
        let keepsTrivia = isReplaced || node.leadingTrivia.contains { !$0.isWhitespace }
        let start = keepsTrivia ? node.positionAfterSkippingLeadingTrivia : node.position
        taken[file, default: []].append(start..<node.endPosition)
        edits[file, default: []].append(SourceEdit(start: start, end: node.endPosition, text: ""))
        return parts
    }

    private mutating func remove(
        _ overrides: [MemberBlockItemSyntax], from members: MemberBlockItemListSyntax, _ file: Int
    ) {
        let ids = Set(overrides.map(\.id)), all = Array(members)
        for (index, member) in all.enumerated() where ids.contains(member.id) {
            var end = member.endPosition
            // The first member that stays has no empty line above it.
            if all[..<index].allSatisfy({ ids.contains($0.id) }), index + 1 < all.count,
                !ids.contains(all[index + 1].id),
                case .newlines(let count)? = all[index + 1].leadingTrivia.first
            {
                end = end.advanced(by: count - 1)
            }
            edits[file, default: []].append(SourceEdit(start: member.position, end: end, text: ""))
        }
    }

    /// Notes the names in a member that its new file doesn't reach.
    private mutating func noteWhatIsPrivate(
        in member: MemberBlockItemSyntax, of source: OverridingExtension, to file: Int
    ) {
        guard source.file != file else { return }
        let names = declarations.privateNames(of: source.file)
        let used = member.tokens(viewMode: .sourceAccurate).compactMap(\.identifier?.name).first(where: names.contains)
        guard let used else { return }
        notes[source.file, default: []].append(
            PortNote(
                position: member.positionForModifiers ?? member.positionAfterSkippingLeadingTrivia,
                message: "has moved into the class, which does not reach \(used): it is private to the former file"))
    }

    // MARK: Into a class that Xcode generates

    private mutating func declare(_ model: PortRequest.ModelClass, from sources: [OverridingExtension]) {
        let possible = sources.filter { !$0.isConditional && $0.node.genericWhereClause == nil }
        for source in sources where !possible.contains(where: { $0.node.id == source.node.id }) { leave(source) }
        guard let base = possible.first(where: { $0.prefix.isEmpty }) ?? possible.first else { return }
        declaredClasses.append(model.name)
        if base.prefix.isEmpty {
            convert(base, to: model)
        } else {
            let parts = Self.separated(take(base, isReplaced: true), after: [])
            let head = "public class \(model.name): \(model.superclass) {\n"
            let text = EditText(pieces: [.text(head)] + parts + [.text(base.isNothingElse ? "\n}" : "\n}\n\n")])
            edits[base.file, default: []].insert(
                SourceEdit(at: base.node.positionAfterSkippingLeadingTrivia, text), at: 0)
        }
        var parts: [EditText.Piece] = []
        for source in possible where source.node.id != base.node.id {
            for member in source.overrides { noteWhatIsPrivate(in: member, of: source, to: base.file) }
            parts += Self.separated(take(source), after: parts)
        }
        if !parts.isEmpty { add(parts, to: base.node.memberBlock, of: base.file) }
    }

    private mutating func convert(_ source: OverridingExtension, to model: PortRequest.ModelClass) {
        let node = source.node
        edits[source.file, default: []] += [
            SourceEdit(
                start: node.extensionKeyword.positionAfterSkippingLeadingTrivia,
                end: node.extensionKeyword.endPositionBeforeTrailingTrivia, text: "public class"),
            node.inheritanceClause?.inheritedTypes.first.map {
                let position = $0.positionAfterSkippingLeadingTrivia
                return SourceEdit(start: position, end: position, text: "\(model.superclass), ")
            }
                ?? SourceEdit(
                    start: node.extendedType.endPositionBeforeTrailingTrivia,
                    end: node.extendedType.endPositionBeforeTrailingTrivia, text: ": \(model.superclass)"),
        ]
        counts[source.file, default: 0] += 1
    }

    // MARK: What is left

    private mutating func leave(_ source: OverridingExtension) {
        for member in source.overrides {
            notes[source.file, default: []].append(
                PortNote(
                    position: member.positionForModifiers ?? member.positionAfterSkippingLeadingTrivia,
                    message: "extensions don't override here: move this into the class \(source.type)"))
        }
    }
}
