import Foundation
import PortReport

/// The program that rewrites Swift: it needs the libraries of the compiler, and this one is to run
/// without them.
struct PortProgram {
    private static let name = "folio-port"

    private let path: String

    /// The program beside this one, or in the PATH.
    ///
    /// - Throws: 69 where there is none.
    static func located() throws -> PortProgram {
        // Where /proc is not mounted, the name that the program was started by, which is found in
        // the PATH if it is no path.
        let running =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? ProgramPath.startedBy
        let own = URL(fileURLWithPath: running).resolvingSymlinksInPath().deletingLastPathComponent().path
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in [own] + folders {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return PortProgram(path: path) }
        }
        throw InterchangeError(
            .unavailable, "unavailable",
            "\(name), which rewrites Swift sources, is neither beside folio nor in the PATH",
            hint: "build it where Swift is installed: swift build -c release --product \(name)")
    }

    /// What becomes of source files.
    ///
    /// - Throws: 69 where the program can't run, for lack of the compiler's libraries.
    func run(_ request: PortRequest) throws -> PortedTree {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { try run(request, in: URL(fileURLWithPath: folder.path)) }
    }

    /// The program reads and writes files in `folder`: a pipe that fills up would block it.
    private func run(_ request: PortRequest, in folder: URL) throws -> PortedTree {
        let input = folder.appendingPathComponent("input"), output = folder.appendingPathComponent("output"),
            messages = folder.appendingPathComponent("messages")
        try JSONEncoder().encode(request).write(to: input)
        for url in [output, messages] { try Data().write(to: url) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: messages)
        do { try process.run() } catch {
            throw InterchangeError(
                .unavailable, "unavailable", "can't be started: \(error.localizedDescription)", path: path)
        }
        process.waitUntilExit()
        let answer = try Data(contentsOf: output)
        let why = String(decoding: try Data(contentsOf: messages), as: UTF8.self)
        guard process.terminationStatus == 0, let ported = try? JSONDecoder().decode(PortedTree.self, from: answer)
        else {
            let reason =
                why.split(separator: "\n").first.map(String.init) ?? "it ended with \(process.terminationStatus)"
            throw InterchangeError(.unavailable, "unavailable", "the sources were not rewritten: \(reason)", path: path)
        }
        return ported
    }
}
