import Foundation
import TestSupport

/// A program in C of the folder `Programs`, compiled against the header and linked to the library
/// of this build.
struct CProgram {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let header = root.appendingPathComponent("Sources/CFolio/include/folio.h")
    static let programs = root.appendingPathComponent("Tests/FolioCTests/Programs")
    static let python = root.appendingPathComponent("Sources/FolioC/python")
    /// All versions of the sample model.
    static let models = root.appendingPathComponent("DocumentSamples/Expeditions.xcdatamodeld").path
    static let library = builtProgram("libFolioC.so")

    let folder: URL
    let binary: URL

    /// Compiles a program, with all warnings as errors.
    init(_ name: String, in folder: URL, library: URL = Self.library) throws {
        self.folder = folder
        binary = folder.appendingPathComponent(name)
        let place = library.deletingLastPathComponent().path
        let outcome = try Self.run(
            [
                "cc", "-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror",
                "-I\(Self.header.deletingLastPathComponent().path)",
                Self.programs.appendingPathComponent("\(name).c").path, "-o", binary.path, "-L\(place)", "-lFolioC",
                "-Wl,-rpath,\(place)", "-Wl,--disable-new-dtags", "-lpthread", "-lm",
            ], in: folder)
        guard outcome.exit == 0 else {
            throw Subprocess.Failure(description: "\(name).c does not compile:\n\(outcome.output)")
        }
    }

    /// Runs the program with a folder for its documents and the file of the model.
    /// - Parameter runner: A program with its arguments that runs it.
    func run(model: String, through runner: [String] = [], variables: [String: String] = [:]) throws -> Subprocess {
        let documents = folder.appendingPathComponent("documents-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: true)
        return try Self.run(
            runner + [binary.path, documents.path, model], in: folder, variables: variables)
    }

    /// Runs a command to its end, with some variables beside those of this process.
    static func run(_ words: [String], in folder: URL, variables: [String: String] = [:]) throws -> Subprocess {
        var environment = ProcessInfo.processInfo.environment
        environment["XDG_STATE_HOME"] = folder.appendingPathComponent("state").path
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment.merge(variables) { $1 }
        return try Subprocess.run(words, in: folder, environment: environment)
    }

    /// Whether a program is installed.
    static func hasProgram(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }
}
