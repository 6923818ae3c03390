internal import RowMemory
internal import Storage

extension ChangeSet {
    /// These changes for rows whose versions start again, as in a store that was written row by
    /// row.
    var withFirstVersions: ChangeSet {
        var changes = self
        changes.updates = updates.map { updates in
            var rows = RowBatch()
            for index in 0..<updates.rows.count {
                let row = rows.append(copyOf: updates.rows[index])
                row.version = 1
            }
            return Updates(entityIndex: updates.entityIndex, rows: rows, changed: updates.changed)
        }
        changes.deletions = deletions.map { Deletion(entityIndex: $0.entityIndex, key: $0.key, version: 1) }
        return changes
    }
}
