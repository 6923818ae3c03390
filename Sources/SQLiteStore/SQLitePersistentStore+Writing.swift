package import SQLiteFile
internal import SQLiteKit
package import Storage
import Synchronization

extension SQLitePersistentStore {
    /// The greatest number that an object of the entity's hierarchy has or had, or that is reserved
    /// for one; 0 where there was none.
    package func greatestKey(entityIndex: Int) throws -> Int64 {
        try withSession { session in
            try session.keys.greatestKey(session.layout.storage(of: entityIndex), on: session.connection)
        }
    }

    package func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try withSession { session in try session.reserveKeys(entityIndex: entityIndex, count: count) }
    }

    /// Gives no key up to `greatest` to a new object. A document's store notes that with its next
    /// commit, since every commit counts as a save or an autosave.
    package func retireKeys(entityIndex: Int, upTo greatest: Int64) throws {
        try withSession { session in try session.retireKeys(entityIndex: entityIndex, upTo: greatest) }
    }

    /// The greatest keys that are given out in a WAL that was put aside, by the names of entities.
    package func greatestKeys(inLog log: some RandomAccessFile) throws -> [String: Int64] {
        try withFiles { files in
            var keys: [String: Int64] = [:]
            guard let state = try files.state(withLog: log) else { return keys }
            try files.forEachRow(of: "Z_PRIMARYKEY", [.named("Z_NAME"), .named("Z_MAX")], in: state) { row in
                let name = row.withText(at: 0) { String(decoding: $0, as: UTF8.self) }
                keys[name] = row.int64(at: 1)
            }
            return keys
        }
    }

    package func deletesMembers(entityIndex: Int, propertyIndex: Int) throws -> Bool {
        try withSession { session in
            try session.writer.deletesMembers(entityIndex: entityIndex, propertyIndex: propertyIndex)
        }
    }

    package func apply(_ changes: ChangeSet) throws -> SaveReceipt {
        let receipt = try withSession { session in try session.apply(changes) }
        tellMemoryCommit()
        return receipt
    }

    package var defersCommit: Bool { true }

    package func apply(_ changes: ChangeSet, beforeCommit: () throws -> Void) throws -> SaveReceipt {
        let receipt = try withSession { session in try session.apply(changes, beforeCommit: beforeCommit) }
        tellMemoryCommit()
        return receipt
    }

    package var takesPieces: Bool { true }

    package func applyPiece(_ changes: ChangeSet) throws -> SaveReceipt {
        try withSession { session in try session.applyPiece(changes) }
    }

    package func abandonPieces() {
        session.withLock { $0?.abandonPieces() }
    }

    /// The names of the external values that the store currently refers to.
    package func externalValueNames() throws -> Set<String> {
        try withSession { session in
            try session.reading { try session.replacedFiles.externalValueNames(on: session.connection) }
        }
    }
}
