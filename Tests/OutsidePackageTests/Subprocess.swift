import Foundation
import TestSupport

/// A program that is run to its end.
struct Subprocess {
    let exit: Int32
    /// What it wrote to both outputs.
    let output: String

    @discardableResult
    static func run(_ words: [String], in folder: URL) throws -> Subprocess {
        try withTemporaryDirectory { scratch in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = words
            process.currentDirectoryURL = folder
            // A file, not a pipe: nothing has to be read while the program runs.
            let output = scratch.appendingPathComponent("output")
            try Data().write(to: output)
            let handle = try FileHandle(forWritingTo: output)
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = handle
            process.standardError = handle
            try process.run()
            process.waitUntilExit()
            return Subprocess(exit: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8))
        }
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
