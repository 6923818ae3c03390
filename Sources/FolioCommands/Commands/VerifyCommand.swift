import Folio
import Foundation

/// `folio verify DOC`
enum VerifyCommand: Command {
    static let specification = CommandSpecification(
        "verify", "looks for damage; exit code 1 where it finds some", operands: "DOC [--deep]", count: 1...1,
        options: [OptionSpecification(["--deep"], "check indexes, counts, the schema, the bytes of large values and every version too"), .model],
        notes: "Holds a document against everything it says of itself: archive, manifest, model, store, references, attachments.")

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let path = try DocumentArgument.path(arguments.operands[0])
        let findings = try DocumentVerifier.verify(
            URL(fileURLWithPath: path), isThorough: arguments.has("--deep"), fitting: try FittingModel.resolver(arguments.value("--model")))
        let setAside = try DocumentVerifier.quarantinedFiles(of: URL(fileURLWithPath: path)).map(\.path)
        let unfinished = try DocumentVerifier.unfinishedFiles(of: URL(fileURLWithPath: path)).map(\.path)
        if console.isJSON {
            let list = findings.map { finding in
                JSONValue.object([
                    "part": .string(finding.part), "message": .string(finding.message), "object": finding.object.map { .string($0) } ?? .null,
                ])
            }
            console.print(.object(["findings": .array(list), "isDamaged": .bool(!findings.isEmpty), "setAside": .strings(setAside), "unfinished": .strings(unfinished)]))
        } else {
            for finding in findings { console.print(Printable.line("\(finding)")) }
            for file in setAside { console.say("note: set aside and not part of the document: \(Printable.line(file))") }
            for file in unfinished { console.say("note: a writer left it unfinished, and the next one removes it: \(Printable.line(file))") }
            if findings.isEmpty { console.print("no damage found") }
        }
        return findings.isEmpty ? .done : .no
    }
}
