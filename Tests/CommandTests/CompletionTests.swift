import Foundation
import TestSupport
import Testing

/// `folio completion`: the scripts in the shells that they are for.
struct CompletionTests {
    private static func shell(_ name: String) -> String? {
        ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + name }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    private static let zsh = shell("zsh"), fish = shell("fish")

    /// A folder with a copy of the sample document, saved once more, that is the working folder of
    /// what `body` runs.
    private func withDocument(_ body: (URL) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=X").exit == 0)
            try Data().write(to: folder.appendingPathComponent("a file.txt"))
            for name in ["bash", "zsh", "fish"] {
                let script = try FolioCommand.run("completion", name)
                #expect(script.exit == 0 && script.messages.isEmpty)
                try Data(script.output.utf8).write(to: folder.appendingPathComponent("script.\(name)"))
            }
            try body(folder)
        }
    }

    /// - Parameter pieces: The line as bash cuts it.
    private func bash(_ pieces: [String], line: String, in folder: URL) throws -> [String] {
        let program = #"""
            COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
            source script.bash
            COMP_LINE=$1 COMP_POINT=${#1}
            shift
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            # What readline replaces: an @ goes with what stands behind it, the other signs do not.
            word=${COMP_WORDS[COMP_CWORD]}
            [[ ${COMP_WORDS[COMP_CWORD - 1]} == @ ]] && word=@$word
            [[ $word == [=:] ]] && word=
            _folio folio "${word#[\"\']}"
            printf '%s\n' "${COMPREPLY[@]}"
            """#
        let outcome = try FolioCommand.run(
            ["-c", program, "bash", line] + pieces, in: folder, through: ["/bin/bash", "--norc", "--noprofile"],
            alone: true)
        #expect(outcome.exit == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    /// Each word of the line is one of bash's pieces, but for those with the signs between that it
    /// cuts at.
    private func bash(_ line: String, in folder: URL) throws -> [String] {
        let full = line.replacing("folio ", with: FolioCommand.binary.path + " ", maxReplacements: 1)
        let words = full.split(separator: " ", omittingEmptySubsequences: false).flatMap { word in
            word.isEmpty ? [""] : word.matches(of: /[@=:]+|[^@=:]+/).map { String($0.0) }
        }
        return try bash(words, line: full, in: folder)
    }

    @Test func bashCompletesCommandsOptionsAndNamesOfTheDocument() throws {
        try withDocument { (folder: URL) throws in
            let before = try FolioCommand.contents(of: folder)
            func answer(_ line: String) throws -> [String] { try bash(line, in: folder) }
            #expect(try answer("folio fe") == ["fetch"])
            #expect(try answer("folio ver") == ["verify", "versions"])
            #expect(
                try answer("folio fetch Expeditions.folio ") == [
                    "Camp", "Harbour", "Journey", "Person", "Place", "Stop",
                ])
            #expect(try answer("folio fetch Expeditions.folio --limit 3 Jo") == ["Journey"])
            #expect(try answer("folio fetch Expeditions.folio Journey --sort ti") == ["title"])
            #expect(try answer("folio fetch Expeditions.folio Journey --sort -year,leader.na") == ["-year,leader.name"])
            #expect(try answer("folio fetch Expeditions.folio Journey --columns title,ye") == ["title,year"])
            #expect(
                try answer("folio fetch Expeditions.folio Journey --format ") == [
                    "table", "lines", "json", "jsonl", "csv",
                ])
            // Behind a sign that bash cuts at, only the rest is replaced.
            #expect(try answer("folio fetch Expeditions.folio Journey --format=js") == ["json", "jsonl"])
            #expect(try answer("folio fetch Expeditions.folio@") == ["@saved", "@20"])
            #expect(try answer("folio info Expeditions.folio@s") == ["@saved"])
            #expect(try answer("folio versions pin Expeditions.folio@") == ["@20"])
            #expect(try answer("folio insert Expeditions.folio Journey ti") == ["title="])
            #expect(try answer("folio insert Expeditions.folio Journey title=x leader=") == ["Person/p"])
            #expect(try answer("folio set Expeditions.folio Person/p1 bo") == ["born="])
            #expect(try answer("folio insert Expeditions.folio Camp isCharted=") == ["true", "false"])
            #expect(try answer("folio export Expeditions.folio --entity Per") == ["Person"])
            #expect(try answer("folio versions pr") == ["prune"])
            #expect(try answer("folio help pre") == ["predicates"])
            #expect(try answer("folio completion ") == ["bash", "zsh", "fish"])
            #expect(try answer("folio fetch --template long") == [])
            #expect(try answer("folio fetch Expeditions.folio --template long") == ["longJourneys"])
            // Options that were given, or exclude one that was, are not offered; those of another
            // subcommand neither.
            let options = try answer("folio new x --model y --archive --")
            #expect(
                options.contains("--dry-run") && !options.contains("--package") && !options.contains("--model"),
                "\(options)")
            let (pin, prune) = (
                try answer("folio versions pin Expeditions.folio@20 --"),
                try answer("folio versions prune Expeditions.folio --")
            )
            #expect(!pin.contains("--keep") && prune.contains("--keep"), "\(pin) \(prune)")
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}

extension CompletionTests {
    @Test func bashCompletesFilesAndLeavesQuotesAsTheyAre() throws {
        try withDocument { (folder: URL) throws in
            #expect(try bash("folio info Exp", in: folder) == ["Expeditions.folio"])
            #expect(try bash("folio import Expeditions.folio a", in: folder) == ["a file.txt"])
            let mixed = try bash("folio versions ", in: folder)
            #expect(mixed.contains("prune") && mixed.contains("Expeditions.folio"), "\(mixed)")
            try FileManager.default.moveItem(
                at: folder.appendingPathComponent("Expeditions.folio"),
                to: folder.appendingPathComponent("My Doc.folio"))
            let binary = FolioCommand.binary.path
            for name in ["My\\ Doc.folio", "'My Doc.folio'", "\"My Doc.folio\""] {
                #expect(
                    try bash([binary, "fetch", name, "Jo"], line: "\(binary) fetch \(name) Jo", in: folder) == [
                        "Journey"
                    ], "\(name)")
            }
            #expect(
                try bash([binary, "fetch", "My\\ Doc.folio", "@"], line: "\(binary) fetch My\\ Doc.folio@", in: folder)
                    == ["@saved", "@20"])
            #expect(
                try bash([binary, "fetch", "'My Doc.folio@"], line: "\(binary) fetch 'My Doc.folio@", in: folder) == [
                    "My Doc.folio@saved", "My Doc.folio@20",
                ])
            #expect(
                try bash([binary, "fetch", "\"My Do"], line: "\(binary) fetch \"My Do", in: folder) == ["My Doc.folio"])
        }
    }

    @Test func whatCanNotBeReadHasNoNamesAndNoErrors() throws {
        try withDocument { (folder: URL) throws in
            try Data("no document".utf8).write(to: folder.appendingPathComponent("Broken.folioz"))
            for words in [
                ["fetch", "Nowhere.folio", ""], ["fetch", "Broken.folioz", ""], ["info", "Broken.folioz@"],
                ["mystery", ""], ["fetch", "Expeditions.folio", "Mystery", "--sort", ""],
                ["fetch", "Expeditions.folio", "Journey", "--columns", "nowhere."],
                ["new", "x", "--model", "Nowhere.xcdatamodeld#"],
                ["insert", "Expeditions.folio", "Journey", "mystery="],
            ] {
                for shell in ["bash", "zsh", "fish"] {
                    let outcome = try FolioCommand.run(["completion", "--words", shell] + words, in: folder)
                    #expect(
                        outcome.exit == 0 && outcome.messages.isEmpty
                            && outcome.output.split(separator: "\n").count == 1,
                        "\(words): \(outcome.output)\(outcome.messages)")
                }
            }
            let unknown = try FolioCommand.run("completion", "basch")
            #expect(unknown.exit == 64 && unknown.hints == ["hint: did you mean bash?"])
            #expect(try FolioCommand.run("completion").exit == 64)
            #expect(try FolioCommand.run("completion", "basch", "--json").exit == 64)
        }
    }

    /// What zsh's own functions would be told, since these run on a command line only.
    @Test(.enabled(if: zsh != nil, "zsh is not installed")) func zshCompletesTheSame() throws {
        try withDocument { (folder: URL) throws in
            let program = """
                compdef() { }; _files() { print -r -- FILES }; compadd() { print -rl -- $texts }
                source ./script.zsh
                words=("$@") CURRENT=$# PREFIX=$words[-1]
                _folio
                """
            func answer(_ words: String...) throws -> [String] {
                let outcome = try FolioCommand.run(
                    ["-f", "-c", program, "zsh", FolioCommand.binary.path] + words, in: folder,
                    through: [Self.zsh ?? ""], alone: true)
                #expect(outcome.exit == 0 && outcome.messages.isEmpty, "\(outcome.messages)")
                return outcome.output.split(separator: "\n").map(String.init)
            }
            #expect(try answer("fe") == ["fetch"])
            #expect(try answer("fetch", "Expeditions.folio", "Jo") == ["Journey"])
            #expect(
                try answer("fetch", "Expeditions.folio", "Journey", "--format=js") == [
                    "--format=json", "--format=jsonl",
                ])
            #expect(
                try answer("info", "Expeditions.folio@") == [
                    "Expeditions.folio@saved", "Expeditions.folio@20", "FILES",
                ])
            #expect(try answer("info", "Exp") == ["FILES"])
            #expect(try answer("fetch", "Nowhere.folio", "") == [])
        }
    }
}

extension CompletionTests {
    @Test(.enabled(if: fish != nil, "fish is not installed")) func fishCompletesTheSame() throws {
        try withDocument { (folder: URL) throws in
            func answer(_ line: String) throws -> [String] {
                let program =
                    "set -gx PATH \(FolioCommand.binary.deletingLastPathComponent().path) $PATH; source script.fish; complete -C $argv[1]"
                let outcome = try FolioCommand.run(
                    ["--no-config", "-c", program, line], in: folder, through: [Self.fish ?? ""], alone: true)
                #expect(outcome.exit == 0, "\(outcome.messages)")
                return outcome.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
            }
            #expect(try answer("folio fe") == ["fetch"])
            #expect(try answer("folio fetch Expeditions.folio Jo") == ["Journey"])
            #expect(try answer("folio fetch Expeditions.folio Journey --sort -year,leader.na") == ["-year,leader.name"])
            #expect(
                try answer("folio fetch Expeditions.folio Journey --format ").sorted() == [
                    "csv", "json", "jsonl", "lines", "table",
                ])
            #expect(
                try answer("folio info Expeditions.folio@").sorted() == [
                    "Expeditions.folio@20", "Expeditions.folio@saved",
                ])
            #expect(try answer("folio info Exp") == ["Expeditions.folio/"])
            #expect(try answer("folio insert Expeditions.folio Journey ti") == ["title="])
        }
    }
}
