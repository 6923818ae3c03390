import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import Testing

/// The numbers of ordered members, as the file keeps them.
struct OrderNumbersTests {
    /// The order column after each of several orders of tags 1…n of one disc.
    private func numbers(_ orders: [[Int64]]) throws -> [[Int64: Int64]] {
        var result: [[Int64: Int64]] = []
        try StoreFixture.run { fixture in
            let disc = try fixture.insert("Disc", ["title": .string("d")])
            var known: Set<Int64> = []
            for order in orders {
                var changes = ChangeSet()
                for tag in order where !known.contains(tag) {
                    changes.insertions.append(fixture.insertion("Tag", tag))
                    changes.links.append(fixture.link("Disc", "tags", disc, fixture.reference("Tag", tag)))
                }
                for tag in known where !order.contains(tag) {
                    changes.links.append(
                        fixture.link("Disc", "tags", disc, fixture.reference("Tag", tag), isAdded: false))
                }
                known = Set(order)
                changes.orders = [fixture.order("Disc", "tags", disc, order.map { fixture.reference("Tag", $0) })]
                _ = try fixture.store.apply(changes)
                #expect(try fixture.members("Disc", disc, "tags").map(\.key) == order)
                let rows = try fixture.sql("SELECT Z_7TAGS, Z_FOK_7TAGS FROM Z_2TAGS")
                result.append(Dictionary(uniqueKeysWithValues: rows.map { ($0[0].integer ?? 0, $0[1].integer ?? 0) }))
            }
        }
        return result
    }

    @Test func membersAreNumberedFrom2048InStepsOf1024() throws {
        #expect(try numbers([[1, 2, 3]]) == [[1: 2048, 2: 3072, 3: 4096]])
    }

    @Test func whatComesBetweenGetsANumberBetween() throws {
        #expect(try numbers([[1, 2], [1, 3, 2]]).last == [1: 2048, 3: 2560, 2: 3072])
    }

    @Test func whatComesFirstAndLastFits() throws {
        #expect(try numbers([[1, 2], [3, 1, 2, 4]]).last == [3: 1024, 1: 2048, 2: 3072, 4: 4096])
    }

    @Test func movingOneRenumbersOne() throws {
        #expect(try numbers([[1, 2, 3, 4], [2, 3, 4, 1]]).last == [2: 3072, 3: 4096, 4: 5120, 1: 6144])
    }

    @Test func whereThereIsNoRoomAllAreRenumbered() throws {
        var order: [Int64] = [1, 2]
        var orders = [order]
        for tag in Int64(3)...14 {
            order.insert(tag, at: 1)
            orders.append(order)
        }
        let last = try #require(try numbers(orders).last)
        #expect(last[1] == 2048)
        #expect(Set(last.values).count == order.count)
    }
}
