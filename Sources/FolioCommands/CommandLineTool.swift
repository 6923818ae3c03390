import Folio
import Foundation

/// The `folio` command: runs arguments and returns an exit code.
public enum CommandLineTool {
    public static let version = Release.version

    /// Runs the command line of the process and ends the process.
    ///
    /// Must be called before anything opens a file.
    /// - Parameter own: The words of the process, the program's name first, if they are known.
    ///   Swift's own come from /proc, which may not be mounted.
    public static func main(_ own: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>) -> Never {
        StandardStreams.occupy()
        guard StandardStreams.areEnoughAvailable else {
            exit(
                refuse(
                    InterchangeError(
                        .inputOutput, "tooManyOpenFiles", "too many open files", hint: "raise the limit: ulimit -n 256")
                ).rawValue)
        }
        guard AddressSpace.isEnoughAvailable else { exit(refuse(AddressSpace.error).rawValue) }
        AddressSpace.watch { exit(refuse(AddressSpace.error).rawValue) }
        let all =
            own.isEmpty ? UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)) : own
        let words = all.dropFirst().compactMap { $0 }
        if let name = all.first, let name {
            let path = String(cString: name), process = ProcessInfo.processInfo
            ProgramPath.startedBy = path
            // Foundation's name of the process comes from /proc, too.
            if process.processName.isEmpty { process.processName = URL(fileURLWithPath: path).lastPathComponent }
        }
        // An argument that is not valid UTF-8 can't be represented as a `String`, and a similar
        // name may belong to another file.
        let line = CommandLineWords(words)
        let isJSON = words.contains { strcmp($0, OptionSpecification.json.names[0]) == 0 }
        Task {
            switch line {
            case .text(let words): exit(await run(words).rawValue)
            case .shown(let lines): exit(show(lines).rawValue)
            case .refused(let word):
                exit(refuse(InterchangeError.usage("an argument is no UTF-8 text: \(word)"), isJSON: isJSON).rawValue)
            }
        }
        dispatchMain()
    }

    /// Runs one command line, without the program's name, and prints its results and errors.
    package static func run(_ words: [String]) async -> ExitCode {
        let interruption = Interruption()
        // The listener for signals takes its file descriptors before the command opens files.
        let (isListening, begins) = AsyncStream<Never>.makeStream()
        let task = Task {
            for await _ in isListening {}
            return await perform(words, interruption)
        }
        let listener = interruption.begin { task.cancel() }
        begins.finish()
        defer { listener?.cancel() }
        return await task.value
    }

    private static func show(_ lines: [String]) -> ExitCode {
        let console = Console(isJSON: false, allowsProgress: false, interruption: Interruption())
        for line in lines { console.print(line) }
        do { try console.finish() } catch { return InterchangeError(mapping: error).exit }
        return .done
    }

    private static func refuse(_ error: InterchangeError, isJSON: Bool = false) -> ExitCode {
        Console(isJSON: isJSON, allowsProgress: false, interruption: Interruption()).report(error)
        return error.exit
    }

    private static func perform(_ words: [String], _ interruption: Interruption) async -> ExitCode {
        let console = Console(
            isJSON: words.prefix { $0 != "--" }.contains("--json"), allowsProgress: !words.contains("--no-progress"),
            interruption: interruption)
        if Completer.isAsked(words) { return await Completer.answer(words, console) }
        if !words.prefix(while: { $0 != "--" }).contains(OptionSpecification.noPager.names[0]) { console.usePager() }
        defer { console.endPaging() }
        let name = words.first { !$0.hasPrefix("-") }
        var isFinishing = false
        do {
            let unfinished = UnfinishedNotes()
            defer { unfinished.say(to: console) }
            let exit = try await UnfinishedWork.reporting(to: { unfinished.add($0) }) {
                try await dispatch(words, console)
            }
            isFinishing = true
            try console.finish()
            return exit
        } catch {
            // The reader has closed the pipe. An error is still reported if something was saved.
            if console.output.isPipeClosed, !console.hasWritten { return .pipeClosed }
            var failure = InterchangeError(mapping: error)
            // The user has seen enough.
            if failure.exit == .done, interruption.signal == nil { return .done }
            if console.hasWritten, isFinishing || console.output.hasFailed {
                failure.message = "saved, but the result could not be written: \(failure.message)"
            }
            if console.output.isPipeClosed { failure.exit = .pipeClosed }
            if let signal = interruption.signal {
                failure = InterchangeError(.ended(by: signal), "interrupted", "interrupted")
            }
            failure.addHint(after: name)
            if failure.what == nil, let name, CommandTable.command(named: name) != nil { failure.what = name }
            console.report(failure)
            return failure.exit
        }
    }

    private static func hint(forUnknown name: String) -> String {
        if name == "version" { return "did you mean folio --version?" }
        if (try? DetectedDocument(DocumentArgument(name).path)) != nil {
            return "did you mean folio info \(ShellWord.quoted(name))?"
        }
        if let names = CommandTable.names(forOther: name) {
            return "did you mean " + names.map { "folio \($0)" }.joined(separator: " or ") + "?"
        }
        return Suggestion.sentence(for: name, among: CommandTable.names) ?? "see folio help for the commands"
    }

    private static func dispatch(_ line: [String], _ console: Console) async throws -> ExitCode {
        // Options of every command may stand before its name.
        let leading = line.prefix { OptionSpecification.flags.contains($0) }
        let words = leading.count == line.count ? [] : Array(line[leading.endIndex...] + leading)
        guard let name = words.first else {
            throw InterchangeError.usage("which command?", hint: "folio help lists the commands")
        }
        switch name {
        case "--help", "-h": return try await dispatch([HelpCommand.specification.name] + words.dropFirst(), console)
        case "--version":
            if let word = words.dropFirst().first(where: {
                !OptionSpecification.flags.contains($0)
            }) {
                throw InterchangeError.usage("\(name) stands by itself: leave \(word) out")
            }
            console.print(console.isJSON ? "{\"version\":\"\(version)\"}" : "folio \(version)")
            return .done
        default: break
        }
        guard let command = CommandTable.command(named: name) else {
            if name.hasPrefix("-") { throw InterchangeError.usage("unknown option \(name)", hint: "see folio help") }
            throw InterchangeError.usage("unknown command \(name)", hint: hint(forUnknown: name))
        }
        let arguments = try ParsedArguments(Array(words.dropFirst()), for: command.specification)
        try arguments.refuseURLs(of: command.specification)
        if command.specification.sendsResultsToFile, let path = arguments.value(OptionSpecification.output.names[0]),
            path != "-"
        {
            try console.sendResults(
                to: path, of: arguments.sources(of: command.specification),
                besides: arguments.targets(of: command.specification))
        }
        if arguments.has(OptionSpecification.help) {
            if !command.specification.sendsResultsToFile, arguments.has(OptionSpecification.output) {
                throw InterchangeError.usage(
                    "--help and --output exclude each other", hint: "folio help \(name) -o FILE")
            }
            Help.printCommand(command.specification, console)
            return .done
        }
        try arguments.checkStandardInput(of: command.specification)
        SQLHabits.note(arguments, console)
        do {
            return try await command.run(arguments, console)
        } catch {
            var failure = InterchangeError(mapping: error)
            failure.name(arguments, of: command.specification)
            throw failure
        }
    }
}
