import Foundation
import TestSupport
import Testing

/// Conflicts in git: those in packages, that crossing merges decided differently,
/// and that a branch has committed undecided.
struct GitConflictTests {
    @Test func aConflictInAPackageKeepsNoOtherObjectFromBeingMerged() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folio")
            try repository.branch("a", "set", "Person/p1", "name=a")
            try repository.edit("a2", "set", "Person/p2", "name=a2")
            try repository.branch("b", "set", "Person/p1", "name=b")
            try repository.edit("b3", "set", "Person/p3", "name=b3")
            let merge = try repository.git("merge", "a", "-m", "merge")
            #expect(
                merge.exit == 1
                    && (merge.output + merge.messages).contains("1 conflict to decide: folio conflicts Doc.folio\n"),
                "\(merge.output)\(merge.messages)")
            try repository.expectSound()
            #expect(try ["Person/p1", "Person/p2", "Person/p3"].map { try repository.name($0) } == ["b", "a2", "b3"])
            let conflicts = try repository.folio("conflicts", "Doc.folio")
            #expect(conflicts.exit == 1 && conflicts.output.contains("values Person/p1.name"))
            #expect(try repository.folio("info", "Doc.folio").output.contains("1, not decided"))
            // It is kept by a commit, and by a merge of another branch with a conflict.
            try repository.commit("undecided")
            try repository.branch("c", "set", "Person/p2", "name=c2")
            try repository.git("checkout", "-q", "b")
            #expect(try repository.git("merge", "c", "-m", "merge").exit == 1)
            let both = try repository.folio("conflicts", "Doc.folio").output
            #expect(both.contains("Person/p1.name") && both.contains("Person/p2.name"), "\(both)")
            #expect(try repository.folio("resolve", "Doc.folio", "Person/p1.name", "--theirs").exit == 0)
            #expect(try repository.folio("resolve", "Doc.folio", "--all", "--ours").exit == 0)
            #expect(try repository.folio("conflicts", "Doc.folio").exit == 0)
            #expect(try ["Person/p1", "Person/p2", "Person/p3"].map { try repository.name($0) } == ["a", "a2", "b3"])
            try repository.expectSound()
            try repository.commit("decided")
            #expect(try repository.folio("conflicts", "Doc.folio").exit == 0)
        }
    }

    @Test func whatABranchLeftUndecidedInAPackageIsToBeDecidedWhereItIsMerged() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folio")
            for branch in ["x", "y"] { try repository.branch(branch, "set", "Person/p1", "name=\(branch)") }
            #expect(try repository.git("merge", "x", "-m", "conflict").exit == 1)
            try repository.commit("undecided")
            try repository.git("checkout", "-q", "main")
            try repository.edit("main", "set", "Person/p5", "name=five")
            #expect(try repository.git("merge", "y", "-m", "merge").exit == 0)
            #expect(try repository.folio("conflicts", "Doc.folio").output.contains("Person/p1.name"))
            #expect(try repository.folio("resolve", "Doc.folio", "--all", "--theirs").exit == 0)
            #expect(try repository.name("Person/p1") == "x")
            try repository.expectSound()
        }
    }

    /// The versions in the package lead up to the state before the merge.
    @Test func theSaveAfterAMergeOfAPackageRecordsThePagesThatAreThere() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folio")
            for branch in ["a", "b"] {
                try repository.branch(branch, "set", "Person/p\(branch == "a" ? 1 : 2)", "name=\(branch)")
            }
            #expect(try repository.git("merge", "a", "-m", "merge").exit == 0)
            #expect(try repository.folio("set", "Doc.folio", "Person/p3", "name=c").exit == 0)
            let verify = try repository.folio("verify", "Doc.folio", "--deep")
            #expect(verify.exit == 0 && !verify.output.contains("damaged"), "\(verify.output)\(verify.messages)")
            try repository.expectSound()
        }
    }

    @Test func aPackageWithAConflictStaysADocument() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folio")
            for branch in ["a", "b"] { try repository.branch(branch, "set", "Person/p1", "name=\(branch)") }
            // Ours has more saves than theirs, or fewer.
            try repository.edit("b again", "set", "Person/p2", "name=b again")
            for (ours, theirs) in [("a", "b"), ("b", "a")] {
                try repository.git("checkout", "-q", ours)
                #expect(try repository.git("merge", theirs, "-m", "merge").exit == 1)
                for side in ["--ours", "--theirs"] {
                    #expect(try repository.git("checkout", side, "Doc.folio/store/store.sqlite").exit == 0)
                    try repository.expectSound()
                    #expect(try repository.name("Person/p1") == (side == "--ours" ? ours : theirs))
                }
                try repository.git("merge", "--abort")
                try repository.expectSound()
            }
        }
    }

    @Test func whatOneKeepsAndTheOtherDeletesIsAConflictAgain() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            try repository.branch("x", "delete", "Stop/p1")
            try repository.git("tag", "x0")
            try repository.branch("y", "set", "Stop/p1", "nights:=8")
            try repository.git("tag", "y0")
            for (branch, other) in [("y", "x0"), ("x", "y0")] {
                try repository.git("checkout", "-q", branch)
                #expect(try repository.git("merge", other, "-m", "crossing").exit == 1)
                #expect(try repository.folio("resolve", "Doc.folioz", "--all", "--ours").exit == 0)
                try repository.commit("decided")
            }
            for (branch, other) in [("x", "y"), ("y", "x")] {
                try repository.git("checkout", "-q", branch)
                #expect(try repository.git("merge", other, "-m", "again").exit == 1)
                let conflicts = try repository.folio("conflicts", "Doc.folioz")
                #expect(conflicts.output.contains("Stop/p1"))
                #expect(try repository.folio("get", "Doc.folioz", "Stop/p1").output.contains("8"))
                try repository.expectSound()
                try repository.git("merge", "--abort")
            }
        }
    }

    @Test func whatABranchLeftUndecidedIsToBeDecidedWhereItIsMerged() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            for branch in ["x", "y"] { try repository.branch(branch, "set", "Person/p1", "name=\(branch)") }
            #expect(try repository.git("merge", "x", "-m", "conflict").exit == 1)
            try repository.commit("undecided")
            try repository.git("checkout", "-q", "main")
            try repository.edit("main", "set", "Person/p5", "name=five")
            let merge = try repository.git("merge", "y", "-m", "merge")
            #expect(merge.exit == 0)
            #expect(
                (merge.output + merge.messages).contains(
                    "the other document left 1 conflict to decide, which came with it: folio conflicts Doc.folioz"))
            #expect(try repository.folio("conflicts", "Doc.folioz").output.contains("Person/p1.name"))
            let decided = try repository.folio("resolve", "Doc.folioz", "--all", "--theirs")
            #expect(decided.exit == 0 && decided.messages.contains("decided 1 conflict, 0 left"))
            #expect(try repository.name("Person/p1") == "x")
            try repository.expectSound()
        }
    }
}
