import Folio
import Foundation

/// The common part of `pack` and `unpack`.
enum Packing {
    typealias Work =
        @Sendable (
            _ source: URL, _ target: URL, _ replacing: Bool, _ isDryRun: Bool,
            _ progress: @escaping @Sendable (Int64, Int64) -> Void
        ) throws -> PackingReport

    static func run(_ arguments: ParsedArguments, _ console: Console, _ work: Work) async throws -> ExitCode {
        let source = URL(fileURLWithPath: try DocumentArgument.path(arguments.operands[0]))
        let target = try DocumentArgument.path(arguments.operands[1])
        let isDryRun = arguments.has(OptionSpecification.dryRun), replacing = arguments.has("--force")
        try DocumentFormArgument.refuseExisting(target, of: arguments.operands[0], arguments)
        let line = ByteProgress(console)
        // Ctrl-C cancels between two pieces, until the document is at its path.
        let report = try await console.interruption.committing {
            try work(source, URL(fileURLWithPath: target), replacing, isDryRun) { line.show($0, of: $1) }
        }
        line.finish()
        console.reportOutsideCommits(report.outsideCommits, source.path)
        console.hasWritten = !isDryRun
        if console.isJSON {
            console.print(
                .object([
                    "path": .string(target), "files": .int(report.files), "bytes": .int(report.bytes),
                    "dryRun": .bool(isDryRun),
                ]))
        } else if isDryRun {
            console.say("would write \(Printable.line(target)): \(report.files) files, \(report.bytes) bytes")
        }
        return .done
    }
}
