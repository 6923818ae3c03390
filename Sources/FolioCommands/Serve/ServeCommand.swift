import Folio
import Foundation
import Server

/// `folio serve [DOC] --stdio`
enum ServeCommand: Command {
    static let specification = CommandSpecification(
        "serve", "answers requests of an editor on standard input and output: JSON-RPC 2.0",
        operands: "[DOC] --stdio [--lines]", count: 0...1, .opens,
        options: [
            OptionSpecification(["--stdio"], "requests come on standard input, answers go to standard output"),
            OptionSpecification(
                ["--lines"], "one message a line, in the place of a header with Content-Length before each"),
        ],
        notes: """
            Messages are those of JSON-RPC 2.0, in the framing of the Language Server Protocol. A client says initialize first, and shutdown and exit in the end. \
            DOC is opened by initialize, for editing; documents are opened by document/open, too, and named by what that answers.

            Methods: \(ServerMethod.all.map(\.name).joined(separator: ", ")). Notifications of the server: document/changed, document/recoverable, \
            document/conflict, document/outside, document/autosaveFailed, result/changed and $/progress.

            Objects, values and errors look as in the JSON of other commands. Edits are autosaved; where standard input ends without exit, unsaved work is kept, and the next \
            opening finds it; what can't be kept, such as that of a bare store, is told on standard error, with exit code 1.
            """,
        examples: [
            "folio serve Doc.folio --stdio",
            "printf '%s\\n' '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}' | folio serve --stdio --lines",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard arguments.has("--stdio") else {
            throw InterchangeError.usage(
                "serve speaks over standard input and output: say --stdio", hint: specification.usage)
        }
        if arguments.has(OptionSpecification.output) {
            throw InterchangeError.usage("--output does not go with serve: answers go to standard output")
        }
        let framing = arguments.has("--lines") ? MessageFraming.lines : .headers
        let path = try arguments.operands.first.map { try DocumentArgument.path($0) }
        let model = arguments.value("--model")
        if model != nil, path == nil { throw InterchangeError.usage("--model is for DOC, and there is none") }
        let transport = StreamTransport(input: STDIN_FILENO, output: STDOUT_FILENO, framing)
        let server = Server(transport, opening: path, model: model)
        let exit = await server.run()
        // A signal ends the loop, and is not to cancel what keeps the work.
        await console.interruption.clearingUp { await Task { await server.closeAll() }.value }
        transport.finish()
        let lost = await server.unkeptWork
        for problem in lost { console.say("note: \(Printable.line(problem))") }
        if let signal = console.interruption.signal { return .ended(by: signal) }
        return exit == .done && !lost.isEmpty ? .no : exit
    }
}
