import Folio
import Foundation

/// `folio verify DOC`
enum VerifyCommand: Command {
    static let specification = CommandSpecification(
        "verify", "looks for damage; exit code 1 where it finds some", operands: "DOC [--deep]", count: 1...1,
        .opens,
        options: [
            OptionSpecification(
                ["--deep"], "check indexes, counts, the schema, the bytes of large values and every version too")
        ],
        notes:
            "Holds a document against everything it says of itself: archive, manifest, model, store, references, attachments. With --deep, it lists what has no checksum and could not be checked."
    )

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let argument = DocumentArgument(arguments.operands[0])
        guard argument.state == .newest else { return try await verify(argument, arguments, console) }
        let path = argument.path
        var result = try DocumentVerifier.verify(
            URL(fileURLWithPath: path), isThorough: arguments.has("--deep"),
            fitting: try FittingModel.choice(arguments.value("--model")))
        if !arguments.has("--deep") { result.unchecked = [] }
        let findings = result.findings
        let setAside = try DocumentVerifier.quarantinedFiles(of: URL(fileURLWithPath: path)).map(\.path)
        let unfinished = try DocumentVerifier.unfinishedFiles(of: URL(fileURLWithPath: path)).map(\.path)
        // A document that can't be opened has findings already.
        let isChangedOutside = try findings.isEmpty && DocumentVerifier.isChangedOutside(URL(fileURLWithPath: path))
        if findings.isEmpty { console.reportOutsideCommits(at: path) }
        if findings.isEmpty, try DocumentVerifier.hasVersionsOfAnotherState(URL(fileURLWithPath: path)) {
            console.say(
                "note: the versions in it lead up to another state, as after git has put another store there; the next save starts anew"
            )
        }
        if findings.isEmpty, arguments.has("--deep") {
            let unused = try DocumentVerifier.unusedValues(
                of: URL(fileURLWithPath: path), fitting: try FittingModel.choice(arguments.value("--model")))
            for name in unused {
                console.say("note: nothing refers to this large value, and a later save removes it: \(name)")
            }
        }
        let conflicts = (try? DocumentInfo(of: URL(fileURLWithPath: path)))?.undecidedConflicts ?? 0
        if conflicts > 0 {
            console.say(
                "note: conflicts of merges are to be decided: \(conflicts); see folio conflicts \(Printable.line(ShellWord.quoted(path)))"
            )
        }
        return tell(result, setAside, unfinished, isChangedOutside: isChangedOutside, console)
    }

    /// Verifies an earlier state by writing a copy of it to a temporary folder.
    private static func verify(_ argument: DocumentArgument, _ arguments: ParsedArguments, _ console: Console)
        async throws -> ExitCode
    {
        let folder = try TemporaryFolder(), copy = URL(fileURLWithPath: folder.path + "/State.folio")
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            try await console.interruption.committing { try await reader.document.write(to: copy, form: .package) }
        }
        return try withExtendedLifetime(folder) {
            tell(
                try DocumentVerifier.verification(of: copy, isThorough: arguments.has("--deep")), [], [], console)
        }
    }

    private static func tell(
        _ result: DocumentVerification, _ setAside: [String], _ unfinished: [String], isChangedOutside: Bool = false,
        _ console: Console
    ) -> ExitCode {
        let findings = result.findings
        if console.isJSON {
            func list(_ findings: [DocumentFinding]) -> JSONValue {
                .array(
                    findings.map { finding in
                        JSONValue.object([
                            "part": .string(finding.part), "message": .string(finding.message),
                            "object": finding.object.map { .string($0) } ?? .null,
                        ])
                    })
            }
            console.print(
                .object([
                    "findings": list(findings), "isDamaged": .bool(!findings.isEmpty),
                    "isChangedOutside": .bool(isChangedOutside), "setAside": .strings(setAside),
                    "unchecked": list(result.unchecked), "unfinished": .strings(unfinished),
                ]))
        } else {
            for finding in findings { console.print(Printable.line("\(finding)")) }
            for file in setAside {
                console.say("note: set aside and not part of the document: \(Printable.line(file))")
            }
            for file in unfinished {
                console.say("note: a writer left it unfinished, and the next one removes it: \(Printable.line(file))")
            }
            if isChangedOutside {
                console.say(
                    "note: another program has changed the store since the last save; the next save takes that up")
            }
            if findings.isEmpty {
                console.print(result.unchecked.isEmpty ? "no damage found" : "no damage found in what could be checked")
            }
            for part in result.unchecked { console.print(Printable.line("not checked: \(part)")) }
        }
        return findings.isEmpty ? .done : .no
    }
}
