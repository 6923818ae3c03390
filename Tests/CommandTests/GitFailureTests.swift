import Foundation
import TestSupport
import Testing

/// Merges that git asks for and that fail.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"))) struct GitFailureTests {
    @Test(arguments: ["base", "ours", "theirs"]) func aDamagedVersionIsCalledByItsSide(_ side: String) throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "A Doc.folioz")
            let file = repository.path.appendingPathComponent("A Doc.folioz"), sound = try Data(contentsOf: file)
            func damage() throws {
                var bytes = sound
                for index in bytes.count / 2..<bytes.count / 2 + 60 { bytes[index] ^= 0xFF }
                try bytes.write(to: file)
                try repository.commit("damage")
            }
            func edit(_ branch: String) throws {
                if side == branch { return try damage() }
                try sound.write(to: file)
                try repository.edit(branch, "set", "Person/p1", "name=\(branch)")
            }
            if side == "base" { try damage() }
            try repository.git("checkout", "-q", "-b", "other")
            try edit("theirs")
            try repository.git("checkout", "-q", "main")
            try edit("ours")
            let before = try Data(contentsOf: file), merge = try repository.git("merge", "other", "-m", "both")
            #expect(merge.exit == 1, "\(merge.output)\(merge.messages)")
            #expect(!merge.messages.contains(".merge_file"), "\(merge.messages)")
            #expect(
                merge.errors.contains { $0.hasPrefix("folio: merge: A Doc.folioz: \(side): ") }, "\(merge.messages)")
            let stage = ["base": 1, "ours": 2, "theirs": 3][side] ?? 0
            let command = "git show ':\(stage):A Doc.folioz' > FILE"
            #expect(
                merge.hints.contains { $0.hasPrefix("hint: nothing is merged, ours stays: \(command)") },
                "\(merge.messages)")
            #expect(merge.hints.contains { $0.contains("git add only what is merged") }, "\(merge.messages)")
            #expect(try Data(contentsOf: file) == before)
            // The command that is named takes out the damaged version.
            #expect(try repository.shell(command).exit == 0)
            let verified = try repository.folio("verify", "FILE", "--deep")
            #expect(verified.exit != 0, "\(verified.output)")
        }
    }

    @Test func aVersionOfANewerModelIsCalledByItsSide() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            try repository.git("checkout", "-q", "-b", "other")
            let model = FolioCommand.samples.path + "/Expeditions.xcdatamodeld#Expeditions 2"
            try repository.edit("theirs", "migrate", "--model", model)
            try repository.git("checkout", "-q", "main")
            try repository.edit("ours", "set", "Person/p1", "name=Ours")
            let merge = try repository.git("merge", "other", "-m", "both")
            #expect(merge.exit == 1, "\(merge.output)\(merge.messages)")
            #expect(!merge.messages.contains(".merge_file"), "\(merge.messages)")
            #expect(merge.errors.contains { $0.contains("Doc.folioz") && $0.contains("theirs: ") }, "\(merge.messages)")
            #expect(merge.hints.contains { $0.contains("nothing is merged, ours stays: ") }, "\(merge.messages)")
            #expect(try repository.name("Person/p1") == "Ours")
        }
    }

    @Test func aMergeWithoutConflictsIsReportedAsJSON() throws {
        try withTemporaryDirectory { folder in
            for name in ["o", "a", "b"] {
                #expect(
                    try FolioCommand.run("save-as", FolioCommand.document, "\(folder.path)/\(name).folioz").exit == 0)
            }
            #expect(try FolioCommand.run("set", "b.folioz", "Person/p1", "name=B", in: folder).exit == 0)
            let merge = try FolioCommand.run(
                "merge", "--git", "--json", "--", "o.folioz", "a.folioz", "b.folioz", "-Doc.folioz", in: folder)
            #expect(merge.exit == 0 && merge.messages.isEmpty, "\(merge.messages)")
            #expect(merge.object["applied"] as? Bool == true, "\(merge.output)")
            #expect(merge.object["changed"] as? [String: Int] == ["Person": 1])
            #expect(merge.object["base"] as? String == "o.folioz" && merge.object["path"] as? String == "-Doc.folioz")
        }
    }
}
