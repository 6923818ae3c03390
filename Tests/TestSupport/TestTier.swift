import Foundation

/// Whether tests that take minutes run, too: sweeps over every fault, flipped bit or altered
/// number, and tests that start hundreds of processes. `.ci/run` sets `FOLIO_TESTS=all`.
///
///     @Test(.enabled(if: runsSweeps)) func noFaultLosesASavedState() async throws
package let runsSweeps = ProcessInfo.processInfo.environment["FOLIO_TESTS"] == "all"
