import Foundation
import Testing
import TestSupport

/// One command on one hostile document: the real binary in a process of its own with little time
/// and memory, on a copy whose surroundings are looked at afterwards.
struct HostileRun {
    let exit: Int32
    let isKilled: Bool
    let output: String
    let messages: String

    private static let seconds = 5
    /// Of address space, of which the program itself takes a good part.
    private static let bytes = 768 << 20

    private static let binary = builtProgram("folio")

    /// - Parameters:
    ///   - prepare: Puts the document into the folder and answers its name.
    ///   - mayChange: Whether the command may change the document itself.
    init(_ command: [String], mayChange: Bool = false, prepare: (URL) throws -> String) throws {
        self = try withTemporaryDirectory { scratch in
            let box = scratch.appendingPathComponent("box"), state = scratch.appendingPathComponent("state"),
                temporary = scratch.appendingPathComponent("tmp")
            for folder in [box, state, temporary] {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            let name = try prepare(box)
            let before = try Self.contents(of: box)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
            let limits =
                ["--cpu=\(runsUnderSanitizer ? 10 * Self.seconds : Self.seconds)", "--core=0", "--fsize=\(256 << 20)"]
                + (runsUnderSanitizer ? [] : ["--as=\(Self.bytes)"])
            process.arguments =
                limits + ["--", Self.binary.path]
                + command.map { $0.replacing("DOC", with: box.appendingPathComponent(name).path) }
            process.environment = [
                "XDG_STATE_HOME": state.path, "XDG_RUNTIME_DIR": state.path, "HOME": state.path,
                "TMPDIR": temporary.path, "SWIFT_BACKTRACE": "enable=no",
                "PATH": "/usr/bin:/bin",
                "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
                // Foundation's `Data` keeps its memory by pointers that the search for leaks does
                // not find.
                "ASAN_OPTIONS": "detect_leaks=0",
            ]
            process.currentDirectoryURL = box
            process.standardInput = FileHandle.nullDevice
            let output = scratch.appendingPathComponent("output"), messages = scratch.appendingPathComponent("messages")
            for file in [output, messages] { try Data().write(to: file) }
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: messages)
            try process.run()
            // One that waits for something that never comes takes no processor time.
            let watch = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watch)
            process.waitUntilExit()
            watch.cancel()

            let after = try Self.contents(of: box)
            if mayChange {
                #expect(
                    after.filter { !$0.key.hasPrefix(name) } == before.filter { !$0.key.hasPrefix(name) },
                    "\(name): something beside it was touched")
            } else {
                #expect(after == before, "\(name): \(Self.changed(before, after))")
            }
            #expect(
                try Self.contents(of: temporary).isEmpty, "\(name): something is left in the folder for temporary files"
            )
            #expect(!FileManager.default.fileExists(atPath: "/tmp/folio-escaped"))
            return HostileRun(
                exit: process.terminationStatus, isKilled: process.terminationReason == .uncaughtSignal,
                output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
                messages: String(decoding: try Data(contentsOf: messages), as: UTF8.self))
        }
    }

    private init(exit: Int32, isKilled: Bool, output: String, messages: String) {
        self.exit = exit
        self.isKilled = isKilled
        self.output = output
        self.messages = messages
    }

    private static func changed(_ before: [String: Data], _ after: [String: Data]) -> String {
        Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted().joined(separator: ", ")
    }

    /// Everything under a folder, links as what they lead to, other things as nothing.
    private static func contents(of folder: URL) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let path = folder.appendingPathComponent(name).path
            let kind = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            switch kind {
            case .typeRegular: contents[name] = try Data(contentsOf: URL(fileURLWithPath: path))
            case .typeSymbolicLink:
                contents[name] = Data(try FileManager.default.destinationOfSymbolicLink(atPath: path).utf8)
            default: contents[name] = Data()
            }
        }
        return contents
    }
}
