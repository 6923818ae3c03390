package import Storage

/// A merge as the metadata of the store note it: which states of other documents came in, and under
/// which keys.
package struct MergeNote: Sendable, Hashable {
    /// The key in the metadata of the store.
    package static let metadataKey = "FolioMerges"
    /// What is forgotten beyond it, the oldest first.
    package static let maximumCount = 64

    /// The generation of the document before the merge.
    package var generation: Int
    /// The UUID of the other document.
    package var uuid: String
    /// The sums of the states that are part of this document now, the newest first.
    package var sums: [String]
    package var moved: [StateNumbering.Moved]

    package init(generation: Int, uuid: String, sums: [String], moved: [StateNumbering.Moved]) {
        self.generation = generation
        self.uuid = uuid
        self.sums = sums
        self.moved = moved
    }

    /// The notes in the metadata of a store, the oldest first.
    package static func notes(in metadata: [String: MetadataValue]) -> [MergeNote] {
        guard case .array(let values)? = metadata[metadataKey] else { return [] }
        return values.compactMap { MergeNote($0) }
    }

    package static func value(_ notes: [MergeNote]) -> MetadataValue? {
        notes.isEmpty ? nil : .array(notes.suffix(maximumCount).map(\.value))
    }

    private init?(_ value: MetadataValue) {
        guard case .dictionary(let fields) = value, case .integer(let generation)? = fields["generation"],
            case .string(let uuid)? = fields["uuid"], case .array(let sums)? = fields["sums"],
            let generation = Int(exactly: generation), CommitNumbers.valid.contains(generation)
        else { return nil }
        self.generation = generation
        self.uuid = uuid
        self.sums = sums.compactMap { if case .string(let sum) = $0 { sum } else { nil } }
        moved = []
        guard case .dictionary(let roots)? = fields["moved"] else { return }
        for (root, numbers) in roots.sorted(by: { $0.key < $1.key }) {
            guard case .array(let numbers) = numbers, numbers.count % 2 == 0 else { return nil }
            for index in stride(from: 0, to: numbers.count, by: 2) {
                guard case .integer(let base) = numbers[index], case .integer(let here) = numbers[index + 1],
                    base > 0, here > 0
                else { return nil }
                moved.append(.init(root: root, base: base, here: here))
            }
        }
    }

    private var value: MetadataValue {
        var roots: [String: [MetadataValue]] = [:]
        for object in moved { roots[object.root, default: []] += [.integer(object.base), .integer(object.here)] }
        var fields: [String: MetadataValue] = [
            "generation": .integer(Int64(generation)), "uuid": .string(uuid), "sums": .array(sums.map { .string($0) }),
        ]
        if !roots.isEmpty { fields["moved"] = .dictionary(roots.mapValues { .array($0) }) }
        return .dictionary(fields)
    }
}
