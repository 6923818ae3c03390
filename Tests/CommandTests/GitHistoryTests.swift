import Foundation
import TestSupport
import Testing

/// What git does with documents beside merging two branches: several branches at once, histories
/// that cross, rebasing onto conflicts, three people.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"))) struct GitHistoryTests {
    /// The octopus of git asks no merge driver: it does not merge documents that more than one of
    /// the branches has changed, and takes documents that one has.
    @Test(arguments: [false, true]) func anOctopusOfTwoBranchesIsGivenUpAndMergedOneByOne(_ hasOwnCommit: Bool)
        throws
    {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            for (branch, code) in [("a", "AAAA"), ("b", "BBBB")] {
                try repository.git("checkout", "-q", "-b", branch, "main")
                try repository.edit(branch, "insert", "Harbour", "name=\(branch)", "code=\(code)")
            }
            try repository.git("checkout", "-q", "main")
            if hasOwnCommit { try repository.edit("own", "set", "Person/p1", "name=Own") }
            let before = try repository.harbours(), head = try repository.git("rev-parse", "HEAD").output
            let octopus = try repository.git("merge", "a", "b", "-m", "all")
            // A conflict in the last of the branches is left to be decided.
            #expect(octopus.exit == (hasOwnCommit ? 2 : 1), "\(octopus.output)\(octopus.messages)")
            if !hasOwnCommit { #expect(try repository.git("merge", "--abort").exit == 0) }
            // Nothing is lost, nothing is half done.
            #expect(try repository.git("rev-parse", "HEAD").output == head)
            #expect(try repository.git("status", "--porcelain").output.isEmpty)
            #expect(try repository.harbours() == before)
            try repository.expectSound()
            for branch in ["a", "b"] {
                let merge = try repository.git("merge", branch, "-m", branch)
                #expect(merge.exit == 0, "\(merge.output)\(merge.messages)")
            }
            #expect(try repository.harbours().filter { $0.count == 1 } == ["a", "b"])
            if hasOwnCommit { #expect(try repository.name("Person/p1") == "Own") }
            try repository.expectSound()
        }
    }

    @Test func anOctopusTakesDocumentsThatOneBranchHasChanged() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            #expect(try repository.folio("save-as", "Doc.folioz", "Other.folioz").exit == 0)
            try repository.commit("other document")
            try repository.git("checkout", "-q", "-b", "a", "main")
            try repository.edit("a", "set", "Person/p1", "name=A")
            try repository.git("checkout", "-q", "-b", "b", "main")
            #expect(try repository.folio("set", "Other.folioz", "Person/p1", "name=B").exit == 0)
            try repository.commit("b")
            try repository.git("checkout", "-q", "main")
            let octopus = try repository.git("merge", "a", "b", "-m", "all")
            #expect(octopus.exit == 0, "\(octopus.output)\(octopus.messages)")
            #expect(try repository.name("Person/p1") == "A")
            let other = try repository.folio("get", "Other.folioz", "Person/p1", "--json")
            #expect((other.object["attributes"] as? [String: Any])?["name"] as? String == "B")
            try repository.expectSound()
        }
    }

}

// MARK: Conflicts and reverts

extension GitHistoryTests {
    @Test func conflictsThatTwoDecidedDifferentlyAreAConflictAgain() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            for branch in ["a", "b"] {
                try repository.branch(branch, "set", "Person/p1", "name=\(branch)")
                let code = String(repeating: branch.uppercased(), count: 4)
                try repository.edit(branch, "insert", "Harbour", "name=\(branch)", "code=\(code)")
                try repository.git("tag", branch + "1")
            }
            for (branch, other) in [("a", "b1"), ("b", "a1")] {
                try repository.git("checkout", "-q", branch)
                #expect(try repository.git("merge", other, "-m", "crossing").exit == 1)
                #expect(try repository.folio("resolve", "Doc.folioz", "--all", "--ours").exit == 0)
                try repository.commit("crossing")
            }
            let merge = try repository.git("merge", "a", "-m", "all")
            #expect(merge.exit == 1, "\(merge.output)\(merge.messages)")
            let conflicts = try repository.folio("conflicts", "Doc.folioz")
            #expect(conflicts.output.contains("conflict values Person/p1.name\n"), "\(conflicts.output)")
            #expect(conflicts.output.contains("ours:   \"b\"") && conflicts.output.contains("theirs: \"a\""))
            #expect(try repository.folio("resolve", "Doc.folioz", "--all", "--theirs").exit == 0)
            try repository.commit("all")
            #expect(try repository.name("Person/p1") == "a")
            #expect(try repository.harbours().filter { $0.count == 1 } == ["a", "b"])
            try repository.expectSound()
        }
    }

    @Test func aRebaseStopsAtAConflictAndGoesOnWhenItIsDecided() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            try repository.git("checkout", "-q", "-b", "topic")
            try repository.edit("one", "set", "Person/p1", "name=Topic")
            try repository.edit("two", "insert", "Harbour", "name=Later", "code=LLLL")
            try repository.git("checkout", "-q", "main")
            try repository.edit("main", "set", "Person/p1", "name=Main")
            try repository.git("checkout", "-q", "topic")
            let rebase = try repository.git("rebase", "main")
            #expect(rebase.exit == 1, "\(rebase.output)\(rebase.messages)")
            // The sides are swapped: ours is what is rebased onto.
            let conflicts = try repository.folio("conflicts", "Doc.folioz")
            #expect(conflicts.output.contains("ours:   \"Main\"") && conflicts.output.contains("theirs: \"Topic\""))
            // It can be given up.
            #expect(try repository.git("rebase", "--abort").exit == 0)
            #expect(try repository.name("Person/p1") == "Topic")
            #expect(try repository.folio("conflicts", "Doc.folioz").exit == 0)
            #expect(try repository.git("rebase", "main").exit == 1)
            #expect(try repository.folio("resolve", "Doc.folioz", "--all", "--theirs").exit == 0)
            try repository.git("add", "-A")
            let next = try repository.git("-c", "core.editor=true", "rebase", "--continue")
            #expect(next.exit == 0, "\(next.output)\(next.messages)")
            #expect(try repository.name("Person/p1") == "Topic")
            #expect(try repository.harbours().contains("Later"))
            #expect(try repository.folio("conflicts", "Doc.folioz").exit == 0)
            #expect(try repository.git("log", "--format=%s", "main..").output == "two\none\n")
            try repository.expectSound()
        }
    }

    @Test func aCherryPickThatConflictsCanBeAbortedOrDecided() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            try repository.git("checkout", "-q", "-b", "topic")
            try repository.edit("pick", "set", "Person/p1", "name=Picked")
            try repository.git("checkout", "-q", "main")
            try repository.edit("main", "set", "Person/p1", "name=Main")
            #expect(try repository.git("cherry-pick", "topic").exit == 1)
            #expect(try repository.git("cherry-pick", "--abort").exit == 0)
            #expect(try repository.name("Person/p1") == "Main")
            #expect(try repository.git("cherry-pick", "topic").exit == 1)
            #expect(try repository.folio("resolve", "Doc.folioz", "--all", "--theirs").exit == 0)
            try repository.git("add", "-A")
            #expect(try repository.git("-c", "core.editor=true", "cherry-pick", "--continue").exit == 0)
            #expect(try repository.name("Person/p1") == "Picked")
            // And back, over a change of something else.
            try repository.edit("after", "set", "Person/p2", "name=After")
            let revert = try repository.git("revert", "--no-edit", "HEAD~1")
            #expect(revert.exit == 0, "\(revert.output)\(revert.messages)")
            #expect(try repository.name("Person/p1") == "Main")
            #expect(try repository.name("Person/p2") == "After")
            try repository.expectSound()
        }
    }

    @Test func aMergeCanBeReverted() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz"), before = try repository.harbours()
            try repository.git("checkout", "-q", "-b", "topic")
            try repository.edit("topic", "insert", "Harbour", "name=Topic", "code=TTTT")
            try repository.git("checkout", "-q", "main")
            try repository.edit("main", "set", "Person/p1", "name=Main")
            #expect(try repository.git("merge", "topic", "-m", "both").exit == 0)
            let revert = try repository.git("revert", "--no-edit", "-m", "1", "HEAD")
            #expect(revert.exit == 0, "\(revert.output)\(revert.messages)")
            #expect(try repository.harbours() == before)
            #expect(try repository.name("Person/p1") == "Main")
            // To have it again, as always in git, the revert is reverted.
            #expect(try repository.git("revert", "--no-edit", "HEAD").exit == 0)
            #expect(try repository.harbours().contains("Topic"))
            try repository.expectSound()
        }
    }

    @Test(arguments: ["Doc.folioz", "Doc.folio"]) func threePeopleHaveTheSameInTheEnd(_ document: String) throws {
        try withTemporaryDirectory { folder in
            let hub = try GitRepository(folder, document: document), before = try hub.harbours().count
            try hub.git("checkout", "-q", "--detach")
            let people = try ["ada", "bob", "cyd"].map { try GitRepository(cloneOf: hub, as: $0) }
            for person in people { try person.git("checkout", "-q", "-B", "main", "origin/main") }
            for round in 1...2 {
                for (index, person) in people.enumerated() {
                    try person.edit(
                        "new", "insert", "Harbour", "name=\(index).\(round)",
                        "code=\(["A", "B", "C"][index])\(["A", "B"][round - 1])XX")
                    try person.edit("name", "set", "Person/p\(index + 1)", "name=Person \(index) of \(round)")
                }
                for person in people {
                    let pull = try person.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
                    #expect(pull.exit == 0, "\(round): \(pull.output)\(pull.messages)")
                    let push = try person.git("push", "-q", "origin", "main")
                    #expect(push.exit == 0, "\(push.messages)")
                }
                for person in people {
                    #expect(try person.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main").exit == 0)
                    let harbours = try person.harbours()
                    #expect(harbours.count == before + 3 * round, "\(harbours)")
                    for index in people.indices {
                        #expect(try person.name("Person/p\(index + 1)") == "Person \(index) of \(round)")
                    }
                    try person.expectSound()
                }
            }
        }
    }
}
