import Folio
import Foundation

/// `folio pack DIR ARCHIVE`
enum PackCommand: Command {
    static let specification = CommandSpecification(
        "pack", "makes an archive of a package, file by file", operands: "DIR ARCHIVE [--with-versions] [--force]",
        count: 2...2, [.writes, .replaces],
        options: [
            OptionSpecification(
                ["--with-versions"], "take the earlier versions along; they show text that was deleted since")
        ],
        notes: """
            The archive is the same document, UUID and all, and its store is copied unopened. The same package gives the same bytes.
            A package that somebody edits, or with autosaved work that was never saved, is refused: recover that first.
            """,
        examples: ["folio pack Doc.folio Doc.folioz"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let withVersions = arguments.has("--with-versions")
        return try await Packing.run(arguments, console) { source, target, replacing, isDryRun, progress in
            try DocumentPacking.pack(
                source, to: target, withVersions: withVersions, replacing: replacing, isDryRun: isDryRun,
                progress: progress)
        }
    }
}
