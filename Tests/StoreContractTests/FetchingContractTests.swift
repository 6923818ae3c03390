import Foundation
import Query
import RowMemory
import Schema
import Storage
import Testing

struct FetchingContractTests {
    /// A small library: two people, five books (one an atlas) and a disc.
    private struct Library {
        let people: [Int64]
        let items: [Int64]

        init(_ fixture: ContractFixture) throws {
            let people = [
                try fixture.insert("Person", ["name": .string("Frank"), "small": .int(1)]),
                try fixture.insert("Person", ["name": .string("ursula"), "small": .int(2)]),
            ]
            func book(_ title: String, _ code: Int64?, _ owner: Int?, _ entity: String = "Book") throws -> Int64 {
                var values: [String: PropertyValue] = ["title": .string(title)]
                if let code { values["code"] = .int(code) }
                return try fixture.insert(
                    entity, values, owner.map { ["owner": fixture.reference("Person", people[$0])] } ?? [:])
            }
            let items = try [
                book("Dune", 1965, 0), book("The Dispossessed", 1974, 1), book("dune messiah", 1969, 0),
                book("Earthsea", nil, 1), book("World", 2000, nil, "Atlas"),
                fixture.insert("Disc", ["title": .string("Music"), "code": .string("m")]),
            ]
            try fixture.apply { changes in
                changes.links = [0, 2].map {
                    fixture.link("Book", "authors", items[$0], fixture.reference("Person", people[0]))
                }
                changes.links += [1, 3].map {
                    fixture.link("Book", "authors", items[$0], fixture.reference("Person", people[1]))
                }
            }
            try fixture.reopen()
            self.people = people
            self.items = items
        }

        func places(_ keys: [Int64]) -> [Int] { keys.compactMap { items.firstIndex(of: $0) } }
    }

    @Test(arguments: StoreKind.allCases) func subentitiesComeAlongUnlessNotAsked(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let library = try Library(fixture)
            #expect(library.places(try fixture.keys(fixture.request("Item"))) == [0, 1, 2, 3, 4, 5])
            #expect(library.places(try fixture.keys(fixture.request("Book"))) == [0, 1, 2, 3, 4])
            #expect(library.places(try fixture.keys(fixture.request("Book", subentities: false))) == [0, 1, 2, 3])
            #expect(library.places(try fixture.keys(fixture.request("Atlas"))) == [4])
            #expect(try fixture.keys(fixture.request("Item", subentities: false)).isEmpty)
            let rows = try fixture.store.rows(fixture.request("Item"))
            #expect(
                (0..<rows.count).map { fixture.model.entities[rows[$0].entityIndex].name } == [
                    "Book", "Book", "Book", "Book", "Atlas", "Disc",
                ])
        }
    }

    @Test(arguments: StoreKind.allCases) func aDecimalCountsAsTheNearestDoubleAndIsNilBeyondItsRange(kind: StoreKind)
        throws
    {
        try ContractFixture.run(kind) { fixture in
            let discs = try [(5.0, "9007199254740993"), (500, "1e300"), (1000, "no number")].map {
                try fixture.insert("Disc", ["seconds": .double($0), "code": .string($1)])
            }
            for format in [
                "CAST(exp:(seconds), 'NSDecimalNumber') != nil", "CAST(code, 'NSDecimalNumber') != nil",
                "CAST(code, 'NSDecimalNumber') == 9007199254740992",
            ] {
                #expect(try fixture.keys(fixture.request("Disc", format)) == [discs[0]], "\(format)")
            }
        }
    }
}

extension FetchingContractTests {
    /// Few rows are read by another statement than many.
    @Test(arguments: StoreKind.allCases) func aWindowShowsTheRowsThatTheWholeHas(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            _ = try Library(fixture)
            for sort in [[], [SortKey("title")]] {
                let whole = try fixture.store.rows(fixture.request("Item", sort: sort))
                for (offset, limit) in (0...6).flatMap({ offset in (1...6).map { (offset, $0) } }) {
                    let window = try fixture.store.rows(
                        fixture.request("Item", sort: sort, offset: offset, limit: limit))
                    let expected = (0..<whole.count).dropFirst(offset).prefix(limit)
                    #expect(window.count == expected.count)
                    for (row, place) in zip(0..<window.count, expected) {
                        #expect(window[row].key == whole[place].key && window[row].version == whole[place].version)
                        #expect(window[row].entityIndex == whole[place].entityIndex)
                        for property in fixture.model.entities[whole[place].entityIndex].properties
                        where property.attribute != nil {
                            let slot = whole[place].layout.slots[property.index]
                            #expect(window[row].value(slot) == whole[place].value(slot), "\(property.name)")
                        }
                    }
                }
            }
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            ("code > 1965", [1, 2, 4]), ("code != 1965", [1, 2, 3, 4]), ("code == nil", [3]),
            ("NOT (code > 1965)", [0, 3]),
            ("title BEGINSWITH[c] 'dune'", [0, 2]), ("title CONTAINS 'e'", [0, 1, 2, 3]),
            ("title LIKE '*s*' OR code BETWEEN {1960, 1966}", [0, 1, 2, 3]),
            ("owner.name == 'Frank'", [0, 2]), ("owner == nil", [4]), ("owner.small IN {2, 3}", [1, 3]),
            ("ANY authors.name == 'ursula'", [1, 3]),
            ("authors.@count == 0", [4]), ("NONE authors.small == 1", [1, 3, 4]), ("FALSEPREDICATE", []),
            ("title MATCHES '[A-Z].*d'", [1, 4]),
            ("SUBQUERY(authors, $a, $a.small > 1).@count > 0", [1, 3]),
            ("SUBQUERY(owner.belongings, $b, $b.title BEGINSWITH 'D').@count == 1", [0, 2]),
        ])
    func predicatesSelect(kind: StoreKind, condition: (text: String, expected: [Int])) throws {
        try ContractFixture.run(kind) { fixture in
            let library = try Library(fixture)
            let request = try fixture.request("Book", condition.text)
            #expect(library.places(try fixture.keys(request)) == condition.expected)
            #expect(try fixture.store.count(request) == condition.expected.count)
        }
    }

    @Test(arguments: StoreKind.allCases) func objectsAreFoundByThemselves(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let library = try Library(fixture)
            let id = ManagedObjectID(
                store: fixture.store.identity, entityIndex: fixture.entity("Person").index, key: library.people[1])
            let predicate = try FetchPredicate(format: "owner == %@", id).validated(
                against: fixture.entity("Book"), in: fixture.model)
            let request = RowRequest(entityIndex: fixture.entity("Book").index, selection: .matching(predicate))
            #expect(library.places(try fixture.keys(request)) == [1, 3])
            let own = ManagedObjectID(
                store: fixture.store.identity, entityIndex: fixture.entity("Book").index, key: library.items[2])
            let among = try FetchPredicate(format: "SELF == %@", own).validated(
                against: fixture.entity("Item"), in: fixture.model)
            #expect(
                library.places(
                    try fixture.keys(RowRequest(entityIndex: fixture.entity("Item").index, selection: .matching(among)))
                ) == [2])
        }
    }
}

extension FetchingContractTests {
    @Test(arguments: StoreKind.allCases) func sortKeysOrder(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let library = try Library(fixture)
            func order(_ keys: SortKey...) throws -> [Int] {
                library.places(try fixture.keys(fixture.request("Book", sort: keys)))
            }
            #expect(try order(SortKey("code")) == [3, 0, 2, 1, 4])
            #expect(try order(SortKey("code", ascending: false)) == [4, 1, 2, 0, 3])
            #expect(try order(SortKey("title")) == [0, 3, 1, 4, 2])
            #expect(try order(SortKey("title", collation: .caseInsensitive)) == [0, 2, 3, 1, 4])
            #expect(try order(SortKey("owner.name"), SortKey("title", ascending: false)) == [4, 2, 0, 1, 3])
        }
    }

    @Test(arguments: StoreKind.allCases) func windowsAreCutFromTheOrder(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let library = try Library(fixture)
            let sort = [SortKey("code")]
            func window(_ offset: Int, _ limit: Int?) throws -> [Int] {
                library.places(try fixture.keys(fixture.request("Book", sort: sort, offset: offset, limit: limit)))
            }
            #expect(try window(1, 2) == [0, 2])
            #expect(try window(3, 10) == [1, 4])
            #expect(try window(9, nil).isEmpty)
            #expect(try window(0, 0).isEmpty)
            #expect(try window(2, nil) == [2, 1, 4])
            #expect(library.places(try fixture.keys(fixture.request("Book", "code > 1965", limit: 2))).count == 2)
            #expect(try fixture.store.count(fixture.request("Book", offset: 1, limit: 2)) == 2)
            #expect(try fixture.store.count(fixture.request("Book", offset: 4, limit: 2)) == 1)
            #expect(try fixture.store.count(fixture.request("Book", offset: 4, limit: .max)) == 1)
            #expect(try fixture.store.count(fixture.request("Book", offset: 9)) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases) func keysSelectAndExcludedOnesAreLeftOut(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let library = try Library(fixture)
            let wanted = [library.items[5], library.items[1], library.items[4], 88_888, library.items[1]]
            func select(_ entity: String, excluding: [Int64] = []) throws -> Set<Int> {
                Set(
                    library.places(
                        try fixture.keys(
                            RowRequest(
                                entityIndex: fixture.entity(entity).index, selection: .keys(wanted),
                                excludedKeys: excluding))))
            }
            #expect(try select("Item") == [1, 4, 5])
            #expect(try select("Book") == [1, 4])
            #expect(try select("Item", excluding: [library.items[4]]) == [1, 5])
            let request = try fixture.request("Book", "code > 1965", excluding: [library.items[1], 77_777])
            #expect(library.places(try fixture.keys(request)) == [2, 4])
            #expect(try fixture.store.count(request) == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func explanationsSayWhatIsDone(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let explanation = try fixture.store.explanation(
                of: fixture.request("Book", "code > 1965", sort: [SortKey("title")]))
            #expect(!explanation.statement.isEmpty && !explanation.plan.isEmpty)
            if kind != .sqlite {
                #expect(explanation.statement == "FILTER Book IN MEMORY WHERE code > 1965 ORDER BY title")
            }
        }
    }
}

extension FetchingContractTests {
    @Test(arguments: StoreKind.allCases) func objectsAreOrderedByEntityAndNumber(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let library = try Library(fixture)
            var descending = SortKey.objectID
            descending.isAscending = false
            func places(_ request: RowRequest) throws -> [Int] { library.places(try fixture.keys(request)) }
            let all = [4, 0, 1, 2, 3, 5]
            #expect(try places(fixture.request("Item", sort: [.objectID])) == all)
            #expect(try places(fixture.request("Item", sort: [SortKey("objectID")])) == all)
            #expect(try places(fixture.request("Item", sort: [descending])) == all.reversed())
            #expect(
                try places(fixture.request("Item", "title != nil", sort: [.objectID], offset: 1, limit: 3)) == [
                    0, 1, 2,
                ])
            #expect(
                try places(fixture.request("Item", sort: [.objectID], excluding: [library.items[0]])) == [
                    4, 1, 2, 3, 5,
                ])
            #expect(try places(fixture.request("Book", sort: [.objectID], limit: 2)) == [4, 0])
            #expect(try places(fixture.request("Book", sort: [.objectID], subentities: false)) == [0, 1, 2, 3])
            #expect(try places(fixture.request("Book", sort: [descending], limit: 2, subentities: false)) == [3, 2])
            // What another key does not tell apart.
            #expect(
                try places(
                    fixture.request("Book", "title != nil", sort: [SortKey("owner.name", ascending: false), .objectID]))
                    == [1, 3, 0, 2, 4])
            #expect(try fixture.store.count(fixture.request("Item", sort: [.objectID], offset: 1)) == 5)
            #expect(throws: QueryError.self) { try fixture.request("Item", sort: [SortKey("owner.objectID")]) }
        }
    }
}
