import Foundation
import TestSupport
import Testing

/// What `folio git --setup` writes, and names of documents that git hands over.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"))) struct GitSetupTests {
    @Test func documentsWhoseNamesBeginWithADashAreMergedAndShown() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "./-Doc.folioz")
            try repository.git("checkout", "-q", "-b", "other")
            try repository.edit("theirs", "set", "Person/p1", "name=Theirs")
            try repository.git("checkout", "-q", "main")
            try repository.edit("ours", "set", "Person/p2", "name=Ours")
            let merge = try repository.git("merge", "other", "-m", "both")
            #expect(merge.exit == 0, "\(merge.output)\(merge.messages)")
            #expect(try repository.name("Person/p1") == "Theirs")
            #expect(try repository.name("Person/p2") == "Ours")
            #expect(try repository.folio("set", "./-Doc.folioz", "Person/p1", "name=Later").exit == 0)
            for words in [["diff"], ["diff", "--no-ext-diff"]] {
                let diff = try repository.shell("git \(words.joined(separator: " "))")
                #expect(diff.exit == 0 && diff.output.contains("Later"), "\(diff.output)\(diff.messages)")
            }
        }
    }

    @Test func theManifestOfAPackageIsNotShown() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folio")
            try repository.edit("edit", "set", "Person/p1", "name=Ada")
            for words in ["log -p -1 --format=%s", "log -p -1 --format=%s --ext-diff", "show --format=%s"] {
                let shown = try repository.shell("git \(words)")
                #expect(
                    shown.exit == 0 && shown.output.contains("Ada") && !shown.output.contains("pageSum"),
                    "\(shown.output)\(shown.messages)")
            }
        }
    }

    @Test func olderAndSeveralValuesAreReplaced() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            #expect(try repository.folio("git", "--setup").messages == "all is set up\n")
            try repository.git("config", "merge.folio.driver", "folio merge --git %O %A %B %P")
            try repository.git("config", "--add", "merge.folio.driver", "other %A")
            try repository.git("config", "diff.folio.command", "folio diff")
            let setup = try repository.folio("git", "--setup")
            #expect(setup.exit == 0 && setup.messages == "set up\n", "\(setup.messages)")
            #expect(
                setup.output == """
                    config merge.folio.driver: folio merge --git -- %O %A %B %P
                    config diff.folio.command: folio diff --

                    """)
            for (key, value) in [
                ("merge.folio.driver", "folio merge --git -- %O %A %B %P"), ("diff.folio.command", "folio diff --"),
            ] {
                #expect(try repository.git("config", "--get-all", key).output == value + "\n")
            }
        }
    }

    @Test func linesThatEndAsOnWindowsAreKept() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            let file = repository.path.appendingPathComponent(".gitattributes")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let text = lines.map { $0 + "\r\n" }.joined()
            try Data(text.utf8).write(to: file)
            #expect(try repository.folio("git", "--setup").messages == "all is set up\n")
            #expect(try Data(contentsOf: file) == Data(text.utf8))
            // The last line, which had no end, gets one, and the missing line is added.
            try Data(text.utf8.dropLast(lines[lines.count - 1].utf8.count + 4)).write(to: file)
            let setup = try repository.folio("git", "--setup")
            #expect(setup.output == ".gitattributes: \(lines[lines.count - 1])\n", "\(setup.output)")
            #expect(try Data(contentsOf: file) == Data(text.utf8))
        }
    }

    @Test func namesThatAreNoTextStopNeitherMergesNorDifferences() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            let name = "N=$(printf 'A\\377.folioz'); ", edit = "folio set New.folioz"
            let made = try repository.shell(
                name + """
                    cp Doc.folioz "$N"; git add -A; git commit -qm named; git checkout -qb other
                    mv "$N" New.folioz; \(edit) Person/p1 name=Theirs; mv New.folioz "$N"; git commit -qam theirs
                    git checkout -q main
                    mv "$N" New.folioz; \(edit) Person/p2 name=Ours; mv New.folioz "$N"; git commit -qam ours
                    git merge other -m both > merged 2>&1; echo "exit $?"; cp "$N" New.folioz
                    """)
            #expect(made.output.contains("exit 0\n"), "\(made.output)\(made.messages)")
            for (object, value) in [("Person/p1", "Theirs"), ("Person/p2", "Ours")] {
                let outcome = try repository.folio("get", "New.folioz", object, "--json")
                #expect((outcome.object["attributes"] as? [String: Any])?["name"] as? String == value)
            }
            #expect(
                try repository.shell(
                    name + """
                        cp Doc.folioz "$N"; rm New.folioz merged; mv Doc.folioz D.folioz
                        folio set D.folioz Person/p1 name=Shown; mv D.folioz Doc.folioz
                        """
                ).exit == 0)
            // Other files are shown, and of this one why it is not.
            for words in ["diff", "diff --no-ext-diff", "log -p -1 -m --ext-diff", "show -m"] {
                let shown = try repository.shell("git \(words)")
                #expect(shown.exit == 0, "\(words): \(shown.messages)")
                #expect(shown.output.contains("not shown: its name is no UTF-8 text"), "\(words): \(shown.output)")
                if words.hasPrefix("diff") { #expect(shown.output.contains("Shown"), "\(shown.output)") }
            }
            // Where git does not ask, it is a mistake.
            #expect(try repository.shell(name + "folio diff \"$N\" Doc.folioz").exit == 64)
        }
    }

    @Test func largeValuesBesideAStoreAreNotCalledMissing() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folio")
            let file = folder.appendingPathComponent("portrait")
            try Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }).write(to: file)
            #expect(try repository.folio("set", "Doc.folio", "Person/p1", "portrait=@\(file.path)").exit == 0)
            let diff = try repository.git("diff")
            #expect(diff.exit == 0 && diff.output.contains("+ portrait: <in a file: "), "\(diff.output)")
            #expect(!diff.output.contains("missing"), "\(diff.output)")
        }
    }
}
