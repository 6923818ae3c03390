import Foundation
import Testing

/// A disk that is really full: a small file system in memory, in a mount namespace of its own.
@Suite(.serialized) struct FullDiskTests {
    @Test(arguments: ["space", "inodes"], ["package", "archive"])
    func aFullDiskLeavesTheOldDocumentAndNamesTheCauseAndSavesAndMigrationsSucceedOnceThereIsRoom(
        _ what: String, _ form: String
    ) throws {
        let outcome = try CrashDriver.run(["full", what, form])
        if outcome.status == CrashDriver.unavailable {
            try Test.cancel("this machine does not let a file system be mounted: \(outcome.lines.joined())")
        }
        let tally = CrashDriver.tally(outcome)
        #expect(tally.points == 4)
        for failure in tally.failures { Issue.record("\(failure)") }
    }
}
