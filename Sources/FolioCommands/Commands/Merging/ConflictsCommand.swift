import Folio

/// `folio conflicts DOC`
enum ConflictsCommand: Command {
    static let specification = CommandSpecification(
        "conflicts", "lists what merges left to be decided; exit code 1 where there is something", operands: "DOC",
        count: 1...1, .opens,
        notes: """
            A merge that git asked for keeps its conflicts in the document: there the value of the own side stands until somebody decides. folio resolve decides a conflict.
            """,
        examples: ["folio conflicts Notes.folioz"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            let conflicts = try await reader.document.undecidedConflicts()
            if console.isJSON {
                console.print(.object(["conflicts": .array(conflicts.map(MergeJSON.conflict))]))
            } else {
                for conflict in conflicts { MergePrinter.write(conflict, to: console) }
                if conflicts.isEmpty { console.say("nothing is left to be decided") }
            }
            return conflicts.isEmpty ? .done : .no
        }
    }
}
