package import Query
import RowMemory
import SQLiteKit
package import Schema
package import Storage

extension SQLitePersistentStore {
    package var missingParts: [String] { layout.missing.map(\.message).filter { !$0.isEmpty } }

    /// The value of a setting of the store's connection, such as `journal_mode`; nil if there is no
    /// such setting.
    package func setting(_ name: String) throws -> String? {
        try withSession { session in
            try session.connection.value("SELECT * FROM pragma_\(name)").map {
                $0.text ?? $0.integer.map(String.init) ?? ""
            }
        }
    }

    /// Whether the file lacks the table of a request's entity, which then has no objects.
    private func isWithoutTable(_ request: RowRequest) -> Bool { layout.lacksTable(of: request.entityIndex) }

    package func rows(_ request: RowRequest) throws -> RowBatch {
        if isWithoutTable(request) { return RowBatch() }
        return try withSession { session in try session.reading { try session.rows(request) } }
    }

    package func selection(_ request: RowRequest, known: KnownKeys) throws -> RowSelection {
        if isWithoutTable(request) { return RowSelection(rows: RowBatch()) }
        return try withSession { session in try session.reading { try session.selection(request, known: known) } }
    }

    package func state() throws -> StoreState? {
        try withSession { session in try session.state() }
    }

    package func count(_ request: RowRequest) throws -> Int {
        if isWithoutTable(request) { return 0 }
        return try withSession { session in try session.reading { try session.count(request) } }
    }

    package func storedRowCount(rootIndex: Int) throws -> Int {
        guard let storage = layout[rootIndex] else { return 0 }
        return try withSession { session in
            try session.reading {
                let count = SQLFragment.sql("SELECT count(*) FROM \(name: storage.table)")
                return Int(try session.connection.value(count.text)?.integer ?? 0)
            }
        }
    }

    package func omissions() throws -> StoreOmissions {
        try withSession { session in try session.reading { try StoreFindings(session).omissions() } }
    }

    package func answerablePart(of request: RowRequest) throws -> RowRequest {
        if isWithoutTable(request) { return request.selectingMore(nil) }
        return request.selectingMore(try SQLTranslation.translate(request, layout: layout, identity: identity).answered)
    }

    package func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        guard !isWithoutTable(request) else {
            throw QueryError(.unsupported, "The store has no table that could be asked")
        }
        return try withSession { session in try session.reading { try session.rows(table, of: request) } }
    }

    package func explanation(of table: TableRequest, of request: RowRequest) throws -> QueryExplanation {
        try withSession { session in try session.reading { try session.explanation(of: table, of: request) } }
    }

    package func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws
        -> RelatedBatch
    {
        if layout.lacksTable(of: entityIndex) { return RelatedBatch(members: owners.map { _ in [] }) }
        return try withSession { session in
            try session.reading {
                try session.related(
                    entityIndex: entityIndex, propertyIndex: propertyIndex, owners: owners, includingRows: includingRows
                )
            }
        }
    }

    package func explanation(of request: RowRequest) throws -> QueryExplanation {
        try withSession { session in try session.reading { try session.explanation(of: request) } }
    }

    /// The metadata that this store last read or wrote, without reading again. For a caller that
    /// has just opened the store, so that no other program can have written since. Nil if there is
    /// none.
    package func knownMetadata() throws -> [String: MetadataValue]? {
        try withSession { $0.lastMetadata?.metadata.publicValues }
    }

    package func metadata() throws -> [String: MetadataValue] {
        try withSession { session in try session.reading { try session.currentMetadata().publicValues } }
    }
}
