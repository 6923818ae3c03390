import Foundation
import TestSupport
import Testing

/// The states in which a power cut may leave a document, built from a record of what each operation
/// does to files: writes that were not synchronized are lost, reordered or torn, names that were
/// not synchronized are missing. Each is opened as after a fault.
@Suite(.serialized) struct CrashStateTests {
    private static let isWhole = ProcessInfo.processInfo.environment["FOLIO_FAULTS"] == "all"

    @Test(
        .enabled(if: runsSweeps),
        .enabled(if: CrashDriver.canWatch, "this machine does not let processes be watched (seccomp user notification)")
    )
    func noPowerCutLosesAnAcknowledgedStateOrLeavesADocumentThatDoesNotOpen() throws {
        let sweeps = try CrashDriver.sweeps().filter {
            Self.isWhole || (["autosave", "merge"].contains($0.operation) && $0.form == "package")
        }
        var states = 0
        for sweep in sweeps {
            let tally = CrashDriver.tally(try CrashDriver.run(["states", sweep.operation, sweep.form]))
            states += tally.points
            if Self.isWhole { print(tally.description) }
            for failure in tally.failures.prefix(20) { Issue.record("\(failure)") }
        }
        if Self.isWhole { print("\(states) crash states") }
        #expect(states >= (Self.isWhole ? 2000 : 50))
    }
}
