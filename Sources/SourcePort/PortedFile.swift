import SwiftSyntax

/// A file with what is to be replaced in it, and what is left to people.
struct PortedFile {
    let path: String
    let tree: SourceFileSyntax
    let bytes: [UInt8]
    /// Whether the file is rewritten: files of interfaces, and such as can't be parsed, are not.
    let isRewritten: Bool
    var edits: [SourceEdit] = []
    var notes: [PortNote] = []
    /// The number of places that were changed; one can take several edits.
    var changeCount = 0

    var end: AbsolutePosition { AbsolutePosition(utf8Offset: bytes.count) }

    init(_ path: String, _ text: String, _ tree: SourceFileSyntax, _ classes: ManagedClasses) {
        self.path = path
        self.tree = tree
        bytes = Array(text.utf8)
        if tree.hasError {
            isRewritten = false
            notes = [
                PortNote(
                    position: tree.positionAfterSkippingLeadingTrivia, message: "can't be parsed, and stays as it is")
            ]
            return
        }
        let imports = ImportedModules(tree)
        isRewritten = !imports.areOfAnInterface
        notes = imports.notes
        guard isRewritten else { return }
        let visitor = PortVisitor(classes, imports)
        visitor.walk(tree)
        edits = visitor.edits
        notes += visitor.notes
        changeCount = visitor.changeCount
    }
}
