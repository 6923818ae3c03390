import Foundation
import TestSupport

/// A folder in which the commands and programs of a page run, with the sample documents in it.
struct ManualSandbox {
    let folder: URL
    private let scratch: URL
    /// The folder's path on the pages.
    static let shownPath = "/home/ada/work"

    /// - Parameter scratch: An empty folder.
    init(in scratch: URL) throws {
        self.scratch = scratch
        folder = scratch.appendingPathComponent("work")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let programs = scratch.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: programs.appendingPathComponent("folio"), withDestinationURL: builtProgram("folio"))
        let samples = folder.appendingPathComponent("DocumentSamples")
        try FileManager.default.createDirectory(at: samples, withIntermediateDirectories: true)
        for name in ["Expeditions.folio", "Expeditions.xcdatamodeld"] {
            try FileManager.default.copyContents(
                of: Manual.root.appendingPathComponent("DocumentSamples/\(name)"),
                to: samples.appendingPathComponent(name))
        }
    }

    private var environment: [String: String] {
        let inherited = ProcessInfo.processInfo.environment
        var variables = [
            "PATH": scratch.appendingPathComponent("bin").path + ":" + (inherited["PATH"] ?? "/usr/bin:/bin"),
            "HOME": scratch.path, "XDG_STATE_HOME": scratch.appendingPathComponent("state").path, "LC_ALL": "C.UTF-8",
            "TMPDIR": inherited["TMPDIR"] ?? "/tmp", "TERM": "dumb", "SWIFT_BACKTRACE": "enable=no",
        ]
        if let corpus { variables["FOLIO_CORPUS"] = corpus.path }
        return variables
    }

    /// Runs a program to its end.
    /// - Returns: What it printed to both outputs, with the folder's path as pages show it.
    func run(_ words: [String]) throws -> (exit: Int32, output: String) {
        let outcome = try Subprocess.run(words, in: folder, environment: environment)
        let shown = outcome.output.replacingOccurrences(of: folder.resolvingSymlinksInPath().path, with: Self.shownPath)
        return (outcome.exit, shown.replacingOccurrences(of: folder.path, with: Self.shownPath))
    }

    func file(_ name: String) -> URL { scratch.appendingPathComponent(name) }
}
