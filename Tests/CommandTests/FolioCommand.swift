import Foundation
import TestSupport

/// The real binary, run as a person runs it.
enum FolioCommand {
    struct Outcome {
        let exit: Int32
        let output: String
        let messages: String

        /// What the command says in lines that begin with `folio: `.
        var errors: [String] { messages.split(separator: "\n").filter { $0.hasPrefix("folio: ") }.map(String.init) }
        var hints: [String] { messages.split(separator: "\n").filter { $0.hasPrefix("hint: ") }.map(String.init) }
        var json: Any? { try? JSONSerialization.jsonObject(with: Data(output.utf8), options: .fragmentsAllowed) }
        var object: [String: Any] { json as? [String: Any] ?? [:] }
    }

    static let binary = builtProgram("folio")

    static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("DocumentSamples")
    /// The first version of the sample model.
    static let model = samples.path + "/Expeditions.xcdatamodeld#Expeditions"
    static let document = samples.path + "/Expeditions.folio"

    /// - Parameters:
    ///   - runner: a program with its arguments that runs the command, as `setpriv` does.
    ///   - alone: the program is run by itself, with the arguments for its own.
    @discardableResult
    static func run(_ arguments: [String], in folder: URL? = nil, through runner: [String] = [], alone: Bool = false)
        throws -> Outcome
    {
        try withTemporaryDirectory { scratch in
            var variables = ProcessInfo.processInfo.environment
            variables["XDG_STATE_HOME"] = scratch.path + "/state"
            variables["SWIFT_BACKTRACE"] = "enable=no"
            let words = runner + (alone ? [] : [binary.path]) + arguments
            let run = try ProgramRun(words, in: folder, environment: variables)
            return Outcome(exit: run.exit, output: try text(run.output), messages: try text(run.messages))
        }
    }

    private static func text(_ bytes: Data) throws -> String {
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw CocoaError(.fileReadInapplicableStringEncoding)
        }
        return text
    }

    static func run(_ arguments: String..., in folder: URL? = nil) throws -> Outcome { try run(arguments, in: folder) }

    /// A copy of the sample document in `folder`.
    static func copyOfDocument(in folder: URL) throws -> String {
        let copy = folder.appendingPathComponent("Expeditions.folio")
        try FileManager.default.copyContents(of: URL(fileURLWithPath: document), to: copy)
        return copy.path
    }

    /// Every file under `folder` with its bytes, to see that nothing changed.
    static func contents(of folder: URL) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let file = folder.appendingPathComponent(name)
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory)
            contents[name] = isDirectory.boolValue ? Data() : try Data(contentsOf: file)
        }
        return contents
    }
}
