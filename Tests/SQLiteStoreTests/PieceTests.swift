import FileSystem
import Foundation
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import Testing

/// Change sets that wait for the commit of a later one.
struct PieceTests {
    private func tag(_ fixture: StoreFixture) -> ChangeSet {
        var changes = ChangeSet()
        changes.insertions = [fixture.insertion("Tag", -1)]
        return changes
    }

    private func tags(_ fixture: StoreFixture) throws -> Int { try fixture.sql("SELECT Z_PK FROM ZTAG").count }

    /// What follows a piece that is gone is refused, by whatever way it comes.
    private func expectRefusal(_ fixture: StoreFixture) {
        let index = fixture.entity("Tag").index
        for work in [
            { _ = try fixture.store.apply(tag(fixture)) }, { _ = try fixture.store.applyPiece(tag(fixture)) },
            { _ = try fixture.store.reserveKeys(entityIndex: index, count: 1) },
        ] {
            let error = #expect(throws: StorageError.self) { try work() }
            #expect(error?.code == .cancelled)
        }
    }

    private func expectUsable(_ fixture: StoreFixture, tags count: Int) throws {
        #expect(try tags(fixture) == count)
        _ = try fixture.store.apply(tag(fixture))
        #expect(try tags(fixture) == count + 1)
    }

    @Test func numbersThatCannotBeGivenUndoThePiecesThatWait() throws {
        try StoreFixture.run { fixture in
            try fixture.insert("Tag")
            _ = try fixture.store.applyPiece(tag(fixture))
            let error = #expect(throws: StorageError.self) {
                try fixture.store.reserveKeys(entityIndex: fixture.entity("Tag").index, count: .max)
            }
            #expect(error?.code == .full)
            expectRefusal(fixture)
            fixture.store.abandonPieces()
            try expectUsable(fixture, tags: 1)
        }
    }

    /// SQLite undoes its transaction where a page can't be read, though no piece fails by that.
    @Test func whatSQLiteHasUndoneBetweenPiecesIsNotCommittedInPart() throws {
        try StoreFixture.run { fixture in
            try fixture.insert("Tag")
            try fixture.insert("Shelf", ["name": .string("s")])
            // Pages that were written are in memory, and would not be read.
            try fixture.reopen()
            _ = try fixture.store.applyPiece(tag(fixture))
            let path = fixture.url.path
            _ = FaultInjection.with({ call, name in call == .read && name.hasPrefix(path) ? .error(EIO) : nil }) {
                #expect(throws: StorageError.self) { try fixture.rows("Shelf") }
            }
            expectRefusal(fixture)
            #expect(try tags(fixture) == 1)
            fixture.store.abandonPieces()
            try expectUsable(fixture, tags: 1)
        }
    }

    @Test func abandonedPiecesLeaveTheStoreToOtherWriters() throws {
        try StoreFixture.run { fixture in
            try fixture.insert("Tag")
            _ = try fixture.store.applyPiece(tag(fixture))
            let other = try Connection(fixture.url.path, .readWrite)
            let busy = #expect(throws: SQLiteError.self) {
                try other.execute("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE")
            }
            #expect(busy?.code == .busy)
            fixture.store.abandonPieces()
            try other.execute("BEGIN IMMEDIATE; ROLLBACK")
            try other.close()
            try expectUsable(fixture, tags: 1)
        }
    }
}
