import Foundation
import TestSupport
import Testing

/// Input without an end, names that are too long, and limits of the process are errors.
struct EndlessInputTests {
    @Test func aDeviceWithoutEndIsNoValueAndNoList() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            for words in [
                ["set", document, "Person/p1", "portrait=@/dev/zero"],
                ["attach", document, "Person/p1", "portrait", "/dev/zero"],
                ["attach", document, "Journey/p1", "route", "/dev/zero"],
                ["import", document, "Person", "/dev/zero"],
                ["merge", document, FolioCommand.document, "--decisions", "/dev/zero"],
            ] {
                let outcome = try FolioCommand.run(words)
                #expect(outcome.exit != 0 && outcome.exit != 70, "\(words)")
                #expect(outcome.errors.count == 1, "\(words): \(outcome.messages)")
            }
            let outcome = try FolioCommand.run("set", document, "Person/p1", "portrait=@/dev/zero", "--json")
            #expect(outcome.exit == 69)
            #expect(outcome.messages.contains("tooLarge"))
        }
    }

    @Test(arguments: [
        "info", "fetch", "diff", "versions", "restore", "migrate", "conflicts", "explain", "get", "resolve",
    ])
    func aNameThatIsTooLongIsNoMistakeOfTheProgram(command: String) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let name = String(repeating: "A", count: 300)
            let rest: [String: [String]] = [
                "fetch": ["Person"], "diff": [document], "explain": ["Person"], "get": ["Person/p1"],
                "resolve": ["Person/p1", "ours"], "migrate": ["--model", FolioCommand.model],
            ]
            let operand = command == "restore" ? name + "@1" : name
            let outcome = try FolioCommand.run([command, operand] + (rest[command] ?? []), in: folder)
            #expect(outcome.exit == 66, "\(outcome.messages)")
        }
    }

    @Test(arguments: [60, 100, 150]) func tooLittleAddressSpaceIsAnErrorAndNeverAHang(megabytes: Int) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let outcome = try FolioCommand.run(
                ["set", document, "Person/p1", "name=A"], in: folder,
                through: ["sh", "-c", "ulimit -v \(megabytes << 10); exec timeout 60 \"$@\"", "sh"])
            #expect(outcome.exit != 124)
        }
    }

    @Test func temporaryFilesAreIgnoredByGit() throws {
        let outcome = try FolioCommand.run("git", "--json")
        let ignored = try #require(outcome.object["ignored"] as? [String])
        for name in [".*.tmp-", ".*.old-", ".tmp-"] {
            #expect(ignored.contains { $0.hasPrefix(name) })
        }
    }
}
