import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import SQLiteKit
import TestSupport
import Testing

struct VersionPruningTests {
    @Test(arguments: 0..<sweep(2, all: 6)) func whateverIsRemovedTheRestIsRestoredByteForByte(seed: Int) throws {
        try withTemporaryDirectory { folder in
            var dice = Dice(UInt64(seed))
            var policy = VersionStore.BasePolicy()
            policy.interval = 6
            let store = try VersionedStore(in: folder.path, rows: 80, policy: policy)
            for round in 0..<3 {
                for save in 0..<10 {
                    switch Int.random(in: 0..<8, using: &dice) {
                    case 0:
                        try store.edit {
                            try store.connection.execute("INSERT INTO t(a) SELECT hex(randomblob(300)) FROM t LIMIT 60")
                        }
                    case 1:
                        try store.edit {
                            try store.connection.execute("DELETE FROM t WHERE id > 70; PRAGMA incremental_vacuum")
                        }
                    default: for _ in 0..<3 { try store.change(.random(in: 1...70, using: &dice), 100 * round + save) }
                    }
                    try store.save()
                }
                let numbers = try store.versions.list().map(\.number)
                let doomed = Set(numbers.filter { _ in Bool.random(using: &dice) })
                try store.versions.remove(doomed)
                #expect(try store.versions.list().map(\.number) == numbers.filter { !doomed.contains($0) })
                try store.check("round \(round)")
                #expect(try store.strays().isEmpty)
            }
        }
    }

    @Test func mergedDeltasAreNoLargerThanTheirParts() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            for save in 0..<10 {
                try store.change(1, save)
                try store.save()
            }
            let before = try store.versions.list()
            try store.versions.remove(Set(2...9))
            let after = try store.versions.list()
            #expect(after.map(\.number) == [1, 10])
            #expect(after[0].bytes <= before.dropLast().reduce(0) { $0 + $1.bytes })
            try store.check()
        }
    }

    @Test func thinningKeepsAllForAnHourThenOneAnHourADayAndAWeek() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let hour = 3600.0, day = 24 * hour
        // One every ten minutes for ninety days.
        let saved = (0..<6 * 24 * 90).map { now - Double($0) * 600 }.reversed()
        let versions = saved.enumerated().map {
            DocumentVersion(number: $0.offset + 1, generation: $0.offset, saved: $0.element, isPinned: $0.offset == 5)
        }
        let gone = Thinning.standard.superfluous(versions, now: now)
        let kept = versions.filter { !gone.contains($0.number) }
        func count(_ from: Double, _ to: Double) -> Int {
            kept.count { now.timeIntervalSince($0.saved) >= from && now.timeIntervalSince($0.saved) < to }
        }
        #expect(count(0, hour) == 6)
        #expect((22...24).contains(count(hour, day)))
        #expect((28...30).contains(count(day, 30 * day)))
        #expect((8...11).contains(count(30 * day, 91 * day)))
        #expect(kept.contains { $0.number == 6 })
        // What stays today stays when nothing new comes within the same hour.
        #expect(Thinning.standard.superfluous(kept, now: now).isEmpty)
        // Thinned every day or once: the same in the end, but for what is young.
        var daily = versions
        for later in 1...40 {
            let gone = Thinning.standard.superfluous(daily, now: now + Double(later) * day)
            daily.removeAll { gone.contains($0.number) }
        }
        let gone40 = Thinning.standard.superfluous(versions, now: now + 40 * day)
        #expect(daily.map(\.number) == versions.map(\.number).filter { !gone40.contains($0) })
    }
}

extension VersionPruningTests {
    @Test func pruningThinsByAgeAndKeepsPinnedVersionsAndTheNewest() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            for save in 0..<30 {
                try store.change(1 + save, save)
                try store.save(after: 600)
            }
            try store.versions.setPinned(true, 2)
            try store.versions.setName("before the flood", 2)
            let gone = try store.versions.prune(.standard, now: store.state.saved + 1800)
            let versions = try store.versions.list()
            #expect(gone.count + versions.count == 30)
            #expect(gone.count >= 20)
            #expect(versions.contains { $0.number == 2 && $0.isPinned && $0.name == "before the flood" })
            #expect(versions.last?.number == 30)
            try store.check()
            #expect(try store.versions.prune(.standard, now: store.state.saved + 1800).isEmpty)
            // Years later, one a week, and what must not go.
            _ = try store.versions.prune(.standard, now: store.state.saved + 3e8)
            #expect(try store.versions.list().count <= 3)
            try store.check()
        }
    }

    @Test func aCapTakesTheOldestThatAreNotPinned() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            for save in 0..<12 {
                try store.change(1 + save, save)
                try store.save()
            }
            try store.versions.setPinned(true, 1)
            let all = try store.versions.list()
            let cap = all[0].bytes + all.suffix(3).reduce(0) { $0 + $1.bytes }
            try store.versions.prune(.cap(cap))
            let left = try store.versions.list()
            #expect(left.map(\.number) == [1, 10, 11, 12])
            try store.check()
            try store.versions.setPinned(false, 1)
            try store.versions.prune(.cap(0))
            #expect(try store.versions.list().isEmpty)
            #expect(try Disk.list(store.versions.folder).map(\.name) == ["index.json"])
            try store.change(1, 1)
            try store.save()
            try store.check()
        }
    }

    @Test func thereIsNothingToRemoveWhereThereIsNoSuchVersion() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path)
            try store.change(1, 1)
            try store.save()
            let error = #expect(throws: DocumentError.self) { try store.versions.remove([1, 2]) }
            #expect(error?.code == .notFound)
            #expect(try store.versions.list().count == 1)
            #expect(throws: DocumentError.self) { try store.versions.setPinned(true, 9) }
            #expect(throws: DocumentError.self) { _ = try store.restored(9) }
        }
    }

    @Test(arguments: 0..<sweep(2, all: 4)) func contentReferencesAreThoseOfTheVersionsThatAreLeft(seed: Int) throws {
        try withTemporaryDirectory { folder in
            var dice = Dice(UInt64(seed))
            let store = try VersionedStore(in: folder.path, rows: 20)
            let pool = (0..<12).map { _ in UUID() }
            var current: Set<UUID> = []
            // What each version refers to, by number.
            var model: [Int: Set<UUID>] = [:]
            for save in 0..<30 {
                var next = current
                for name in pool where Int.random(in: 0..<4, using: &dice) == 0 {
                    if next.remove(name) == nil { next.insert(name) }
                }
                try store.change(1, save)
                model[save + 1] = current
                try store.save(references: ContentReferences(from: current, to: next))
                current = next
                if save % 7 == 6 {
                    let numbers = try store.versions.list().map(\.number)
                    let doomed = Set(numbers.filter { _ in Bool.random(using: &dice) })
                    try store.versions.remove(doomed)
                    for number in doomed { model[number] = nil }
                }
                let kept = try #require(try store.versions.contentReferences())
                #expect(kept.union(current) == model.values.reduce(current) { $0.union($1) })
            }
        }
    }
}

extension DocumentVersion {
    init(number: Int, generation: Int, saved: Date, isPinned: Bool) {
        self.init(
            number: number, generation: generation, saved: saved, reason: .save, size: 0, bytes: 0, isPinned: isPinned,
            name: nil)
    }
}
