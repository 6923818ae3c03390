import Foundation
import TestSupport
import Testing

/// Faults and kills at every call of every operation on both forms, in processes that a supervisor
/// watches: the next opening succeeds without help and finds the last state that was acknowledged
/// or the one that was tried, whole, and nothing is left lying about after the next save.
///
/// `swift test` runs a part; `FOLIO_FAULTS=all swift test --filter FaultSweepTests` runs every
/// point and prints the figures.
@Suite(.serialized) struct FaultSweepTests {
    private static let isWhole = ProcessInfo.processInfo.environment["FOLIO_FAULTS"] == "all"
    /// Every how manieth call fails in a part, and of how many kinds of faults one is tried:
    /// primes, so that operations meet different ones.
    private static let
        step = isWhole ? ProcessInfo.processInfo.environment["FOLIO_FAULTS_STEP"].flatMap { Int($0) } ?? 1 : 61,
        shares = isWhole ? 1 : 7

    @Test(
        .enabled(if: runsSweeps),
        .enabled(if: CrashDriver.canWatch, "this machine does not let processes be watched (seccomp user notification)")
    )
    func noFaultLosesAnAcknowledgedStateOrLeavesADocumentThatDoesNotOpen() async throws {
        let sweeps = try CrashDriver.sweeps()
        #expect(sweeps.count > 20)
        var points = 0, failures: [String] = []
        // One sweep at a time for each core: they are busy with nothing but the processor.
        try await withThrowingTaskGroup(of: CrashDriver.Tally.self) { group in
            var rest = sweeps[...]
            func startNext() {
                guard let sweep = rest.popFirst() else { return }
                let number = sweeps.count - rest.count
                let first = 1 + number * 13 % Self.step, faults = "\(number)/\(Self.shares)"
                group.addTask { try CrashDriver.sweep(sweep, step: Self.step, first: first, faults: faults) }
            }
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { startNext() }
            for try await tally in group {
                points += tally.points
                failures += tally.failures
                if Self.isWhole { print(tally.description) }
                startNext()
            }
        }
        if Self.isWhole { print("\(points) points, \(failures.count) failures") }
        #expect(points >= (Self.isWhole ? 10_000 : 100))
        for failure in failures.prefix(100) { Issue.record("\(failure)") }
    }
}
