import Folio
import Foundation

/// `folio unpack ARCHIVE DIR`
enum UnpackCommand: Command {
    static let specification = CommandSpecification(
        "unpack", "makes a package of an archive, file by file", operands: "ARCHIVE DIR [--force]", count: 2...2,
        [.writes, .replaces],
        notes: """
            The package is the same document, UUID and all, and its store is copied unopened. DIR is the package itself and must not be there yet.
            An archive that somebody edits, or with autosaved work that was never saved, is refused: recover that first.
            """,
        examples: ["folio unpack Doc.folioz Doc.folio"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        try await Packing.run(arguments, console) { source, target, replacing, isDryRun, progress in
            try DocumentPacking.unpack(source, to: target, replacing: replacing, isDryRun: isDryRun, progress: progress)
        }
    }
}
