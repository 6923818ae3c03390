import Foundation
import TestSupport
import Testing

/// Commands that may open hardly any files.
struct FewFilesTests {
    /// Whatever file is the first that can't be opened, nothing is said to be damaged, missing or
    /// no model for that.
    @Test(arguments: 7...14) func whatIsNotReadForTooManyOpenFilesIsToldSo(limit: Int) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder),
                models = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
            for words in [
                ["migrate", document, "--model", models, "--dry-run"], ["model", models],
                ["fetch", document, "Person", "--count"], ["info", document],
            ] {
                let outcome = try FolioCommand.run(
                    words, through: ["/bin/sh", "-c", "ulimit -n \(limit); exec \"$@\"", "sh"])
                #expect(
                    outcome.exit == 0
                        || outcome.exit == 74 && outcome.messages.lowercased().contains("too many open files"),
                    "\(words): \(outcome.exit) \(outcome.messages)")
            }
        }
    }

    /// A folder that may not be listed is not one without models.
    @Test func aFolderThatMayNotBeListedIsToldSo() throws {
        try withTemporaryDirectory { folder in
            let models = folder.path + "/Expeditions.xcdatamodeld"
            try FileManager.default.copyContents(
                of: FolioCommand.samples.appendingPathComponent("Expeditions.xcdatamodeld"),
                to: URL(fileURLWithPath: models))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o311], ofItemAtPath: models)
            defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: models) }
            let user = geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
            let outcome = try FolioCommand.run(["model", models], through: user)
            #expect(
                outcome.exit == 77 && outcome.messages.contains("It can't be read"),
                "\(outcome.exit) \(outcome.messages)")
        }
    }
}
