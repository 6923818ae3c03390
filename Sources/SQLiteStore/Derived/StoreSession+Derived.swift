import RowMemory
import Storage

extension StoreSession {
    /// The rows, as they are now, of objects whose derived values changed in this transaction.
    func takeDerivedRows() throws -> RowBatch {
        var batch = RowBatch()
        for (entityIndex, keys) in takeDerivedKeys() {
            let rows = try rows(RowRequest(entityIndex: entityIndex, includesSubentities: false, selection: .keys(keys)))
            for index in 0..<rows.count { _ = batch.append(copyOf: rows[index]) }
        }
        return batch
    }

    /// The same by their numbers.
    func takeDerivedReferences(besides known: [ObjectReference]) -> [ObjectReference] {
        let known = Set(known)
        return takeDerivedKeys().flatMap { entityIndex, keys in keys.map { ObjectReference(key: $0, entityIndex: entityIndex) } }.filter { !known.contains($0) }
    }

    private func takeDerivedKeys() -> [(entityIndex: Int, keys: [Int64])] {
        derivedChanges.takeAll().sorted { $0.key < $1.key }.compactMap { number, keys in layout.entityIndex(number: number).map { ($0, keys.sorted()) } }
    }
}
