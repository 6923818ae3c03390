import Foundation
import Glibc
import TestSupport
import Testing

/// A document that nobody may write to can be repaired, since it is only read.
struct LockedRepairTests {
    @Test(arguments: ["folio", "folioz", "sqlite"]) func aReadOnlyDocumentIsRepaired(_ form: String) throws {
        try withTemporaryDirectory { root in
            let document = root.path + "/Doc.\(form)", new = root.path + "/New.\(form)"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, document).exit == 0)
            func shell(_ words: String...) throws {
                let run = try ProgramRun(["/usr/bin/" + words[0]] + words.dropFirst())
                #expect(run.exit == 0, "\(words)")
            }
            try shell("mkdir", root.path + "/temporary", root.path + "/state")
            // Permissions do not count for root.
            var user = ["/usr/bin/env", "XDG_STATE_HOME=\(root.path)/state", "TMPDIR=\(root.path)/temporary"]
            if getuid() == 0 {
                user = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + user
                try shell("chown", "-R", "65534:65534", root.path)
            }
            try shell("chmod", "-R", "a-w", document)
            let dry = try FolioCommand.run(["repair", document, "-o", new, "--dry-run"], through: user)
            let real = try FolioCommand.run(["repair", document, "-o", new], through: user)
            #expect(dry.exit == 0 && real.exit == 0, "\(dry.messages) – \(real.messages)")
            // The new one can be edited.
            let edited = try FolioCommand.run(["set", new, "Person/p1", "name=Ada"], through: user)
            #expect(edited.exit == 0, "\(edited.messages)")
            try shell("chmod", "-R", "u+w", document)
        }
    }
}
