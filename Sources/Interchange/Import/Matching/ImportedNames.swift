import Folio

/// The objects created from records, by the names in the file. Names are mostly consecutive and are
/// stored as runs, to save memory.
struct ImportedNames {
    /// Consecutive numbers in the file whose objects have consecutive primary keys.
    private struct Run {
        let first: Int64
        let key: Int64
        var count: Int64
    }

    private var runs: [Int: [Run]] = [:]
    private var others: [Int: [Int64: Int64]] = [:]
    /// Objects without a permanent ID.
    private var unsaved: [Int: [Int64: ManagedObject]] = [:]

    /// The object with a name.
    enum Target {
        case object(ManagedObject)
        case key(Int64)
    }

    subscript(entityIndex: Int, number: Int64) -> Target? {
        if let object = unsaved[entityIndex]?[number] { return .object(object) }
        if let key = others[entityIndex]?[number] { return .key(key) }
        guard let runs = runs[entityIndex] else { return nil }
        var low = 0, high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].first + runs[middle].count <= number { low = middle + 1 } else { high = middle }
        }
        guard low < runs.count, runs[low].first <= number else { return nil }
        return .key(runs[low].key + number - runs[low].first)
    }

    /// - Returns: False if the name is already used.
    mutating func add(_ object: ManagedObject, entityIndex: Int, number: Int64) -> Bool {
        guard self[entityIndex, number] == nil else { return false }
        unsaved[entityIndex, default: [:]][number] = object
        return true
    }

    /// Records the primary keys of the saved objects, and releases the objects.
    mutating func settle() {
        for (entityIndex, objects) in unsaved {
            for (number, object) in objects.sorted(by: { $0.key < $1.key }) {
                note(number, object.objectID.key, entityIndex)
            }
        }
        unsaved = [:]
    }

    private mutating func note(_ number: Int64, _ key: Int64, _ entityIndex: Int) {
        guard let last = runs[entityIndex]?.last else {
            runs[entityIndex] = [Run(first: number, key: key, count: 1)]
            return
        }
        let end = last.first + last.count
        guard number >= end else {
            others[entityIndex, default: [:]][number] = key
            return
        }
        if number == end, key == last.key + last.count {
            runs[entityIndex]?.removeLast()
            runs[entityIndex]?.append(Run(first: last.first, key: last.key, count: last.count + 1))
        } else {
            runs[entityIndex]?.append(Run(first: number, key: key, count: 1))
        }
    }
}
