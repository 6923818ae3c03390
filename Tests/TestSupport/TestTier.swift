import Foundation

/// Whether tests that take minutes run, too: sweeps over every fault, flipped bit or altered
/// number, and tests that start hundreds of processes. `.ci/run` sets `FOLIO_TESTS=all`.
///
///     @Test(.enabled(if: runsSweeps)) func noFaultLosesASavedState() async throws
package let runsSweeps = ProcessInfo.processInfo.environment["FOLIO_TESTS"] == "all"

/// `all` if sweeps run, otherwise `quick`: the number of rounds or the arguments of a test that
/// finds most mistakes early.
///
///     for _ in 0..<sweep(200, all: 8_000) { … }
package func sweep<Value>(_ quick: Value, all: Value) -> Value { runsSweeps ? all : quick }
