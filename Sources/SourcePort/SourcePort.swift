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
    /// - Parameters:
    ///   - sources: The paths and texts of all files of a program: which properties are those of
    ///     entities is known from all of them.
    ///   - classes: The classes of the program's models.
    package static func rewrite(
        _ sources: [(path: String, text: String)], classes: [PortRequest.ModelClass] = []
    ) -> PortedTree {
        let trees = sources.map { Parser.parse(source: $0.text) }
        let managed = ManagedClasses(trees, classes)
        var files = zip(sources, trees).map { PortedFile($0.path, $0.text, $1, managed) }
        let moves = OverrideMoves(files, classes)
        moves.apply(to: &files)
        let edits = files.map { SourceEdits($0.edits, of: $0.bytes, from: AbsolutePosition(utf8Offset: 0), to: $0.end) }
        let ported = files.indices.map { index in
            PortedSource(
                path: files[index].path,
                text: edits[index].isEmpty ? nil : String(decoding: edits[index].newBytes, as: UTF8.self),
                changeCount: files[index].changeCount,
                notes: files[index].notes.sorted { $0.position < $1.position }.map { note in
                    placed(note, of: index, files, edits)
                })
        }
        return PortedTree(files: ported, declaredClasses: moves.declaredClasses)
    }

    private static func placed(_ note: PortNote, of file: Int, _ files: [PortedFile], _ edits: [SourceEdits])
        -> PortedSource.Note
    {
        let place = PortedSource.Place(note.position.utf8Offset, in: files[file].bytes)
        for other in files.indices {
            guard let offset = edits[other].newOffset(of: note.position, inPartOf: file) else { continue }
            return PortedSource.Note(
                place, newPlace: PortedSource.Place(offset, in: edits[other].newBytes), in: files[other].path,
                note.message)
        }
        let offset = edits[file].newOffset(of: note.position)
        return PortedSource.Note(
            place, newPlace: PortedSource.Place(offset, in: edits[file].newBytes), in: files[file].path, note.message)
    }
}
