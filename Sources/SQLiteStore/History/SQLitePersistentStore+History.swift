package import Foundation
import Schema
import SQLiteKit
package import Storage

extension SQLitePersistentStore: HistoryStore {
    package func history(_ request: PersistentHistoryRequest) throws -> [PersistentHistoryTransaction] {
        try withSession { session in try session.reading { try session.history.transactions(request) } }
    }

    package func currentHistoryToken() throws -> PersistentHistoryToken? {
        try withSession { session in try session.reading { try session.history.currentHistoryToken() } }
    }

    package func deleteHistory(before token: PersistentHistoryToken) throws -> Int {
        try withSession { session in
            try session.history.deleteHistory(
                before: SQLFragment("Z_PK < ?", [.integer(token.storeUUID == identity.uuid ? token.number : 0)]))
        }
    }

    package func deleteHistory(before date: Date) throws -> Int {
        try withSession { session in
            try session.history.deleteHistory(
                before: SQLFragment("ZTIMESTAMP < ?", [.real(date.timeIntervalSinceReferenceDate)]))
        }
    }
}
