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
