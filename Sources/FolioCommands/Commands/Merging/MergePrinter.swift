import Coding
import Folio
import Foundation

/// Tells what a merge did, or why it did nothing.
struct MergePrinter {
    private let console: Console
    private let showsObjects: Bool
    private let path: String
    /// The paths as the caller named them.
    private let operands: [String]

    init(_ console: Console, showsObjects: Bool, path: String, operands: [String] = []) {
        self.console = console
        self.showsObjects = showsObjects
        self.path = path
        self.operands = operands
    }

    /// - Returns: 1 where nothing was merged because of conflicts.
    func tell(_ report: DocumentMerge.Report, isDryRun: Bool) -> ExitCode {
        if console.isJSON {
            console.print(MergeJSON(path: path, operands: operands).report(report, isDryRun: isDryRun))
        } else {
            write(report, isDryRun: isDryRun)
        }
        return report.isApplied ? .done : .no
    }

    private func write(_ report: DocumentMerge.Report, isDryRun: Bool) {
        if report.isOtherDocument { console.say("note: the other document has another UUID") }
        if report.includesUnsavedWork, operands.count > 1 {
            let saved = ShellWord.quoted(operands[1] + "@saved")
            console.say("note: the other document has unsaved work, which is merged, too; \(saved) is without it")
        }
        if showsObjects {
            for object in report.renumbered {
                console.print(Printable.line("renumbered \(object.theirs) is \(object.ours) here"))
            }
            for conflict in report.conflicts { Self.write(conflict, to: console) }
        } else {
            writeCounts(report)
        }
        guard report.isApplied else {
            let way = report.undecided.isEmpty ? "" : ", by --ours, --theirs or --decisions"
            return console.say("nothing is merged: \(Self.refusal(report))\(way)")
        }
        if let note = Self.carried(report, path) { console.say("note: \(note)") }
        guard !report.isEmpty else { return console.say("nothing to merge") }
        func count(_ objects: [String: Int]) -> Int { objects.values.reduce(0, +) }
        console.say(
            "\(isDryRun ? "would merge" : "merged"): \(count(report.inserted)) inserted, \(count(report.changed)) changed, \(count(report.deleted)) deleted"
        )
    }

    /// Why a merge that was refused was.
    static func refusal(_ report: DocumentMerge.Report) -> String {
        report.undecided.isEmpty
            ? "the result of these decisions would violate rules of the model"
            : "\(conflicts(report.undecided.count)) to decide"
    }

    /// What there is to say of conflicts that the other document has left.
    static func carried(_ report: DocumentMerge.Report, _ path: String) -> String? {
        report.carried.isEmpty
            ? nil
            : "the other document left \(conflicts(report.carried.count)) to decide, which came with it: folio conflicts \(Printable.line(ShellWord.quoted(path)))"
    }

    static func conflicts(_ count: Int) -> String { "\(count) conflict\(count == 1 ? "" : "s")" }

    private func writeCounts(_ report: DocumentMerge.Report) {
        let names = Set(report.inserted.keys).union(report.changed.keys).union(report.deleted.keys)
        guard !names.isEmpty else { return }
        var table = Table(
            headings: ["entity", "inserted", "changed", "deleted"], alignsRight: [false, true, true, true])
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            table.append([name] + [report.inserted, report.changed, report.deleted].map { String($0[name] ?? 0) })
        }
        table.write(to: console)
    }

    static func write(_ conflict: DocumentMerge.Conflict, to console: Console) {
        let choice =
            switch conflict.choice {
            case nil: ""
            case .ours: ", decided for ours"
            case .theirs: ", decided for theirs"
            case .value: ", decided by a value"
            }
        console.print(Printable.line("conflict \(conflict.kind.rawValue) \(conflict.name)\(choice)"))
        if let message = conflict.message { console.print(Printable.line("  \(message)")) }
        if conflict.kind == .rule { return }
        func line(_ name: String, _ value: PropertyValue) {
            console.print(Printable.line("  \(name) \(DifferenceReport.lines(value).joined(separator: ", "))"))
        }
        line("base:  ", conflict.base)
        line("ours:  ", conflict.ours)
        line("theirs:", conflict.theirs)
    }
}
