import Foundation
import TestSupport

/// A program that is run to its end.
struct Subprocess {
    let exit: Int32
    /// What it wrote to both outputs.
    let output: String

    @discardableResult
    static func run(_ words: [String], in folder: URL) throws -> Subprocess {
        let run = try ProgramRun(["/usr/bin/env"] + words, in: folder, joinsOutputs: true)
        return Subprocess(exit: run.exit, output: String(decoding: run.output, as: UTF8.self))
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program that is expected to succeed.
    @discardableResult
    static func succeed(_ words: String..., in folder: URL) throws -> String { try succeed(words, in: folder) }

    @discardableResult
    static func succeed(_ words: [String], in folder: URL) throws -> String {
        let outcome = try run(words, in: folder)
        guard outcome.exit == 0 else {
            throw Failure(
                description:
                    "\(words.joined(separator: " ")) ended with \(outcome.exit):\n\(outcome.output.suffix(20_000))")
        }
        return outcome.output
    }
}

/// Where the project's own source stands.
let projectFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// Where the programs of the build stand that this test is part of.
let productsFolder = builtProgram("modelgen").deletingLastPathComponent()
