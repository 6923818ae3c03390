import Foundation
import Query

/// A transaction or a change of a history, as requests see it.
protocol HistoryRecord {
    func satisfies(_ predicate: FetchPredicate) throws -> Bool
    /// The values by which records are sorted.
    var values: [String: Any?] { get }
}

/// The part of a history that a fetch request selects.
struct HistorySelection {
    private let request: NSFetchRequest<any NSFetchRequestResult>

    init(_ request: NSFetchRequest<any NSFetchRequestResult>) { self.request = request }

    /// The records that satisfy the predicate, in the order of the request, without those before
    /// its offset and after its limit.
    ///
    /// - Throws: `QueryError` for a predicate that can't be evaluated, or a sort key that records
    ///   don't have.
    func select<Record: HistoryRecord>(_ records: [Record]) throws -> [Record] {
        var found = records
        if let predicate = try request.predicate?.fetchPredicate() {
            found = try found.filter { try $0.satisfies(predicate) }
        }
        // From the last descriptor to the first: sorting keeps the order of equal elements.
        for descriptor in (request.sortDescriptors ?? []).reversed() { found = try sorted(found, by: descriptor) }
        let rest = found.dropFirst(request.fetchOffset)
        return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
    }

    private func sorted<Record: HistoryRecord>(_ records: [Record], by descriptor: NSSortDescriptor) throws -> [Record]
    {
        guard let key = descriptor.sortKey?.keyPath else {
            return records.sorted { descriptor.compare($0, to: $1) == .orderedAscending }
        }
        if let first = records.first, first.values[key] == nil {
            throw QueryError(.unsupported, "The records of a history have no key \(key) to be sorted by")
        }
        return records.map { ($0, $0.values.compactMapValues { $0 }) }.sorted {
            descriptor.compare($0.1, to: $1.1) == .orderedAscending
        }.map(\.0)
    }
}
