package import Storage

/// A merge as the metadata of the store note it: which states of other documents came in, and under
/// which keys.
package struct MergeNote: Sendable, Hashable {
    /// The key in the metadata of the store.
    package static let metadataKey = "FolioMerges"
    /// What is forgotten beyond it, the oldest first.
    package static let maximumCount = 64
    /// How many objects with other keys the notes of a document may tell of: reading them takes
    /// memory for each.
    package static let maximumMovedCount = 1_000_000
    /// How many pairs of keys, or runs of them, a note may have: every commit writes it.
    private static let maximumEntryCount = 4_000

    /// The generation of the document before the merge.
    package var generation: Int
    /// The UUID of the other document.
    package var uuid: String
    /// The sums of the states that are part of this document now, the newest first.
    package var sums: [String]
    /// In the order of roots and keys.
    package private(set) var moved: [StateNumbering.Moved]
    /// Whether `moved` is all; else there are more objects with other keys than a note holds, and
    /// `moved` is empty.
    package private(set) var hasKnownKeys = true

    package init(generation: Int, uuid: String, sums: [String], moved: [StateNumbering.Moved]) {
        self.generation = generation
        self.uuid = uuid
        self.sums = sums
        func isAscending(_ a: StateNumbering.Moved, _ b: StateNumbering.Moved) -> Bool {
            a.root == b.root ? (a.base, a.here) <= (b.base, b.here) : a.root < b.root
        }
        // New objects come in this order, by far the most.
        let isSorted = zip(moved, moved.dropFirst()).allSatisfy(isAscending)
        self.moved = isSorted ? moved : moved.sorted { !isAscending($1, $0) }
        if !isBounded { forgetKeys() }
    }

    private mutating func forgetKeys() {
        moved = []
        hasKnownKeys = false
    }

    /// The notes in the metadata of a store, the oldest first.
    package static func notes(in metadata: [String: MetadataValue]) -> [MergeNote] {
        guard case .array(let values)? = metadata[metadataKey] else { return [] }
        var left = maximumMovedCount, notes: [MergeNote] = []
        for value in values.suffix(maximumCount).reversed() {
            guard let note = MergeNote(value, atMost: left) else { continue }
            left -= note.moved.count
            notes.append(note)
        }
        return notes.reversed()
    }

    package static func value(_ notes: [MergeNote]) -> MetadataValue? {
        notes.isEmpty ? nil : .array(notes.suffix(maximumCount).map(\.value))
    }

    private var isBounded: Bool {
        moved.count <= Self.maximumEntryCount
            || moved.count <= Self.maximumMovedCount && MovedRun.runs(of: moved).count <= Self.maximumEntryCount
    }

    /// - Parameter count: The greatest number of objects with other keys.
    private init?(_ value: MetadataValue, atMost count: Int) {
        guard case .dictionary(let fields) = value, case .integer(let generation)? = fields["generation"],
            case .string(let uuid)? = fields["uuid"], case .array(let sums)? = fields["sums"] ?? fields["states"],
            let generation = Int(exactly: generation), CommitNumbers.valid.contains(generation),
            let pairs = Self.entries(of: 2, in: fields["moved"]), let triples = Self.entries(of: 3, in: fields["runs"])
        else { return nil }
        self.generation = generation
        self.uuid = uuid
        self.sums = sums.compactMap { if case .string(let sum) = $0 { sum } else { nil } }
        moved = []
        if fields["keysAreUnknown"] == .boolean(true) { forgetKeys() }
        for (root, numbers) in pairs + triples {
            guard let run = MovedRun(root: root, numbers) else { return nil }
            guard hasKnownKeys, run.count <= count - moved.count else {
                forgetKeys()
                break
            }
            moved += run.objects
        }
    }

    /// The entries of a field that has so many numbers for each, hierarchy by hierarchy; nil if it
    /// has others.
    private static func entries(of size: Int, in field: MetadataValue?) -> [(root: String, numbers: [Int64])]? {
        guard case .dictionary(let roots)? = field else { return [] }
        var entries: [(root: String, numbers: [Int64])] = []
        for (root, values) in roots.sorted(by: { $0.key < $1.key }) {
            guard case .array(let values) = values, values.count % size == 0 else { return nil }
            for start in stride(from: 0, to: values.count, by: size) {
                var numbers: [Int64] = []
                for case .integer(let number) in values[start..<start + size] where number > 0 {
                    numbers.append(number)
                }
                guard numbers.count == size else { return nil }
                entries.append((root, numbers))
            }
        }
        return entries
    }

    /// Few objects are noted each by itself, as every reader knows it. Many are noted in runs; such
    /// a note has its sums under another name, so that readers that know no runs ignore it.
    private var value: MetadataValue {
        let inPairs = hasKnownKeys && moved.count <= Self.maximumEntryCount
        var roots: [String: [MetadataValue]] = [:]
        for run in inPairs ? moved.map(MovedRun.init) : MovedRun.runs(of: moved) {
            roots[run.root, default: []] += [.integer(run.base), .integer(run.here)]
            if !inPairs { roots[run.root, default: []].append(.integer(Int64(run.count))) }
        }
        var fields: [String: MetadataValue] = [
            "generation": .integer(Int64(generation)), "uuid": .string(uuid),
            inPairs ? "sums" : "states": .array(sums.map { .string($0) }),
        ]
        if !roots.isEmpty { fields[inPairs ? "moved" : "runs"] = .dictionary(roots.mapValues { .array($0) }) }
        if !hasKnownKeys { fields["keysAreUnknown"] = .boolean(true) }
        return .dictionary(fields)
    }
}

/// Objects of a hierarchy whose keys follow each other in both states.
private struct MovedRun {
    let root: String
    let base: Int64
    let here: Int64
    private(set) var count = 1

    init(_ object: StateNumbering.Moved) {
        root = object.root
        base = object.base
        here = object.here
    }

    /// - Parameter numbers: The first key in the older state, the first one here, and the count
    ///   where it isn't 1; all are positive.
    init?(root: String, _ numbers: [Int64]) {
        self.root = root
        base = numbers[0]
        here = numbers[1]
        if numbers.count > 2 { count = Int(numbers[2]) }
        guard !max(base, here).addingReportingOverflow(Int64(count)).overflow else { return nil }
    }

    var objects: some Sequence<StateNumbering.Moved> {
        (0..<Int64(count)).lazy.map { [self] in .init(root: root, base: base + $0, here: here + $0) }
    }

    /// - Parameter objects: In the order of roots and keys.
    static func runs(of objects: [StateNumbering.Moved]) -> [MovedRun] {
        var runs: [MovedRun] = []
        for object in objects {
            if let last = runs.last, last.root == object.root, object.base - last.base == Int64(last.count),
                object.here - last.here == Int64(last.count)
            {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(MovedRun(object))
            }
        }
        return runs
    }
}
