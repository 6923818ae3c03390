import ObjectGraph
import Schema
import Testing

/// Two contexts in conflict, at random, against a plain model of what each policy does (S9, S16,
/// S17).
struct ConflictModelTests {
    private static let keys = ["title", "note", "color"]
    private static let objectCount = 4

    /// What one context has of the objects: as read, with the version, and as it shows them.
    private struct View {
        var read: [[String]]
        var versions: [Int]
        var own: [[String]]
    }

    private struct Seeded {
        var state: UInt64
        mutating func next(upTo bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
    }

    /// The store and both contexts, as plain values.
    private struct Model {
        var stored: [[String]]
        var versions: [Int]
        var views: [View]

        init() {
            stored = Array(
                repeating: Array(repeating: "0", count: ConflictModelTests.keys.count),
                count: ConflictModelTests.objectCount)
            versions = Array(repeating: 1, count: ConflictModelTests.objectCount)
            views = Array(repeating: View(read: stored, versions: versions, own: stored), count: 2)
        }

        mutating func readAgain(_ context: Int) {
            for object in stored.indices {
                for key in stored[object].indices {
                    let isEdited = views[context].own[object][key] != views[context].read[object][key]
                    if !isEdited { views[context].own[object][key] = stored[object][key] }
                    views[context].read[object][key] = stored[object][key]
                }
            }
            views[context].versions = versions
        }

        /// False where the save fails.
        mutating func save(_ context: Int, _ policy: MergePolicyType) -> Bool {
            let edited = stored.indices.filter { views[context].own[$0] != views[context].read[$0] }
            let conflicts = edited.filter { views[context].versions[$0] != versions[$0] }
            if policy == .error, !conflicts.isEmpty { return false }
            for object in edited {
                var merged = views[context].own[object]
                if conflicts.contains(object) {
                    for key in merged.indices {
                        let own = merged[key], read = views[context].read[object][key], theirs = stored[object][key]
                        switch policy {
                        case .mergeByPropertyStoreTrump: merged[key] = theirs == read ? own : theirs
                        case .mergeByPropertyObjectTrump: merged[key] = own == read ? theirs : own
                        case .rollback: merged[key] = theirs
                        case .overwrite, .error: break
                        }
                    }
                }
                if merged != stored[object] { versions[object] += 1 }
                stored[object] = merged
                views[context].own[object] = merged
                views[context].read[object] = merged
                views[context].versions[object] = versions[object]
            }
            return true
        }
    }

    @Test(arguments: [StoreKind.sqlite, .inMemory, .objects], [11, 12, 13, 14, 15, 16] as [UInt64])
    func randomConflictsEndAsThePoliciesSay_S17(kind: StoreKind, seed: UInt64) throws {
        try GraphFixture.run(kind) { fixture in
            var random = Seeded(state: seed), model = Model()
            let contexts = [fixture.context(), fixture.context()]
            let first = try (0..<Self.objectCount).map {
                try contexts[0].make("Account", ["title": "0", "note": "0", "color": "0", "balance": $0])
            }
            try contexts[0].save()
            let objects = [first, try first.map { try contexts[1].same($0) }]
            for step in 0..<150 {
                let context = random.next(upTo: 2)
                switch random.next(upTo: 8) {
                case 0, 1:
                    let type = MergePolicyType.allCases[random.next(upTo: MergePolicyType.allCases.count)]
                    contexts[context].mergePolicy = MergePolicy(merge: type)
                    let succeeds = model.save(context, type)
                    if succeeds {
                        try contexts[context].save()
                    } else {
                        #expect(throws: GraphError.self, "seed \(seed), step \(step)") { try contexts[context].save() }
                    }
                case 2:
                    contexts[context].refreshAllObjects()
                    model.readAgain(context)
                default:
                    let object = random.next(upTo: Self.objectCount), key = random.next(upTo: Self.keys.count),
                        value = "\(random.next(upTo: 6))"
                    objects[context][object][Self.keys[key]] = value
                    model.views[context].own[object][key] = value
                }
                for side in 0..<2 {
                    let shown = objects[side].map { object in Self.keys.map { object.text($0) ?? "–" } }
                    #expect(shown == model.views[side].own, "seed \(seed), step \(step), context \(side)")
                }
                let stored = try fixture.context().all("Account").sorted {
                    ($0.number("balance") ?? 0) < ($1.number("balance") ?? 0)
                }
                .map { object in Self.keys.map { object.text($0) ?? "–" } }
                #expect(stored == model.stored, "seed \(seed), step \(step), store")
            }
        }
    }
}
