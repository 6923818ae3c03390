import Foundation
import TestSupport
import Testing

/// Conflicts that a branch has committed undecided.
struct GitCarriedConflictTests {
    @Test func theyAreToBeDecidedWhereTheBranchIsMerged() throws {
        try withTemporaryDirectory { folder in
            let repository = try GitRepository(folder, document: "Doc.folioz")
            for branch in ["x", "y"] {
                try repository.git("checkout", "-q", "-b", branch, "main")
                try repository.edit(branch, "set", "Person/p1", "name=\(branch)")
            }
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
