import Testing

struct LockMutantTests {
    @Test(
        .enabled(
            if: CrashDriver.canWatch, "this machine does not let processes be watched (seccomp user notification)"),
        arguments: ["package", "archive"])
    func theSecondEditorIsToldWhoHoldsTheDocumentAndWithoutTheLockThatIsNoticed(_ form: String) throws {
        let tally = CrashDriver.tally(try CrashDriver.run(["locks", form]))
        #expect(tally.points == 4)
        for failure in tally.failures { Issue.record("\(failure)") }
    }
}
