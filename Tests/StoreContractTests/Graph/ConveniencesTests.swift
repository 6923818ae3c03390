import ObjectGraph
import Query
import Schema
import Testing

/// Short forms of common steps.
struct ConveniencesTests {
    @Test(arguments: StoreKind.allCases) func objectsAreFoundCountedAndDeletedInOneLine(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            for number in 0..<5 { try context.make("Account", ["balance": number]) }
            let rich = try FetchPredicate(format: "balance > 2")
            let all: [ManagedObject] = try context.all(
                "Account", matching: rich, sortedBy: [SortKey("balance", ascending: false)])
            #expect(all.map { $0.number("balance") } == [4, 3])
            let first: ManagedObject? = try context.first("Account", sortedBy: [SortKey("balance")])
            #expect(first?.number("balance") == 0)
            let none: ManagedObject? = try context.first("Account", matching: try FetchPredicate(format: "balance > 9"))
            #expect(none == nil)
            #expect(try context.count("Account", matching: rich) == 2 && context.count("Account") == 5)
            #expect(try context.deleteAll("Account", matching: rich) == 2 && context.count("Account") == 3)
            first?.delete()
            #expect(try context.count("Account") == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func anObjectIsFoundOrCreated(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let tag = try context.findOrCreate("Tag", where: "word", is: .string("a"))
            #expect(tag.isInserted && tag.text("word") == "a")
            #expect(try context.findOrCreate("Tag", where: "word", is: .string("a")) === tag)
            try context.save()
            #expect(try fixture.context().findOrCreate("Tag", where: "word", is: .string("a")).objectID == tag.objectID)
        }
    }

    @Test(arguments: StoreKind.allCases) func aSaveCanBeLeftOutWhereNothingChanged(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            var saves = 0
            let observation = context.observe(.didSave) { _ in saves += 1 }
            #expect(try !context.saveIfChanged() && saves == 0)
            try context.make("Account", [:])
            #expect(try context.saveIfChanged() && saves == 1)
            observation.cancel()
        }
    }
}
