import ObjectGraph
import Schema
import Testing

/// Objects with the same unique values, here and in the store (S24–S30).
struct UniqueValuesTests {
    private static let merging: [MergePolicyType] = [
        .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite,
    ]

    /// A tag "a" of weight 1 with a comment, on an account called "first".
    private func stored(_ fixture: GraphFixture) throws {
        let context = fixture.context()
        let tag = try context.make("Tag", ["word": "a", "weight": 1, "comment": "old"])
        try context.make("Account", ["title": "first", "tags": Set([tag])])
        try context.save()
    }

    @Test(arguments: StoreKind.allCases) func duplicatesAreLegalUntilTheSave_S24_S26(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            try stored(fixture)
            let context = fixture.context()
            let tag = try context.make("Tag", ["word": "a", "weight": 2])
            context.processPendingChanges()
            for _ in 0..<2 {
                let error = try #require(#expect(throws: GraphError.self) { try context.save() })
                #expect(error.code == .constraint && error.cocoaCode == 133_021)
                let conflict = try #require(error.constraintConflicts.first)
                #expect(
                    conflict.entityName == "Tag" && conflict.constraint == ["word"]
                        && conflict.constraintValues == ["word": .string("a")])
                #expect(conflict.databaseSnapshot?["weight"] == .int(1) && conflict.databaseObjectID != nil)
                #expect(
                    conflict.conflictingObjectIDs == [tag.objectID]
                        && conflict.conflictingSnapshots.first?["weight"] == .int(2))
            }
            #expect(tag.isInserted)
            context.delete(tag)
            try context.save()
            #expect(try fixture.reopened().one("Tag").number("weight") == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func duplicatesWithinAContextAreListed_S27(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let tags = try (0..<2).map { try context.make("Tag", ["word": "a", "weight": $0]) }
            let error = try #require(#expect(throws: GraphError.self) { try context.save() })
            #expect(error.constraintConflicts.map(\.conflictingObjectIDs) == [tags.map(\.objectID)])
            #expect(error.constraintConflicts[0].databaseObjectID == nil)
        }
    }

    @Test(arguments: StoreKind.allCases, merging) func aNewObjectBecomesTheStoredOne_S28_S29(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            try stored(fixture)
            let context = fixture.context(MergePolicy(merge: type))
            let tag = try context.make("Tag", ["word": "a", "weight": 2])
            let account = try context.make("Account", ["title": "second", "tags": Set([tag])])
            try context.save()
            #expect(!tag.objectID.isTemporaryID && !tag.hasChanges && tag.managedObjectContext === context)
            #expect(tag.texts("accounts", "title") == ["first", "second"] && account.texts("tags", "word") == ["a"])
            let keepsStored = type == .mergeByPropertyStoreTrump
            #expect(tag.number("weight") == (keepsStored ? 1 : 2) && tag.text("comment") == (keepsStored ? "old" : nil))
            let again = try fixture.reopened()
            let stored = try again.one("Tag")
            #expect(stored.objectID.key == tag.objectID.key)
            #expect(
                stored.number("weight") == (keepsStored ? 1 : 2)
                    && stored.text("comment") == (keepsStored ? "old" : nil))
            #expect(stored.texts("accounts", "title") == ["first", "second"])
        }
    }
}

extension UniqueValuesTests {
    @Test(arguments: StoreKind.allCases) func storeTrumpFillsWhatTheStoreLacks_S28(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.mergeByPropertyStoreTrump)
            try context.make("Tag", ["word": "a", "weight": 1])
            try context.save()
            let tag = try context.make("Tag", ["word": "a", "weight": 2, "comment": "new"])
            try context.save()
            #expect(tag.number("weight") == 1 && tag.text("comment") == "new")
            #expect(try fixture.reopened().one("Tag").text("comment") == "new")
        }
    }

    @Test(arguments: StoreKind.allCases) func rollbackDropsTheNewObject_S28(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            try stored(fixture)
            let context = fixture.context(.rollback)
            let tag = try context.make("Tag", ["word": "a", "weight": 2])
            let account = try context.make("Account", ["title": "second", "tags": Set([tag])])
            try context.save()
            #expect(tag.managedObjectContext == nil && !context.hasChanges)
            #expect((account["tags"] as? Set<ManagedObject>)?.isEmpty == true)
            let again = try fixture.reopened()
            #expect(try again.one("Tag").texts("accounts", "title") == ["first"])
            #expect(try again.all("Account").count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases, merging) func anObjectThatStoodForTheRowIsReplaced_F1_S29(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            try stored(fixture)
            let context = fixture.context(MergePolicy(merge: type))
            let former = try context.one("Tag")
            let account = try #require((former["accounts"] as? Set<ManagedObject>)?.first)
            #expect(account.texts("tags", "word") == ["a"])
            let tag = try context.make("Tag", ["word": "a", "weight": 5])
            try context.save()
            #expect(former.managedObjectContext == nil && (account["tags"] as? Set<ManagedObject>) == [tag])
            #expect(try context.all("Tag") == [tag])
            #expect(try fixture.reopened().one("Account").texts("tags", "word") == ["a"])
        }
    }

    @Test(arguments: StoreKind.allCases, merging) func ofSeveralNewObjectsTheLastRemains_S28(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(MergePolicy(merge: type))
            let first = try context.make("Tag", ["word": "a", "weight": 1, "comment": "first"]),
                last = try context.make("Tag", ["word": "a", "weight": 2])
            let accounts = try [first, last].map { try context.make("Account", ["tags": Set([$0])]) }
            try context.save()
            #expect(first.managedObjectContext == nil && last.number("weight") == 2)
            #expect(accounts.allSatisfy { ($0["tags"] as? Set<ManagedObject>) == [last] })
            let stored = try fixture.reopened().one("Tag")
            #expect(
                stored.number("weight") == 2
                    && stored.text("comment") == (type == .mergeByPropertyStoreTrump ? "first" : nil))
            #expect((stored["accounts"] as? Set<ManagedObject>)?.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func ofSeveralNewObjectsRollbackKeepsTheFirst_S28(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.rollback)
            for weight in 1...3 { try context.make("Tag", ["word": "a", "weight": weight]) }
            try context.save()
            #expect(try fixture.reopened().one("Tag").number("weight") == 1)
        }
    }
}

extension UniqueValuesTests {
    @Test(arguments: StoreKind.allCases) func severalNewObjectsAndAStoredOneBecomeOne_S28(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            try stored(fixture)
            let context = fixture.context(.mergeByPropertyObjectTrump)
            for weight in 5...7 {
                try context.make("Account", ["tags": Set([try context.make("Tag", ["word": "a", "weight": weight])])])
            }
            try context.make("Tag", ["word": "b"])
            try context.save()
            let stored = try fixture.reopened().one("Tag", "word == 'a'")
            #expect(stored.number("weight") == 7 && (stored["accounts"] as? Set<ManagedObject>)?.count == 4)
        }
    }

    @Test(arguments: StoreKind.allCases, MergePolicyType.allCases) func twoStoredObjectsNeverBecomeOne_S28(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(MergePolicy(merge: type))
            let a = try context.make("Tag", ["word": "a", "weight": 1]),
                b = try context.make("Tag", ["word": "b", "weight": 2])
            try context.save()
            b["word"] = "a"
            b["weight"] = 3
            switch type {
            case .mergeByPropertyStoreTrump, .rollback:
                try context.save()
                #expect(
                    b.text("word") == "b" && b.number("weight") == (type == .rollback ? 2 : 3) && !context.hasChanges)
            case .error, .mergeByPropertyObjectTrump, .overwrite:
                let error = #expect(throws: GraphError.self) { try context.save() }
                #expect(error?.constraintConflicts.first?.databaseObjectID == a.objectID && b.text("word") == "a")
                b["word"] = "c"
                try context.save()
            }
            #expect(try fixture.reopened().all("Tag", "word == 'a'").count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func objectsCanExchangeTheirValues_S24(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let a = try context.make("Tag", ["word": "a", "weight": 1]),
                b = try context.make("Tag", ["word": "b", "weight": 2])
            try context.save()
            (a["word"], b["word"]) = ("b", "a")
            try context.save()
            #expect(try fixture.reopened().one("Tag", "word == 'a'").number("weight") == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func nilsAreNeverTheSame_S30(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            for _ in 0..<3 { try context.make("Tag", [:]) }
            for number in 0..<2 { try context.make("Card", ["bank": number == 0 ? "x" : nil, "number": 1]) }
            try context.save()
            #expect(try fixture.reopened().all("Tag").count == 3)
        }
    }

    @Test(arguments: StoreKind.allCases, merging) func severalPropertiesTogetherAreUnique_S27(
        kind: StoreKind, type: MergePolicyType
    ) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(MergePolicy(merge: type))
            let ada = try context.make("Person", ["name": "Ada"])
            for number in 1...3 { try context.make("Card", ["bank": "x", "number": number]) }
            try context.save()
            let other = try context.make("Card", ["bank": "y", "number": 2])
            let same = try context.make("Card", ["bank": "x", "number": 2, "person": ada])
            try context.save()
            let again = try fixture.reopened()
            #expect(try again.all("Card").count == 4)
            #expect(try again.one("Card", "bank == 'x' AND number == 2").target("person")?.text("name") == "Ada")
            #expect(other.objectID != same.objectID && ada.target("card") === same)
        }
    }
}

extension UniqueValuesTests {
    @Test(arguments: StoreKind.allCases) func manyObjectsAreUpsertedInOneSave_S28(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            var context = fixture.context(.mergeByPropertyObjectTrump)
            for number in 0..<1200 { try context.make("Tag", ["word": "w\(number)", "weight": 1]) }
            try context.save()
            context = fixture.context(.mergeByPropertyObjectTrump)
            for number in 600..<1800 { try context.make("Tag", ["word": "w\(number)", "weight": 2]) }
            try context.save()
            let all = try fixture.reopened().all("Tag")
            #expect(all.count == 1800 && all.count { $0.number("weight") == 2 } == 1200)
        }
    }

    private final class FirstWins: MergePolicy {
        override func resolve(constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext)
            throws
        {
            // What the stored object lacks is all that the new one may add (S23: values set before
            // super are merged).
            for conflict in conflicts {
                guard let object = conflict.conflictingObjectIDs.first.flatMap({ context.registeredObject(for: $0) })
                else { continue }
                object["weight"] = 100
            }
            try super.resolve(constraintConflicts: conflicts, in: context)
        }
    }

    private final class WeightsAddUp: MergePolicy {
        override func resolve(constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext)
            throws
        {
            let added = conflicts.map {
                $0.conflictingObjects(in: context).compactMap { $0.number("weight") }.reduce(0, +)
            }
            try super.resolve(constraintConflicts: conflicts, in: context)
            for (conflict, weight) in zip(conflicts, added) {
                guard let merged = conflict.databaseObject(in: context),
                    case .int(let stored)? = conflict.databaseSnapshot?["weight"]
                else { continue }
                merged["weight"] = Int(stored) + Int(weight)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func aPolicyOfOnesOwnComputesTheMergedObjectAnew_S29(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let before = fixture.context()
            try before.make("Tag", ["word": "a", "weight": 5])
            try before.save()
            let context = fixture.context(WeightsAddUp(merge: .mergeByPropertyObjectTrump))
            let tag = try context.make("Tag", ["word": "a", "weight": 2])
            try context.save()
            #expect(tag.number("weight") == 7 && !context.hasChanges)
            #expect(try fixture.reopened().all("Tag").map { $0.number("weight") } == [7])
        }
    }

    @Test(arguments: StoreKind.allCases) func aPolicyOfOnesOwnSetsValuesFirst_S23(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            try stored(fixture)
            let context = fixture.context(FirstWins(merge: .mergeByPropertyObjectTrump))
            let tag = try context.make("Tag", ["word": "a", "weight": 2])
            try context.save()
            #expect(tag.number("weight") == 100)
            #expect(try fixture.reopened().one("Tag").number("weight") == 100)
        }
    }
}

extension UniqueValuesTests {
    /// Values pass from one object to another in one save, whatever else changes in each of them.
    @Test(arguments: StoreKind.allCases) func valuesPassOnBetweenObjectsOfDifferentChanges(kind: StoreKind) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Item", attributes: [.init("code", .string), .init("note", .string)],
                uniquenessConstraints: [["code"]]),
            EntityDefinition("Part", superentityName: "Item"),
        ])
        try GraphFixture.run(kind, model: model) { fixture in
            let context = fixture.context()
            var objects: [String: ManagedObject] = [:]
            for (entity, code) in [("Item", "a"), ("Part", "b"), ("Part", "c"), ("Item", "d")] {
                objects[code] = try context.make(entity, ["code": code])
            }
            try context.save()
            for (code, next) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "new")] { objects[code]?["code"] = next }
            objects["c"]?["note"] = "changed"
            try context.save()
            let codes = ["a", "b", "c", "d"].map { objects[$0]?.text("code") }
            #expect(codes == ["b", "c", "d", "new"])
            #expect(
                try fixture.reopened().all("Item").compactMap { $0.text("code") }.sorted() == ["b", "c", "d", "new"])
            // What is not unique in the end is refused still.
            objects["a"]?["code"] = "new"
            objects["d"]?["note"] = "same code"
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .constraint)
        }
    }
}
