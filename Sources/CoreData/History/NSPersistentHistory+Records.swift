import Foundation
import Query
import Storage

extension NSPersistentHistoryTransaction: HistoryRecord {
    func satisfies(_ predicate: FetchPredicate) throws -> Bool { try folio.satisfies(predicate) }

    var values: [String: Any?] {
        [
            "author": author, "contextName": contextName, "bundleID": bundleID, "processID": processID,
            "storeID": storeID, "timestamp": timestamp, "transactionNumber": NSNumber(value: transactionNumber),
            "token": NSNumber(value: transactionNumber),
        ]
    }
}

extension NSPersistentHistoryChange: HistoryRecord {
    func satisfies(_ predicate: FetchPredicate) throws -> Bool { try folio.satisfies(predicate) }

    var values: [String: Any?] {
        [
            "changeID": NSNumber(value: changeID), "changeType": NSNumber(value: changeType.rawValue),
            "changedObjectID": changedObjectID.uriRepresentation().absoluteString,
            "entityName": changedObjectID.entity.name as String?,
        ]
    }
}
