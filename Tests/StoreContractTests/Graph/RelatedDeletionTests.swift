import ObjectGraph
import Query
import Schema
import Testing

/// Objects that one context relates to others, and that another context deletes meanwhile.
struct RelatedDeletionTests {
    private func accounts(_ person: ManagedObject) -> [String] {
        (person["accounts"] as? Set<ManagedObject> ?? []).map { $0.text("title") ?? "nil" }.sorted()
    }

    @Test(arguments: [MergePolicyType.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback])
    func anObjectThatWasMovedAndDeletedElsewhereIsAMemberOfNoRelationship_S18(policy: MergePolicyType) throws {
        for kind in StoreKind.allCases {
            for follows in [true, false] {
                try GraphFixture.run(kind) { fixture in
                    let a = fixture.context(), b = fixture.context()
                    let first = try a.make("Person", ["name": "P1"]), second = try a.make("Person", ["name": "P2"])
                    let moved = try a.make("Account", ["title": "s10", "owner": first])
                    try a.make("Account", ["title": "s20", "owner": second])
                    try a.save()
                    b.mergePolicy = MergePolicy(merge: policy)
                    b.undoManager = UndoManager()
                    b.automaticallyMergesChangesFromParent = follows
                    let own = try b.same(moved), owner = try b.same(second), former = try b.same(first)
                    _ = (accounts(owner), accounts(former))
                    own["owner"] = owner
                    b.processPendingChanges()
                    a.delete(moved)
                    try a.save()
                    b.processPendingChanges()
                    try b.save()
                    let left = try fixture.context().all("Account").count
                    let expected = left == 2 ? ["s10", "s20"] : ["s20"]
                    #expect(accounts(owner) == expected && accounts(former) == [], "\(kind) \(follows) \(left)")
                    b.undo()
                    let undone = left == 2 ? ["s20"] : expected
                    #expect(accounts(owner) == undone, "undone \(kind) \(follows) \(left)")
                    b.rollback()
                    #expect(accounts(owner) == expected, "\(kind) \(follows)")
                }
            }
        }
    }
}
