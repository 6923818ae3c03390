import Folio
import Foundation

extension VersionsCommand {
    // MARK: Names and pins

    static func name(_ arguments: ParsedArguments, _ console: Console) async throws {
        let name = arguments.operands.count == 3 ? arguments.operands[2] : nil, isRemoved = arguments.has("--remove")
        if name == nil, !isRemoved {
            throw InterchangeError.usage(
                "which name?",
                hint:
                    "folio versions name \(ShellWord.quoted(arguments.operands[1])) NAME, or --remove to take the name away"
            )
        }
        if name != nil, isRemoved {
            throw InterchangeError.usage("--remove takes the name away", hint: "leave \(arguments.operands[2]) out")
        }
        if let name { try check(name) }
        let isPinned = try await change(
            arguments, console, isRemoved ? "took away the name of" : "named",
            isRemoved ? "would take away the name of" : "would name"
        ) { document, version in
            try document.setName(name, of: version)
        }
        if !isPinned, !isRemoved, !console.isJSON {
            console.say(
                "note: it is thinned out with age as all others are: folio versions pin \(Printable.line(ShellWord.quoted(arguments.operands[1]))) keeps it"
            )
        }
    }

    private static let longestName = 200

    private static func check(_ name: String) throws {
        guard name.count <= longestName else {
            throw InterchangeError.usage("a name has up to \(longestName) characters, not \(name.count)")
        }
        guard !name.allSatisfy(\.isWhitespace),
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw InterchangeError.usage("a name is a line of text", hint: "--remove takes a name away")
        }
    }

    static func pin(_ isPinned: Bool, _ arguments: ParsedArguments, _ console: Console) async throws {
        _ = try await change(
            arguments, console, isPinned ? "pinned" : "unpinned", isPinned ? "would pin" : "would unpin"
        ) { document, version in
            try document.setPinned(isPinned, version)
        }
    }

    /// Changes one version of the list, and reports it.
    /// - Returns: Whether the version is pinned.
    private static func change(
        _ arguments: ParsedArguments, _ console: Console, _ done: String, _ wouldDo: String,
        _ body: (PersistentDocument, DocumentVersion) throws -> Void
    ) async throws -> Bool {
        let argument = DocumentArgument(arguments.operands[1]), isDryRun = arguments.has(OptionSpecification.dryRun)
        guard case .version(let generation) = argument.state else {
            throw InterchangeError.usage(
                "say which version: DOC@n", hint: "folio versions \(ShellWord.quoted(argument.path)) lists them")
        }
        return try await DocumentEditor.editing(argument.path, arguments, console) { editor in
            var version = try self.version(generation, of: editor.document, argument.path)
            try editor.document.checkChangingVersions()
            if !isDryRun {
                try await console.interruption.committing { try body(editor.document, version) }
                console.hasWritten = true
                version = try self.version(generation, of: editor.document, argument.path)
            }
            if console.isJSON {
                console.print(VersionList.json(version, path: argument.path, isDryRun: isDryRun))
            } else {
                console.say("\(isDryRun ? wouldDo : done) version \(generation) of \(Printable.line(argument.path))")
            }
            return version.isPinned
        }
    }

    private static func version(_ generation: Int, of document: PersistentDocument, _ path: String) throws
        -> DocumentVersion
    {
        if let version = try document.versions().last(where: { $0.generation == generation }) { return version }
        if generation == document.generation {
            throw InterchangeError.notFound(
                "\(generation) is the last save, and no version yet", path: path,
                hint: "it becomes one with the next save")
        }
        throw InterchangeError.notFound(
            "there is no version \(generation)", path: path, hint: "folio versions \(ShellWord.quoted(path)) lists them"
        )
    }

    // MARK: Pruning

    static func prune(_ text: String, _ arguments: ParsedArguments, _ console: Console) async throws {
        guard let keep = arguments.value("--keep") else {
            throw InterchangeError.usage("say which versions stay", hint: "usage: folio versions prune DOC --keep WHAT")
        }
        let retention = try self.retention(keep), path = try DocumentArgument.path(text)
        try await DocumentEditor.editing(text, arguments, console) { editor in
            try editor.document.checkChangingVersions()
            let doomed = retention.superfluous(try editor.document.versions()),
                setAside = try editor.document.quarantinedFiles()
            let isDryRun = arguments.has(OptionSpecification.dryRun)
            if !isDryRun {
                try await console.interruption.committing {
                    try editor.document.removeVersions(doomed)
                    try editor.document.removeQuarantinedFiles()
                }
                console.hasWritten = !doomed.isEmpty || !setAside.isEmpty
            }
            for file in setAside {
                console.say("\(isDryRun ? "would remove" : "removed") what was set aside: \(Printable.line(file.path))")
            }
            if doomed.isEmpty, !console.isJSON { return console.say("nothing to remove") }
            VersionList(doomed, path: path).write(console)
        }
    }

    private static func retention(_ text: String) throws -> VersionRetention {
        if text == "thinned" { return .thinned }
        guard let match = text.wholeMatch(of: /(\d{1,12})(h|d|w|KB|MB|GB)?/), let number = Int(match.1) else {
            throw InterchangeError.usage("--keep does not take \(text)", hint: "one of 10, 12h, 30d, 8w, 20MB, thinned")
        }
        func since(_ seconds: Double) -> VersionRetention {
            .since(Date(timeIntervalSinceNow: -Double(number) * seconds))
        }
        switch match.2 {
        case "h": return since(3600)
        case "d": return since(86_400)
        case "w": return since(7 * 86_400)
        case "KB": return .bytes(Int64(number) << 10)
        case "MB": return .bytes(Int64(number) << 20)
        case "GB": return .bytes(Int64(min(number, 1 << 30)) << 30)
        default: return .newest(number)
        }
    }
}
