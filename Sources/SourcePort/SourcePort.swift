package import PortReport
import SwiftParser
import SwiftSyntax

/// Rewrites source files that use Core Data for the module `CoreData` of this package: what can be
/// done without understanding the program is done, and the rest is listed.
///
/// Only the text that has to change is replaced, so that comments and layout stay.
package enum SourcePort {
    /// Rewrites files that belong together.
    ///
    /// - Parameter sources: The paths and texts of all files of a program: which properties are
    ///   those of entities is known from all of them.
    package static func rewrite(_ sources: [(path: String, text: String)]) -> [PortedSource] {
        let trees = sources.map { Parser.parse(source: $0.text) }
        let classes = ManagedClasses(trees)
        return zip(sources, trees).map { source, tree in rewrite(source.path, source.text, tree, classes) }
    }

    private static func rewrite(_ path: String, _ text: String, _ tree: SourceFileSyntax, _ classes: ManagedClasses)
        -> PortedSource
    {
        func unchanged(_ notes: [PortNote]) -> PortedSource {
            PortedSource(
                path: path, text: nil, changeCount: 0, notes: SourceEdits([], of: text).placed(notes))
        }
        if tree.hasError {
            return unchanged([
                PortNote(
                    position: tree.positionAfterSkippingLeadingTrivia, message: "can't be parsed, and stays as it is")
            ])
        }
        let imports = ImportedModules(tree)
        guard !imports.areOfAnInterface else { return unchanged(imports.notes) }
        let visitor = PortVisitor(classes, imports)
        visitor.walk(tree)
        let edits = SourceEdits(visitor.edits, of: text), notes = edits.placed(imports.notes + visitor.notes)
        return PortedSource(
            path: path, text: visitor.edits.isEmpty ? nil : edits.newText, changeCount: visitor.changeCount,
            notes: notes)
    }
}
