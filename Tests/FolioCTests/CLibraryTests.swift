import Foundation
import TestSupport
import Testing

/// The C library, used by programs in C, which are built without a sanitizer.
@Suite(.enabled(if: CProgram.hasProgram("cc") && !runsUnderSanitizer)) struct CLibraryTests {
    private static let firstVersion = CProgram.models + "#Expeditions"

    private func succeeds(_ name: String, model: String = Self.firstVersion) throws {
        try withTemporaryDirectory { folder in
            let outcome = try CProgram(name, in: folder).run(model: model)
            #expect(outcome.exit == 0 && outcome.output.hasSuffix("done\n"), "\(outcome.output)")
        }
    }

    @Test func objectsAreReadEditedFetchedAndWatched() throws { try succeeds("objects") }

    @Test func documentsAreOpenedSavedMigratedAndResolved() throws {
        try succeeds("documents", model: CProgram.models)
    }

    @Test func workIsKeptAtTheEndAndNothingElseIsLeft() throws { try succeeds("closing") }

    @Test func theHostIsToldOfWhatThereIsToDispatch() throws { try succeeds("dispatching") }

    @Test func operationsAreWatchedAndCancelledByOtherThreads() throws {
        try succeeds("progress", model: CProgram.models)
    }

    @Test func whatTheHostDoesWrongIsAnErrorAndNoCrash() throws { try succeeds("misuse") }

    @Test func eightThreadsWorkOnOneDocumentAndOnEight() throws { try succeeds("threads") }

    @Test(.enabled(if: runsSweeps)) func memoryDoesNotGrow() throws { try succeeds("leaks") }

    /// Memory errors alone: what the runtime keeps in tagged pointers looks lost to the tool, and
    /// the test above counts what is lost.
    @Test(
        .enabled(if: runsSweeps && CProgram.hasProgram("valgrind") && CProgram.hasProgram("strip")),
        arguments: ["misuse", "objects"])
    func programsHaveNoMemoryErrors(_ name: String) throws {
        try withTemporaryDirectory { folder in
            // The debugging information of the library is too new for some versions of the tool.
            let stripped = folder.appendingPathComponent("libFolioC.so")
            let strip = try CProgram.run(
                ["strip", "-g", "-o", stripped.path, CProgram.library.path], in: folder)
            try #require(strip.exit == 0, "\(strip.output)")
            let program = try CProgram(name, in: folder, library: stripped)
            let runtime = try CProgram.run(["ldd", CProgram.library.path], in: folder).output
                .split(separator: "\n").first { $0.contains("libswiftCore.so =>") }?
                .split(separator: " ").first { $0.hasSuffix("/libswiftCore.so") }
            let place = runtime.map { URL(fileURLWithPath: String($0)).deletingLastPathComponent().path } ?? ""
            let outcome = try program.run(
                model: Self.firstVersion,
                through: [
                    "valgrind", "-q", "--leak-check=no", "--error-exitcode=9",
                    "--suppressions=\(CProgram.programs.appendingPathComponent("valgrind.supp").path)",
                ],
                variables: ["LD_LIBRARY_PATH": place])
            #expect(outcome.exit == 0, "\(outcome.output.suffix(4000))")
        }
    }
}
