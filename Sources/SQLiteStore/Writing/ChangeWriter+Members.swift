import Schema
import SQLiteKit
import Storage

// Deletes members of deleted objects without reading them, by the owner's key in their rows.
extension ChangeWriter {
    /// Whether the members of a relationship can be deleted without reading them, because neither
    /// history, triggers, files nor other tables depend on them.
    func deletesMembers(entityIndex: Int, propertyIndex: Int) throws -> Bool {
        guard !session.hasTriggers, !session.description.tracksHistory,
            case .toMany(let members) = try session.layout.storage(of: entityIndex).properties[propertyIndex],
            members.order == nil,
            try session.historyWriter.tables(creating: false, on: session.connection) == nil
        else { return false }
        return try session.layout.storage(of: members.destinationIndex).properties.allSatisfy { property in
            switch property {
            // Large values have files that must be removed.
            case .attribute(let column): !column.hasStoragePrefix
            case .manyToMany: false
            case .none, .composite, .toOne, .toMany: true
            }
        }
    }

    /// - Returns: the number of deleted members.
    func deleteMembers(_ deletion: ChangeSet.MemberDeletion) throws -> Int {
        guard
            case .toMany(let members) = try session.layout.storage(of: deletion.entityIndex).properties[
                deletion.propertyIndex]
        else {
            preconditionFailure("The members lead to their owners, as deletesMembers has said")
        }
        let table = SQLName.quoted(members.table), key = SQLName.quoted(members.key)
        guard try hasIndex(members.table, members.key) else {
            let source = try session.connection.bulk.sourceTable(columns: 1)
            return try session.connection.withStatement(
                "DELETE FROM \(table) WHERE \(key) IN (SELECT c0 FROM \(source))"
            ) { statement in
                try session.connection.bulk.run(statement, from: NumberSource(deletion.owners, width: 1))
                return session.connection.changes
            }
        }
        // SQLite truncates a table by freeing its pages, without reading the rows.
        if try areAllMembers(table, key, of: Set(deletion.owners)) {
            try session.connection.run("DELETE FROM \(table)")
            return session.connection.changes
        }
        return try session.connection.withStatement("DELETE FROM \(table) WHERE \(key) = ?") { statement in
            try deletion.owners.reduce(0) { count, owner in
                try statement.bind(owner, at: 1)
                try statement.run()
                return count + session.connection.changes
            }
        }
    }

    private func hasIndex(_ table: String, _ column: String) throws -> Bool {
        try session.connection.value(
            "SELECT 1 FROM pragma_index_list(?) AS list JOIN pragma_index_info(list.name) AS first WHERE list.partial = 0 AND first.seqno = 0 AND first.name = ?",
            [.text(table), .text(column)]) != nil
    }

    /// Whether all rows of a table belong to the given owners. Searches the index from one owner to
    /// the next.
    private func areAllMembers(_ table: String, _ key: String, of owners: Set<Int64>) throws -> Bool {
        if try session.connection.value("SELECT 1 FROM \(table) WHERE \(key) IS NULL LIMIT 1") != nil { return false }
        var next = try session.connection.value("SELECT min(\(key)) FROM \(table)")?.integer
        while let owner = next {
            guard owners.contains(owner) else { return false }
            next = try session.connection.value("SELECT min(\(key)) FROM \(table) WHERE \(key) > ?", [.integer(owner)])?
                .integer
        }
        return true
    }
}
