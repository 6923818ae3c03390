public import Query
public import Schema

extension PersistentHistoryTransaction {
    /// Whether a predicate about transactions holds: it may name `author`, `contextName`,
    /// `bundleID`, `processID`, `storeID`, `timestamp`, `transactionNumber` and `token`, which
    /// compares as the number that it stands for.
    ///
    /// ```swift
    /// let others = try FetchPredicate(format: "author != %@ AND timestamp > %@", "importer", yesterday)
    /// let wanted = try context.fetchHistory().filter { try $0.satisfies(others) }
    /// ```
    /// - Throws: ``QueryError`` for a predicate that can't be evaluated.
    public func satisfies(_ predicate: FetchPredicate) throws -> Bool {
        func text(_ value: String?) -> PropertyValue { value.map { .string($0) } ?? .null }
        return try predicate.evaluate(
            with: .composite([
                "author": text(author), "contextName": text(contextName), "bundleID": text(bundleID),
                "processID": text(processID), "storeID": .string(storeID), "timestamp": .date(timestamp),
                "transactionNumber": .int(transactionNumber), "token": .int(transactionNumber),
            ]))
    }

    /// The transaction with some of its changes.
    package func keeping(_ changes: [PersistentHistoryChange]) -> PersistentHistoryTransaction {
        PersistentHistoryTransaction(
            transactionNumber: transactionNumber, storeID: storeID, timestamp: timestamp, author: author,
            contextName: contextName, bundleID: bundleID, processID: processID, changes: changes)
    }
}

extension PersistentHistoryChange {
    /// Whether a predicate about changes holds: it may name `changeType`, `changedObjectID` and
    /// `entityName`.
    ///
    /// - Throws: ``QueryError`` for a predicate that can't be evaluated.
    public func satisfies(_ predicate: FetchPredicate) throws -> Bool {
        try predicate.evaluate(
            with: .composite([
                "changeType": .int(Int64(kind.rawValue)), "changedObjectID": .object(changedObjectID),
                "entityName": .string(changedObjectID.entity.name),
            ]))
    }
}

extension PersistentHistoryToken: Comparable, PredicateArgument {
    /// Whether a position comes before another of the same store. Positions of different stores
    /// are in the order of the stores' UUIDs.
    public static func < (left: PersistentHistoryToken, right: PersistentHistoryToken) -> Bool {
        (left.storeUUID, left.number) < (right.storeUUID, right.number)
    }

    /// The number of the transaction, for predicates about `token`.
    public var predicateConstant: PropertyValue { .int(number) }
}
