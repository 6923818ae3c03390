import Folio
import Foundation

/// What git's merge driver asks for: BASE OURS THEIRS, and perhaps the name of the file. The merged
/// document takes the place of OURS.
enum GitMerge {
    /// The command that git is told. Names that begin with a dash are no options behind `--`.
    static let driver = "folio merge --git -- %O %A %B %P"

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let operands = arguments.operands
        guard operands.count >= 3 else {
            throw InterchangeError.usage("git names three files", hint: "git config merge.folio.driver '\(driver)'")
        }
        do {
            return try await merge(arguments, console)
        } catch {
            var failure = InterchangeError(mapping: error)
            if operands.count > 3 { GitMergeFailure(operands).explain(&failure, isMerged: console.hasWritten) }
            throw failure
        }
    }

    private static func merge(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let operands = arguments.operands, name = operands.count > 3 ? operands[3] : operands[1]
        if isManifest(operands[1]), isManifest(operands[2]) {
            try GitParts.mergeManifests(operands[1], operands[2])
            if console.isJSON { console.print(.object(["applied": .bool(true), "path": .string(name)])) }
            return .done
        }
        var decisions = DocumentMerge.Decisions(undecided: .keep)
        decisions.repeatsMerges = true
        if arguments.has("--ours") { decisions.policy = .ours }
        if arguments.has("--theirs") { decisions.policy = .theirs }
        decisions.returnsConflictList = GitParts.keepsConflicts(operands[1], named: name)
        if decisions.returnsConflictList {
            decisions.formerConflictList = GitParts.conflictList(ofStore: operands[1], named: name)
        }
        let base: DocumentMerge.Base =
            isEmpty(operands[0]) ? .none : .document(URL(fileURLWithPath: operands[0]))
        let report = try await DocumentEditor.editing(operands[1], arguments, console) { editor in
            let report = try await DocumentMerge.merge(
                URL(fileURLWithPath: operands[2]), into: editor.document, base: base, deciding: decisions,
                fitting: try FittingModel.choice(arguments.value("--model")))
            if report.isApplied { _ = try await editor.commit() }
            return report
        }
        if report.isApplied {
            try GitParts.noteMerge(operands[1], operands[2], report.notes, conflicts: report.conflictList)
        }
        if console.isJSON {
            let printer = MergePrinter(console, showsObjects: true, path: name, operands: Array(operands.prefix(3)))
            _ = printer.tell(report, isDryRun: false)
        }
        if report.isApplied, let note = MergePrinter.carried(report, name) {
            console.say("\(Printable.line(name)): \(note)")
        }
        guard !report.isApplied || !report.undecided.isEmpty else { return .done }
        console.say("\(Printable.line(name)): \(outcome(report, name))")
        if !report.isApplied, !console.isJSON {
            for conflict in report.conflicts { MergePrinter.write(conflict, to: console) }
        }
        return .no
    }

    /// What is left to do.
    private static func outcome(_ report: DocumentMerge.Report, _ name: String) -> String {
        let conflicts = MergePrinter.conflicts(report.undecided.count)
        if report.isApplied {
            let document = GitParts.package(ofStore: name).map { $0.isEmpty ? "." : $0 } ?? name
            return "\(conflicts) to decide: folio conflicts \(Printable.line(ShellWord.quoted(document)))"
        }
        return report.undecided.isEmpty
            ? "not merged: \(MergePrinter.refusal(report))"
            : "not merged, for a store by itself has no room for \(conflicts)"
    }

    private static func isEmpty(_ path: String) -> Bool {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int) == 0
    }

    private static func isManifest(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path), let start = try? file.read(upToCount: 1) else {
            return false
        }
        return start == Data("{".utf8)
    }
}
