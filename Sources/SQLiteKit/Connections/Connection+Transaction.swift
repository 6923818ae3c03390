internal import CSQLite

extension Connection {
    package enum TransactionKind: Sendable {
        /// Takes locks when they are needed.
        case deferred
        /// Takes the write lock at once, so that nothing later fails with `.busy` but a commit in a
        /// rollback journal.
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

    /// Runs `body` in a transaction: committed when it returns, rolled back when it or the commit
    /// throws.
    package func transaction<Result>(_ kind: TransactionKind = .immediate, _ body: () throws -> Result) throws -> Result
    {
        // Kept statements: a small transaction takes hardly longer than these two to compile.
        try run(kind.beginning)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some errors (a full disk, a failed device) have rolled back already.
            if isInTransaction { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` as a part of a transaction that may take several calls: the first begins it, and
    /// the one that `commits` ends it. What one of them throws undoes all of them.
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

    /// Undoes the transaction that is open, if one is.
    package func rollBack() {
        if isInTransaction { try? execute("ROLLBACK") }
    }

    /// Runs `body` so that its changes are undone where it throws, and the transaction around it
    /// lives on.
    package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("SAVEPOINT folio")
        do {
            let result = try body()
            try execute("RELEASE folio")
            return result
        } catch {
            if isInTransaction { try? execute("ROLLBACK TO folio; RELEASE folio") }
            throw error
        }
    }
}
