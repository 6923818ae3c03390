import Foundation
import TestSupport
import Testing

/// A repository with a document in it, set up by `folio git --setup`.
struct GitRepository {
    /// The home of git in it.
    let folder: URL
    let document: String
    let path: URL

    init(_ folder: URL, document: String) throws {
        self.folder = folder
        self.document = document
        path = folder.appendingPathComponent("repository")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        #expect(try git("init", "-q", "-b", "main").exit == 0)
        try setUp()
        #expect(try folio("save-as", FolioCommand.document, document).exit == 0)
        try commit("base")
    }

    /// Another person's clone.
    init(cloneOf other: GitRepository, as name: String) throws {
        folder = other.folder
        document = other.document
        path = folder.appendingPathComponent(name)
        #expect(try other.git("clone", "-q", other.path.path, path.path).exit == 0)
        try setUp()
    }

    private func setUp() throws {
        for (key, value) in [("user.name", "Somebody"), ("user.email", "somebody@example.com")] {
            #expect(try git("config", key, value).exit == 0)
        }
        #expect(try folio("git", "--setup").exit == 0)
    }

    /// Git finds the command by its name.
    @discardableResult
    func git(_ words: String...) throws -> FolioCommand.Outcome {
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        return try shell("git \(line)")
    }

    /// Runs a script, of which nothing is known but whether it succeeds and what it prints.
    @discardableResult
    func shell(_ script: String) throws -> FolioCommand.Outcome {
        try FolioCommand.run(
            ["-c", "PATH=\"$1:$PATH\"; HOME='\(folder.path)'; export PATH HOME; \(script)", "sh"]
                + [FolioCommand.binary.deletingLastPathComponent().path], in: path, through: ["/bin/sh"], alone: true)
    }

    @discardableResult
    func folio(_ words: String...) throws -> FolioCommand.Outcome { try FolioCommand.run(words, in: path) }

    func commit(_ message: String) throws {
        #expect(try git("add", "-A").exit == 0)
        let outcome = try git("commit", "-q", "-m", message)
        #expect(outcome.exit == 0, "\(outcome.output)\(outcome.messages)")
    }

    func edit(_ message: String, _ words: String...) throws { try edit(message, words) }

    /// Makes a branch of main, with an edit that has its name.
    func branch(_ name: String, _ words: String...) throws {
        #expect(try git("checkout", "-q", "-b", name, "main").exit == 0)
        try edit(name, words)
    }

    private func edit(_ message: String, _ words: [String]) throws {
        let outcome = try FolioCommand.run([words[0], document] + words.dropFirst(), in: path)
        #expect(outcome.exit == 0, "\(outcome.messages)")
        try commit(message)
    }

    func name(_ object: String) throws -> String? {
        let outcome = try folio("get", document, object, "--json")
        return (outcome.object["attributes"] as? [String: Any])?["name"] as? String
    }

    func harbours() throws -> [String] {
        let outcome = try folio("fetch", document, "Harbour", "--columns", "name", "--json")
        return (outcome.json as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }.sorted()
    }

    func expectSound(_ location: SourceLocation = #_sourceLocation) throws {
        let outcome = try folio("verify", document, "--deep")
        #expect(outcome.exit == 0, "\(outcome.output)", sourceLocation: location)
    }
}
