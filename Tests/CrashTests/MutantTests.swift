import Foundation
import TestSupport
import Testing

/// The protocols without one of their synchronizations or renamings at a time: some crash state
/// must fail then, or the step is needless. Those that nobody misses stand here, with the reason.
@Suite(.serialized) struct MutantTests {
    private static let isWhole = ProcessInfo.processInfo.environment["FOLIO_FAULTS"] == "all"

    /// What survives whatever the operation.
    private static let everywhere = [
        "sync A.folio/store/store.sqlite-wal":
            "SQLite synchronizes its log's header, each commit and, before a checkpoint, the whole: the next one makes up for one that is missing. Where only one is left, "
            + "after the last autosave, it is missed.",
        "sync A.folio/store":
            "The name of a new log is made durable twice: SQLite passes over a failure, so the guard does it again.",
    ]

    /// What survives in one operation on one form.
    private static let survivors: [String: [String: String]] = [
        "autosave package": [
            "sync A.folio":
                "The folder content/ was there and durable; it is synchronized with the folder above only in case it was made just now."
        ],
        "revert package": [
            "sync A.folio": "Of content/, as in an autosave.",
            "sync A.folio/store":
                "The log is moved into versions/, and that folder is synchronized: a renaming counts as one step, which lasts with the folder it goes into.",
        ],
        "save package": [
            "sync A.folio":
                "Of content/, as in an autosave; and of the manifest, which is derived: the store's marker tells the next opening to write it again.",
            "rename A.folio/.manifest.json.tmp-*":
                "The next opening writes the manifest again, since the store's marker is ahead of it.",
            "sync A.folio/store":
                "The names of the emptied log and its index: where they come back, the log is empty, and the next closing removes it.",
        ],
    ]

    @Test(
        .enabled(if: runsSweeps),
        .enabled(if: CrashDriver.canWatch, "this machine does not let processes be watched (seccomp user notification)")
    )
    func everyStepThatIsTakenOutIsMissedOrExplained() throws {
        var count = 0, survived = 0
        for name in Self.isWhole ? Self.survivors.keys.sorted() : ["autosave package"] {
            let words = name.split(separator: " ").map(String.init)
            let outcome = try CrashDriver.run(["mutants"] + words)
            let found = outcome.lines.filter { $0.hasPrefix("survivor ") }.map {
                String($0.dropFirst("survivor ".count)).replacing("/documents/", with: "")
            }
            let mutants = CrashDriver.tally((outcome.status, outcome.lines.filter { !$0.hasPrefix("survivor ") }))
            for failure in mutants.failures { Issue.record("\(failure)") }
            let expected = Set(Self.everywhere.keys).union(Self.survivors[name].map { Set($0.keys) } ?? [])
            for survivor in found where !expected.contains(survivor) {
                Issue.record("\(name): nobody misses \(survivor)")
            }
            #expect(found.count < mutants.points, "\(name)")
            if Self.isWhole {
                print(
                    "\(name): \(mutants.points) steps taken out one at a time, \(mutants.points - found.count) missed, \(found.count) not: \(Set(found).sorted())"
                )
            }
            count += mutants.points
            survived += found.count
        }
        if Self.isWhole { print("\(count) mutants, \(survived) survivors, each explained") }
    }
}
