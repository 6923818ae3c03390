import Foundation
import RowMemory
import Schema
import Storage
import Testing

struct RelationshipContractTests {
    @Test(arguments: StoreKind.allCases) func aReferenceKnowsTheRealEntity(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let atlas = try fixture.insert("Atlas", ["title": .string("World")])
            let disc = try fixture.insert("Disc")
            let shelf = try fixture.insert("Shelf", [:], ["featured": fixture.reference("Atlas", atlas)])
            let other = try fixture.insert("Shelf", [:], ["featured": fixture.reference("Disc", disc)])
            try fixture.reopen()
            #expect(try fixture.reference("Shelf", shelf, "featured") == fixture.reference("Atlas", atlas))
            #expect(try fixture.reference("Shelf", other, "featured") == fixture.reference("Disc", disc))
            #expect(try fixture.row("Item", atlas).entityIndex == fixture.entity("Atlas").index)
        }
    }

    @Test(arguments: StoreKind.allCases) func temporaryKeysBecomeNumbersEverywhere(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let receipt = try fixture.apply { changes in
                changes.insertions = [
                    fixture.insertion(
                        "Person", -1, ["name": .string("a")], ["spouse": fixture.reference("Person", -2)]),
                    fixture.insertion(
                        "Person", -2, ["name": .string("b")], ["spouse": fixture.reference("Person", -1)]),
                    fixture.insertion("Book", -3, [:], ["owner": fixture.reference("Person", -2)]),
                ]
                changes.links = [
                    fixture.link("Book", "authors", -3, fixture.reference("Person", -1)),
                    fixture.link("Person", "friends", -1, fixture.reference("Person", -2)),
                ]
            }
            let (a, b, book) = (receipt.keys[0][0], receipt.keys[1][0], receipt.keys[2][0])
            #expect(a > 0 && b > 0 && book > 0 && a != b)
            try fixture.reopen()
            #expect(try fixture.reference("Person", a, "spouse")?.key == b)
            #expect(try fixture.reference("Person", b, "spouse")?.key == a)
            #expect(try fixture.reference("Book", book, "owner")?.key == b)
            #expect(try fixture.members("Book", book, "authors") == [a])
            #expect(try fixture.members("Person", a, "books") == [book])
            #expect(try fixture.members("Person", a, "friends") == [b])
            #expect(try fixture.members("Person", b, "friends") == [a])
            #expect(try fixture.members("Person", b, "belongings") == [book])
        }
    }

    @Test(arguments: StoreKind.allCases) func membersOfAToManyFollowTheOtherEnd(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let first = try fixture.insert("Person", ["name": .string("1")]),
                second = try fixture.insert("Person", ["name": .string("2")])
            let items = try [
                fixture.insert("Book", [:], ["owner": fixture.reference("Person", first)]),
                fixture.insert("Disc", [:], ["owner": fixture.reference("Person", first)]),
                fixture.insert("Atlas", [:], ["owner": fixture.reference("Person", second)]),
            ]
            #expect(Set(try fixture.members("Person", first, "belongings")) == Set(items[..<2]))
            try fixture.apply { changes in
                changes.updates = [
                    try fixture.update("Book", items[0], [:], ["owner": fixture.reference("Person", second)])
                ]
                changes.deletions = [fixture.deletion("Disc", items[1])]
            }
            #expect(try fixture.members("Person", first, "belongings").isEmpty)
            #expect(Set(try fixture.members("Person", second, "belongings")) == [items[0], items[2]])
            try fixture.reopen()
            #expect(Set(try fixture.members("Person", second, "belongings")) == [items[0], items[2]])
            try fixture.apply { $0.updates = [try fixture.update("Atlas", items[2], [:], ["owner": nil])] }
            #expect(try fixture.members("Person", second, "belongings") == [items[0]])
        }
    }
}

extension RelationshipContractTests {
    @Test(arguments: StoreKind.allCases) func orderedMembersKeepTheirOrder(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let shelf = try fixture.insert("Shelf", ["name": .string("s")]),
                other = try fixture.insert("Shelf", ["name": .string("o")])
            let books = try (0..<4).map {
                try fixture.insert("Book", ["code": .int(Int64($0))], ["shelf": fixture.reference("Shelf", shelf)])
            }
            #expect(try fixture.members("Shelf", shelf, "items") == books)
            let order = [books[3], books[0], books[2], books[1]]
            try fixture.apply {
                $0.orders = [fixture.order("Shelf", "items", shelf, order.map { fixture.reference("Book", $0) })]
            }
            #expect(try fixture.members("Shelf", shelf, "items") == order)
            try fixture.reopen()
            #expect(try fixture.members("Shelf", shelf, "items") == order)
            // Who comes back has lost its place; who leaves leaves the others' order alone.
            try fixture.apply {
                $0.updates = [try fixture.update("Book", books[0], [:], ["shelf": fixture.reference("Shelf", other)])]
            }
            try fixture.apply {
                $0.updates = [try fixture.update("Book", books[0], [:], ["shelf": fixture.reference("Shelf", shelf)])]
            }
            try fixture.reopen()
            #expect(try fixture.members("Shelf", shelf, "items") == [books[3], books[2], books[1], books[0]])
            #expect(try fixture.members("Shelf", other, "items").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func oneSideOfManyToManyMayBeOrdered(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let tags = try (0..<3).map { try fixture.insert("Tag", ["word": .string("\($0)")]) }
            let book = try fixture.insert("Book"), disc = try fixture.insert("Disc")
            try fixture.apply { changes in
                changes.links = tags.map { fixture.link("Item", "tags", book, fixture.reference("Tag", $0)) }
                changes.links.append(fixture.link("Tag", "items", tags[1], fixture.reference("Disc", disc)))
                changes.orders = [
                    fixture.order(
                        "Book", "tags", book, [tags[2], tags[0], tags[1]].map { fixture.reference("Tag", $0) })
                ]
            }
            try fixture.reopen()
            #expect(try fixture.members("Book", book, "tags") == [tags[2], tags[0], tags[1]])
            #expect(try fixture.members("Disc", disc, "tags") == [tags[1]])
            #expect(Set(try fixture.members("Tag", tags[1], "items")) == [book, disc])
            try fixture.apply {
                $0.links = [fixture.link("Item", "tags", book, fixture.reference("Tag", tags[0]), isAdded: false)]
            }
            try fixture.apply { $0.links = [fixture.link("Item", "tags", book, fixture.reference("Tag", tags[0]))] }
            try fixture.reopen()
            #expect(try fixture.members("Book", book, "tags") == [tags[2], tags[1], tags[0]])
            #expect(try fixture.members("Tag", tags[0], "items") == [book])
        }
    }

    @Test(arguments: StoreKind.allCases) func followersAreTheOtherSideOfAnOrder(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let people = try (0..<3).map { try fixture.insert("Person", ["name": .string("\($0)")]) }
            try fixture.apply { changes in
                changes.links = [people[2], people[1]].map {
                    fixture.link("Person", "follows", people[0], fixture.reference("Person", $0))
                }
                changes.orders = [
                    fixture.order(
                        "Person", "follows", people[0], [people[2], people[1]].map { fixture.reference("Person", $0) })
                ]
            }
            try fixture.reopen()
            #expect(try fixture.members("Person", people[0], "follows") == [people[2], people[1]])
            #expect(try fixture.members("Person", people[2], "followers") == [people[0]])
            #expect(try fixture.members("Person", people[0], "followers").isEmpty)
        }
    }
}

extension RelationshipContractTests {
    @Test(arguments: StoreKind.allCases) func linksOfDeletedObjectsAreGone(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let people = try (0..<3).map { try fixture.insert("Person", ["name": .string("\($0)")]) }
            let badge = try fixture.insert("Badge")
            try fixture.apply { changes in
                changes.links = [
                    fixture.link("Person", "friends", people[0], fixture.reference("Person", people[1])),
                    fixture.link("Person", "friends", people[1], fixture.reference("Person", people[2])),
                    fixture.link("Person", "badges", people[0], fixture.reference("Badge", badge)),
                ]
            }
            try fixture.apply { changes in
                changes.deletions = [fixture.deletion("Person", people[1]), fixture.deletion("Badge", badge)]
                changes.links = [
                    fixture.link("Person", "friends", people[0], fixture.reference("Person", people[1]), isAdded: false)
                ]
            }
            for _ in 0..<2 {
                #expect(try fixture.members("Person", people[0], "friends").isEmpty)
                #expect(try fixture.members("Person", people[2], "friends").isEmpty)
                #expect(try fixture.members("Person", people[0], "badges").isEmpty)
                try fixture.reopen()
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func aMemberWithoutInverseHasItsLastOwner(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let people = try (0..<2).map { try fixture.insert("Person", ["name": .string("\($0)")]) }
            let badges = try (0..<2).map { _ in try fixture.insert("Badge") }
            try fixture.apply {
                $0.links = badges.map { fixture.link("Person", "badges", people[0], fixture.reference("Badge", $0)) }
            }
            try fixture.apply {
                $0.links = [fixture.link("Person", "badges", people[1], fixture.reference("Badge", badges[0]))]
            }
            try fixture.reopen()
            #expect(try fixture.members("Person", people[0], "badges") == [badges[1]])
            #expect(try fixture.members("Person", people[1], "badges") == [badges[0]])
        }
    }

    @Test(arguments: StoreKind.allCases) func membersOfSeveralOwnersComeWithTheirRowsOnce(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let people = try (0..<3).map { try fixture.insert("Person", ["name": .string("\($0)")]) }
            let book = try fixture.insert("Book", ["title": .string("t")]), atlas = try fixture.insert("Atlas")
            try fixture.apply { changes in
                changes.links = [
                    fixture.link("Book", "authors", book, fixture.reference("Person", people[0])),
                    fixture.link("Book", "authors", book, fixture.reference("Person", people[1])),
                    fixture.link("Book", "authors", atlas, fixture.reference("Person", people[1])),
                ]
            }
            let related = try fixture.store.related(
                entityIndex: fixture.entity("Person").index, propertyIndex: fixture.property("Person", "books"),
                owners: [people[1], people[2], people[0]],
                includingRows: true)
            #expect(related.members.map { Set($0.map(\.key)) } == [[book, atlas], [], [book]])
            #expect(Set(related.members[0]) == [fixture.reference("Book", book), fixture.reference("Atlas", atlas)])
            #expect(Set((0..<related.rows.count).map { related.rows[$0].key }) == [book, atlas])
            #expect(related.rows.count == 2)
        }
    }
}
