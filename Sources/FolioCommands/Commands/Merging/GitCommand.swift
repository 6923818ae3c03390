import Folio
import Foundation

/// `folio git`
enum GitCommand: Command {
    static let specification = CommandSpecification(
        "git", "says what makes git merge and show documents, or sets it up", operands: "[FOLDER] [--setup]",
        count: 0...1, .writes,
        options: [OptionSpecification(["--setup"], "set it up in the repository of FOLDER, or of this folder")],
        notes: """
            What is set up: .gitattributes says which files are documents, .gitignore leaves out what belongs to one machine, and the configuration of the repository says how they \
            are merged and shown. Lines that are there already stay as they are.

            Archives (.folioz) are one file each and the best form for git. Of a package the store is merged, and notes the conflicts that are left; its versions are not kept by \
            git, which has versions of its own. Its manifest, which every save changes, is not shown.
            """,
        examples: ["folio git --setup", "folio git"])

    private static let attributes = [
        "*.folioz merge=folio diff=folio -text", "**/*.folio/store/store.sqlite merge=folio diff=folio -text",
        "**/*.folio/manifest.json merge=folio -diff", "**/*.folio/content/** -text -diff",
    ]
    private static let ignored = [
        "**/*.folio/versions/", "**/*.folio/store/*-wal", "**/*.folio/store/*-shm", ".*.lock",
        // Temporary files and folders of commands that are at work or were killed.
        ".*.tmp-????????-????-????-????-????????????", ".*.old-????????-????-????-????-????????????",
        ".tmp-????????-????-????-????-????????????", ".*.writing",
    ]
    /// Names that begin with a dash are no options behind `--`.
    private static let configuration = [
        ("merge.folio.name", "Folio documents, object by object"),
        ("merge.folio.driver", GitMerge.driver), ("diff.folio.textconv", "folio export --textconv --"),
        ("diff.folio.command", "folio diff --"),
    ]

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let folder = arguments.operands.first ?? "."
        guard arguments.has("--setup") else {
            write(console)
            return .done
        }
        let top = try git(["rev-parse", "--show-toplevel"], in: folder).first ?? folder
        let isDryRun = arguments.has(OptionSpecification.dryRun)
        var done: [String] = []
        for (name, lines) in [(".gitattributes", attributes), (".gitignore", ignored)] {
            let missing = try add(lines, to: "\(top)/\(name)", isDryRun: isDryRun)
            done += missing.map { "\(name): \($0)" }
        }
        for (key, value) in configuration where (try? git(["config", "--local", "--get-all", key], in: top)) != [value]
        {
            if !isDryRun { _ = try git(["config", "--local", "--replace-all", key, value], in: top) }
            done.append("config \(key): \(value)")
        }
        if !isDryRun, !done.isEmpty { console.hasWritten = true }
        if console.isJSON {
            console.print(.object(["dryRun": .bool(isDryRun), "path": .string(top), "set": .strings(done)]))
        } else {
            for line in done { console.print(Printable.line(line)) }
            console.say(done.isEmpty ? "all is set up" : isDryRun ? "would set this up" : "set up")
        }
        return .done
    }

    private static func write(_ console: Console) {
        if console.isJSON {
            return console.print(
                .object([
                    "attributes": .strings(attributes), "ignored": .strings(ignored),
                    "configuration": .object(
                        Dictionary(uniqueKeysWithValues: configuration.map { ($0.0, .string($0.1)) })),
                ]))
        }
        console.print("# .gitattributes")
        for line in attributes { console.print(line) }
        console.print("# .gitignore")
        for line in ignored { console.print(line) }
        console.print("# in the repository")
        for (key, value) in configuration { console.print("git config \(key) '\(value)'") }
    }

    /// - Returns: The lines that were missing.
    private static func add(_ lines: [String], to path: String, isDryRun: Bool) throws -> [String] {
        var text = ""
        if FileManager.default.fileExists(atPath: path) {
            do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
                throw InterchangeError(.inputOutput, "unreadable", "can't be read as text", path: path)
            }
        }
        // A line break of two bytes is one character.
        let breaks = text.filter { $0 == "\n" || $0 == "\r\n" }
        let known = Set(text.split { $0 == "\n" || $0 == "\r\n" }.map(String.init))
        let missing = lines.filter { !known.contains($0) }
        guard !missing.isEmpty, !isDryRun else { return missing }
        let lineBreak = breaks.first.map(String.init) ?? "\n"
        if !text.isEmpty, text.utf8.last != UInt8(ascii: "\n") { text += lineBreak }
        text += missing.map { $0 + lineBreak }.joined()
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
            throw InterchangeError(
                .cannotCreate, "notWritten", "can't be written: \(error.localizedDescription)", path: path)
        }
        return missing
    }

    /// Runs git and answers the lines that it prints.
    /// - Throws: 69 where there is no git, or no repository.
    private static func git(_ words: [String], in folder: String) throws -> [String] {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["git", "-C", folder] + words
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        do { try process.run() } catch {
            throw InterchangeError(.unavailable, "unavailable", "git can't be started", path: folder)
        }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw InterchangeError(
                .unavailable, "noRepository",
                "git finds no repository here, or refuses: git \(words.joined(separator: " "))",
                path: folder)
        }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
