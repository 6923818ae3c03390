import RowMemory
import Testing

struct GrowingListTests {
    private final class Thing: Sendable {
        nonisolated(unsafe) static var alive = 0
        let number: Int
        init(_ number: Int) {
            self.number = number
            Self.alive += 1
        }
        deinit { Self.alive -= 1 }
    }

    @Test(arguments: [0, 1, 3, 4, 5, 11, 12, 13, 15, 16, 17, 47, 48, 49, 1_000, 100_000, 600_000])
    func elementsStandInTheOrderInWhichTheyCame(count: Int) {
        var list = GrowingList<Int>()
        for number in 0..<count { list.append(number * 3) }
        #expect(list.count == count && list.isEmpty == (count == 0))
        let expected = (0..<count).map { $0 * 3 }
        #expect(Array(list) == expected)
        for index in list.indices where index % 7 == 0 { list[index] += 1 }
        let changed = expected.enumerated().map { $0 % 7 == 0 ? $1 + 1 : $1 }
        #expect(Array(list) == changed)
        for number in changed.reversed() { #expect(list.popLast() == number) }
        #expect(list.popLast() == nil && list.isEmpty)
        list.append(5)
        #expect(Array(list) == [5])
    }

    @Test func copiesKeepWhatTheyHad() {
        var list = GrowingList<String>()
        for number in 0..<100 { list.append("number \(number)") }
        var copy = list
        list[3] = "other"
        copy.append("more")
        #expect(list[3] == "other" && copy[3] == "number 3")
        #expect(list.count == 100 && copy.count == 101 && copy[100] == "more")
        while copy.popLast() != nil {}
        #expect(list[99] == "number 99")
    }

    @Test(arguments: [0, 1, 3, 4, 5, 11, 12, 13, 15, 16, 17, 47, 48, 49, 1_000, 100_000])
    func anEmptiedListIsFilledAgainInItsPlaces(count: Int) {
        var list = GrowingList<[Int]>()
        for round in 0..<3 {
            for number in 0..<max(0, count - round) { list.append([number, round]) }
            #expect(list.count == max(0, count - round) && list.indices.allSatisfy { list[$0] == [$0, round] })
            let copy = round == 1 ? list : GrowingList()
            list.removeAll(keepingCapacity: round < 2)
            #expect(list.isEmpty && list.popLast() == nil)
            // A copy keeps what it had.
            #expect(
                copy.indices.allSatisfy { copy[$0] == [$0, 1] } && copy.count == (round == 1 ? max(0, count - 1) : 0))
        }
    }

    @Test func everyElementIsLetGoOfOnce() {
        var list = GrowingList<Thing?>()
        for number in 0..<500 { list.append(number % 10 == 0 ? nil : Thing(number)) }
        #expect(Thing.alive == 450)
        let seen = list.indices.compactMap { index -> Int? in
            let object: Unmanaged<Thing>? = list.unowned(at: index)
            return object?._withUnsafeGuaranteedRef { $0.number }
        }
        #expect(seen == (0..<500).filter { $0 % 10 != 0 })
        list[7] = nil
        #expect(Thing.alive == 449)
        for _ in 0..<100 { _ = list.popLast() }
        #expect(Thing.alive == 359)
        let copy = list
        list.append(Thing(1))
        list = GrowingList()
        #expect(Thing.alive == 359)
        withExtendedLifetime(copy) {}
        list = copy
        list = GrowingList()
    }

    @Test func emptyingLetsEveryElementGo() {
        final class Other {
            let count: Counter
            init(_ count: Counter) { self.count = count; count.value += 1 }
            deinit { count.value -= 1 }
        }
        final class Counter { var value = 0 }
        let counter = Counter()
        var list = GrowingList<Other?>()
        for number in 0..<300 { list.append(number % 3 == 0 ? nil : Other(counter)) }
        #expect(counter.value == 200)
        list.removeAll(keepingCapacity: true)
        #expect(counter.value == 0 && list.isEmpty)
        for _ in 0..<40 { list.append(Other(counter)) }
        let copy = list
        list.removeAll(keepingCapacity: true)
        #expect(counter.value == 40 && copy.count == 40)
    }
}
