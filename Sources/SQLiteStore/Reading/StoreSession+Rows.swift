import Query
import RowMemory
import Schema
import SQLiteKit
import Storage

extension StoreSession {
    func reader(_ entityIndex: Int, includingSubentities: Bool) throws -> RowReader {
        let key = RowColumns.Key(entityIndex: entityIndex, includesSubentities: includingSubentities)
        return try plans.reader(key) {
            RowReader(
                try layout.storage(of: entityIndex), try layout.rowColumns(key, rowLayouts), layout: layout,
                files: files)
        }
    }

    func rows(_ request: RowRequest) throws -> RowBatch {
        let reader = try reader(request.entityIndex, includingSubentities: request.includesSubentities)
        let select = try select(request)
        if select.isWholeTableByNumber,
            let scanned = try scan(select.storage, reader.columns, into: { RowCollector(reader) })
        {
            return scanned.batch
        }
        let collector = RowCollector(reader)
        if select.isWholeTableByNumber {
            try scanning(select.storage) { try run(select, reader.columns, into: collector) }
        } else {
            try run(select, reader.columns, into: collector)
        }
        // The caller now needs the memory for objects. Keeping the pages would store about a tenth
        // of the data twice.
        if collector.batch.count > Self.rowsWorthCaching { connection.releaseMemory() }
        return collector.batch
    }

    private static let rowsWorthCaching = 16_384
    /// The size of the page cache during a scan of a large table.
    private static let scanKilobytes = 2_048

    /// Reads a whole table. A large table is read through a small page cache: each page is needed
    /// only once, and reusing memory is cheaper than allocating memory that is not in the
    /// processor's cache.
    func scanning<Result>(_ storage: EntityStorage, _ body: () throws -> Result) throws -> Result {
        let usual = description.cacheKilobytes ?? Self.cacheKilobytes
        guard usual > Self.scanKilobytes, !connection.isWriting,
            try connection.value("SELECT max(Z_PK) FROM \(SQLName.quoted(storage.table))")?.integer ?? 0
                > Int64(Self.rowsWorthCaching)
        else { return try body() }
        try connection.execute("PRAGMA cache_size=-\(Self.scanKilobytes)")
        defer { try? connection.execute("PRAGMA cache_size=-\(usual)") }
        return try body()
    }

    func selection(_ request: RowRequest, known: KnownKeys) throws -> RowSelection {
        let reader = try reader(request.entityIndex, includingSubentities: request.includesSubentities)
        let collector = SelectionCollector(reader, known)
        try run(try select(request), reader.columns, into: collector, skipping: true)
        return collector.selection
    }

    /// The state of the store; nil if it is read without locks, because another program may be
    /// writing to it.
    func state() throws -> StoreState? {
        guard !description.isReadOnly, let version = try connection.value("PRAGMA data_version")?.integer else {
            return nil
        }
        // `data_version` counts commits of other connections, `totalChanges` counts changes of this
        // one.
        return StoreState(opening: number, version, Int64(connection.totalChanges))
    }

    func count(_ request: RowRequest) throws -> Int {
        let select = try select(request).counting
        return Int(try connection.value(select.text, select.arguments)?.integer ?? 0)
    }

    func explanation(of request: RowRequest) throws -> QueryExplanation {
        let reader = try reader(request.entityIndex, includingSubentities: request.includesSubentities)
        let translated = try translate(request)
        let select = translated.statement.selecting(reader.columns)
        return try explanation(of: select, residual: translated.residual)
    }

    /// - Parameter residual: the part of the predicate that is evaluated in memory.
    func explanation(of select: SQLFragment, residual: FetchPredicate? = nil) throws -> QueryExplanation {
        let plan = try QueryPlan(of: select.text, select.arguments, on: connection)
        let rest = residual.map { ["IN MEMORY \($0)"] } ?? []
        return QueryExplanation(
            statement: select.text, arguments: select.arguments.map(\.explanation), plan: plan.lines + rest)
    }

    // MARK: The statement

    /// The statement for a request, without its columns.
    /// - Throws: `QueryError.unsupported` if SQL can't express the whole predicate.
    func select(_ request: RowRequest) throws -> SelectStatement {
        let translated = try translate(request)
        if let residual = translated.residual {
            throw QueryError(.unsupported, "SQL can't say all of this predicate: \(residual)")
        }
        return translated.statement
    }

    private func translate(_ request: RowRequest) throws -> TranslatedRequest {
        if !request.isPlain { try plans.provideFunctions(on: connection) }
        return try SQLTranslation.translate(request, with: translator(request.entityIndex))
    }

    /// A translator of requests that takes account of what the store has.
    func translator(_ entityIndex: Int) throws -> PredicateTranslator {
        PredicateTranslator(
            SelectStatement(try layout.storage(of: entityIndex)), layout: layout, identity: identity,
            has: irregularities())
    }

    /// Answers of one state of the store. A store in memory has only what this program writes.
    private func irregularities() -> (Irregularity) throws -> Bool {
        var isOfThisState = false
        return { [self] irregularity in
            guard !description.isInMemory else { return false }
            if !isOfThisState { try plans.forgetIrregularities(ofOtherStatesThan: connection) }
            isOfThisState = true
            return try plans.has(irregularity, on: connection)
        }
    }
}

extension RowRequest {
    /// Whether the request needs no SQL functions, because nothing is compared.
    fileprivate var isPlain: Bool {
        switch selection {
        case .matching(let predicate): predicate == nil && sortKeys.allSatisfy(\.ordersObjects)
        case .keys: sortKeys.allSatisfy(\.ordersObjects)
        }
    }
}

extension SelectStatement {
    /// Excludes other entities of the same table.
    mutating func restrict(to numbers: [Int64]) {
        guard storage.sharesTable else { return }
        let list = numbers.map(String.init).joined(separator: ", ")
        conditions.append(
            SQLFragment(
                numbers.count == 1 ? "\(Self.rootAlias).Z_ENT = \(list)" : "\(Self.rootAlias).Z_ENT IN (\(list))"))
    }
}

extension SQLFragment {
    /// A condition that a column has one of some values. Its text does not depend on their number,
    /// unless there is only one.
    static func key(_ column: String, isIn keys: [Int64]) -> SQLFragment {
        if keys.count == 1 { return SQLFragment("\(column) = ?", [.integer(keys[0])]) }
        return SQLFragment(
            "\(column) IN (SELECT value FROM json_each(?))",
            [.text("[" + keys.map(String.init).joined(separator: ",") + "]")])
    }
}

extension SQLiteValue {
    /// The value as displayed in a statement.
    fileprivate var explanation: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): SQLName.literal(value)
        case .blob(let value):
            value.count <= 64
                ? "x'" + value.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
                : "\(value.count) bytes"
        }
    }
}
