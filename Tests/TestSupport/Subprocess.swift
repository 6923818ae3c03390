public import Foundation

/// A program that was run to its end.
public struct Subprocess {
    public let exit: Int32
    /// What it wrote to both outputs.
    public let output: String

    /// Runs a program to its end.
    /// - Parameters:
    ///   - words: The program and its arguments.
    ///   - environment: All of its variables; nil for those of this process.
    @discardableResult
    public static func run(_ words: [String], in folder: URL, environment: [String: String]? = nil) throws -> Subprocess
    {
        let run = try ProgramRun(["/usr/bin/env"] + words, in: folder, environment: environment, joinsOutputs: true)
        return Subprocess(exit: run.exit, output: String(decoding: run.output, as: UTF8.self))
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Runs a program that is expected to succeed.
    @discardableResult
    public static func succeed(_ words: String..., in folder: URL) throws -> String { try succeed(words, in: folder) }

    /// Runs a program that is expected to succeed.
    @discardableResult
    public static func succeed(_ words: [String], in folder: URL) throws -> String {
        let outcome = try run(words, in: folder)
        guard outcome.exit == 0 else {
            throw Failure(
                description:
                    "\(words.joined(separator: " ")) ended with \(outcome.exit):\n\(outcome.output.suffix(20_000))")
        }
        return outcome.output
    }
}
