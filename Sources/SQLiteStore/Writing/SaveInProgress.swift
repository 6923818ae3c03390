import RowMemory
import Storage

/// The intermediate results of one save.
struct SaveInProgress {
    let large: LargeValueWriter
    let keys = KeyMap()
    let insertions: [ChangeSet.Insertions]
    /// Members that may lack a position in an ordered relationship, by the columns that store it.
    var unordered: [OrderedColumns: [OrderedPair]] = [:]

    init(large: LargeValueWriter, insertions: [ChangeSet.Insertions]) {
        self.large = large
        self.insertions = insertions
    }

    /// The key that the change set uses for an object.
    func givenKey(_ key: Int64, entityIndex: Int) -> Int64 {
        for group in insertions where group.entityIndex == entityIndex {
            for index in 0..<group.rows.count where keys.key(group.rows[index].key) == key {
                return group.rows[index].key
            }
        }
        return key
    }
}
