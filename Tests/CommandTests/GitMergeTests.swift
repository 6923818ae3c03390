import Foundation
import TestSupport
import Testing

/// A real repository, set up by `folio git --setup`, in which two branches edit one document.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"))) struct GitMergeTests {
    private typealias Repository = GitRepository

    @Test(arguments: ["Doc.folioz", "Doc.folio"]) func aMergeGivesTheEditsOfBothBranches(_ document: String) throws {
        try withTemporaryDirectory { folder in
            let repository = try Repository(folder, document: document), before = try repository.harbours().count
            try repository.git("checkout", "-q", "-b", "other")
            try repository.edit("theirs", "set", "Person/p1", "name=Fritjof")
            try repository.edit("theirs", "insert", "Harbour", "name=Theirs", "code=TTTT")
            try repository.git("checkout", "-q", "main")
            try repository.edit("ours", "set", "Person/p2", "name=Roald")
            try repository.edit("ours", "insert", "Harbour", "name=Ours", "code=OOOO")
            let merge = try repository.git("merge", "other", "-m", "both")
            #expect(merge.exit == 0, "\(merge.output)\(merge.messages)")
            #expect(try repository.name("Person/p1") == "Fritjof")
            #expect(try repository.name("Person/p2") == "Roald")
            #expect(try repository.harbours().count == before + 2)
            try repository.expectSound()
            // The branch goes on with the numbers that it knows.
            try repository.git("checkout", "-q", "other")
            #expect(
                try repository.folio("set", document, "Harbour", "--where", "name == 'Theirs'", "name=Later").exit == 0)
            try repository.commit("later")
            try repository.git("checkout", "-q", "main")
            let again = try repository.git("merge", "other", "-m", "again")
            #expect(again.exit == 0, "\(again.output)\(again.messages)")
            #expect(try repository.harbours().contains("Later"))
            #expect(try repository.harbours().contains("Ours"))
            #expect(try !repository.harbours().contains("Theirs"))
            try repository.expectSound()
        }
    }

    @Test func aConflictEndsWithOneAndIsDecidedInTheDocument() throws {
        try withTemporaryDirectory { folder in
            let repository = try Repository(folder, document: "Doc.folioz")
            try repository.git("checkout", "-q", "-b", "other")
            try repository.edit("theirs", "set", "Person/p1", "name=Yours")
            try repository.git("checkout", "-q", "main")
            try repository.edit("ours", "set", "Person/p1", "name=Mine")
            let merge = try repository.git("merge", "other", "-m", "both")
            #expect(merge.exit == 1, "\(merge.output)\(merge.messages)")
            #expect(try repository.name("Person/p1") == "Mine")
            let conflicts = try repository.folio("conflicts", "Doc.folioz")
            #expect(conflicts.exit == 1 && conflicts.output.hasPrefix("conflict values Person/p1.name\n"))
            #expect(conflicts.output.contains("theirs: \"Yours\""))
            #expect(try repository.folio("info", "Doc.folioz", "--json").object["conflicts"] as? Int == 1)
            #expect(try repository.folio("verify", "Doc.folioz").messages.contains("conflicts of merges"))
            #expect(try repository.folio("resolve", "Doc.folioz", "Person/p9.name", "--ours").exit == 66)
            #expect(try repository.folio("resolve", "Doc.folioz", "Person/p1.name").exit == 64)
            let resolved = try repository.folio("resolve", "Doc.folioz", "Person/p1.name", "--theirs")
            #expect(resolved.exit == 0, "\(resolved.messages)")
            #expect(try repository.folio("conflicts", "Doc.folioz").exit == 0)
            #expect(try repository.name("Person/p1") == "Yours")
            try repository.commit("merged")
            try repository.expectSound()
            let log = try repository.git("log", "-p", "-1", "-m", "--format=%s")
            #expect(log.output.contains("+") && log.output.contains("\"name\": \"Yours\""), "\(log.output)")
        }
    }

    @Test(arguments: ["Doc.folioz", "Doc.folio"]) func rebaseCherryPickAndRevertMergeObjects(_ document: String) throws
    {
        try withTemporaryDirectory { folder in
            let repository = try Repository(folder, document: document)
            try repository.git("checkout", "-q", "-b", "topic")
            try repository.edit("one", "insert", "Harbour", "name=Topic", "code=PPPP")
            #expect(
                try repository.folio("set", document, "Harbour", "--where", "name == 'Topic'", "name=Topic2").exit == 0)
            try repository.commit("two")
            try repository.git("checkout", "-q", "main")
            try repository.edit("main", "insert", "Harbour", "name=Main", "code=MMMM")
            try repository.git("checkout", "-q", "topic")
            let rebase = try repository.git("rebase", "main")
            #expect(rebase.exit == 0, "\(rebase.output)\(rebase.messages)")
            let harbours = try repository.harbours()
            #expect(harbours.contains("Topic2") && harbours.contains("Main") && !harbours.contains("Topic"))
            try repository.expectSound()
            // Of one commit the change comes over, and goes again.
            try repository.edit("picked", "set", "Person/p1", "name=Picked")
            let before = try repository.name("Person/p2")
            try repository.edit("more", "set", "Person/p2", "name=More")
            try repository.git("checkout", "-q", "main")
            let pick = try repository.git("cherry-pick", "topic~1")
            #expect(pick.exit == 0, "\(pick.output)\(pick.messages)")
            #expect(try repository.name("Person/p1") == "Picked")
            #expect(try repository.name("Person/p2") == before)
            try repository.edit("after", "set", "Person/p2", "name=After")
            let revert = try repository.git("revert", "--no-edit", "HEAD~1")
            #expect(revert.exit == 0, "\(revert.output)\(revert.messages)")
            #expect(try repository.name("Person/p1") != "Picked")
            #expect(try repository.name("Person/p2") == "After")
            try repository.expectSound()
        }
    }

    @Test func mergesThatCrossedAreMerged() throws {
        try withTemporaryDirectory { folder in
            let repository = try Repository(folder, document: "Doc.folioz")
            try repository.git("checkout", "-q", "-b", "a")
            try repository.edit("a1", "insert", "Harbour", "name=A", "code=AAAA")
            try repository.git("checkout", "-q", "-b", "b", "main")
            try repository.edit("b1", "insert", "Harbour", "name=B", "code=BBBB")
            try repository.git("tag", "b1")
            #expect(try repository.git("merge", "-q", "a", "-m", "b with a").exit == 0)
            try repository.git("checkout", "-q", "a")
            #expect(try repository.git("merge", "-q", "b1", "-m", "a with b").exit == 0)
            try repository.edit("a2", "set", "Person/p1", "name=One")
            try repository.git("checkout", "-q", "b")
            try repository.edit("b2", "set", "Person/p2", "name=Two")
            let merge = try repository.git("merge", "a", "-m", "all")
            #expect(merge.exit == 0, "\(merge.output)\(merge.messages)")
            let harbours = try repository.harbours()
            #expect(harbours.filter { $0 == "A" || $0 == "B" } == ["A", "B"], "\(harbours)")
            #expect(try repository.name("Person/p1") == "One")
            #expect(try repository.name("Person/p2") == "Two")
            try repository.expectSound()
        }
    }
}
