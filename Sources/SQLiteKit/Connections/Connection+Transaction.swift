internal import CSQLite

extension Connection {
    package enum TransactionKind: Sendable {
        /// Takes locks when they are needed.
        case deferred
        /// Takes the write lock immediately, so that nothing later fails with `.busy` except a
        /// commit with a rollback journal.
        case immediate
        case exclusive

        fileprivate var beginning: String {
            switch self {
            case .deferred: "BEGIN DEFERRED"
            case .immediate: "BEGIN IMMEDIATE"
            case .exclusive: "BEGIN EXCLUSIVE"
            }
        }
    }

    /// Runs `body` in a transaction. It is committed when `body` returns, and rolled back if `body`
    /// or the commit throws.
    package func transaction<Result>(_ kind: TransactionKind = .immediate, _ body: () throws -> Result) throws -> Result
    {
        // Cached statements: compiling these two would take almost as long as a small transaction.
        try run(kind.beginning)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some errors, such as a full disk or a failed device, have rolled back already.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` as a part of a transaction that may take several calls. The first call begins
    /// it, and a call with `commits` ends it. An error in any of them rolls back all of them.
    package func transactionPart<Result>(commits: Bool, _ body: () throws -> Result) throws -> Result {
        if !isInTransaction { try run(TransactionKind.immediate.beginning) }
        do {
            let result = try body()
            if commits { try run("COMMIT") }
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Rolls back the open transaction, if there is one.
    package func rollBack() {
        if isInTransaction { try? execute("ROLLBACK") }
    }
}
