import Foundation
import Testing
import TestSupport

/// The documentation of the formats is complete: a reader in Python, written from it alone, finds
/// in every sample what `folio export` prints.
@Suite(.enabled(if: FormatReader.isThere)) struct FormatReaderTests {
    @Test(arguments: try FormatReader.samples()) func agreesWithExport(sample: String) throws {
        let document = FormatReader.samplesFolder.appendingPathComponent(sample)
        try withTemporaryDirectory { scratch in
            let check = try FormatReader.run(
                FormatReader.python, [FormatReader.script, "check", document.path], scratch)
            #expect(check.exit == 0, "\(check.output)")

            let export = scratch.appendingPathComponent("export.json")
            let exported = try FormatReader.run(
                builtProgram("folio"), ["export", document.path, "-o", export.path], scratch)
            #expect(exported.exit == 0, "\(exported.output)")

            let comparison = try FormatReader.run(
                FormatReader.python, [FormatReader.script, "compare", document.path, export.path], scratch)
            #expect(comparison.exit == 0, "\(comparison.output)")
            #expect(comparison.output.contains("0 differences in"), "\(comparison.output)")
            #expect(!comparison.output.contains("in 0 objects"), "\(comparison.output)")
        }
    }

    @Test func thereAreSamples() throws {
        let samples = try FormatReader.samples()
        #expect(samples.contains { $0.hasSuffix(".folio") } && samples.contains { $0.hasSuffix(".folioz") })
    }
}

/// Runs `Tests/FormatReader/folio_format.py`.
private enum FormatReader {
    static let python = URL(fileURLWithPath: "/usr/bin/python3")
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: python.path) }

    static let samplesFolder = HostileTable.folder.deletingLastPathComponent()
    static var script: String {
        samplesFolder.deletingLastPathComponent().appendingPathComponent("Tests/FormatReader/folio_format.py").path
    }

    /// The packages and archives among the samples, but for the hostile ones.
    static func samples() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: samplesFolder.path).filter {
            ($0.hasSuffix(".folio") || $0.hasSuffix(".folioz")) && !$0.hasPrefix("Hostile/")
        }.sorted()
    }

    /// Runs a program to its end; answers all that it printed.
    static func run(_ program: URL, _ arguments: [String], _ scratch: URL) throws -> (exit: Int32, output: String) {
        let printed = scratch.appendingPathComponent("printed")
        try Data().write(to: printed)
        let output = try FileHandle(forWritingTo: printed)
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "XDG_STATE_HOME": scratch.path, "PYTHONDONTWRITEBYTECODE": "1",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: printed), as: UTF8.self))
    }
}
