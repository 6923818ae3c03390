import FileSystem
import Foundation
import Query
import RowMemory
import Schema
import SQLiteKit
import Storage
import Synchronization

/// An open store: its connection and the state that belongs to it. Used under the lock of its
/// ``SQLitePersistentStore``.
///
/// Invariants:
/// 1. One connection does all reading, writing and checkpoints: SQLite's WAL-reset bug requires two
///    connections.
/// 2. An operation that throws leaves the file unchanged.
final class StoreSession {
    /// Identifies this session among all sessions of the process.
    let number = StoreSession.lastNumber.add(1, ordering: .relaxed).newValue
    private static let lastNumber = Atomic<UInt64>(0)
    let path: String
    let description: PersistentStoreDescription
    /// The archive that contains the main file, if it is not a separate file. `path` is then the
    /// path that a separate file would have.
    let archive: ArchivedDatabase?
    var connection: Connection
    let layout: StoreLayout
    let rowLayouts: [RowLayout]
    let identity: StoreIdentity
    let files: ExternalValues
    let plans = StatementPlans()
    let historyWriter: HistoryWriter
    let keys: KeyReservations
    let derived: DerivedValues
    let indexing: SideIndexUpdater
    let replacedFiles: ReplacedFiles
    /// The reason why the store must not be written; nil if it may be.
    let writingRefusal: String?
    /// Whether changes run triggers other than those of derived attributes. Only possible in a bare
    /// store, whose triggers may come from another program.
    let hasTriggers: Bool
    /// The row of `Z_METADATA` that this session last read or wrote.
    var lastMetadata: KnownMetadata?
    /// Whether all reads use one snapshot; see `hold()`.
    private(set) var isHeld = false
    /// Chunks that were written and will be committed by the next save.
    var pieces: PiecesUnderWay?

    init(
        path: String, description: PersistentStoreDescription, archive: ArchivedDatabase? = nil, connection: Connection,
        derivedChanges: DerivedChanges = DerivedChanges(), layout: StoreLayout,
        rowLayouts: [RowLayout], identity: StoreIdentity, files: ExternalValues, writingRefusal: String? = nil,
        hasTriggers: Bool = false,
        metadata: KnownMetadata? = nil
    ) {
        self.path = path
        self.description = description
        self.archive = archive
        self.connection = connection
        self.layout = layout
        historyWriter = HistoryWriter(layout, tracksHistory: description.tracksHistory)
        keys = KeyReservations(layout)
        derived = DerivedValues(layout, derivedChanges)
        indexing = SideIndexUpdater(layout)
        replacedFiles = ReplacedFiles(layout, description.journal)
        self.rowLayouts = rowLayouts
        self.identity = identity
        self.files = files
        self.writingRefusal = writingRefusal
        lastMetadata = metadata
        self.hasTriggers = hasTriggers
    }

    /// The number of times that a read is repeated if another program writes meanwhile, before it
    /// fails.
    private static let readingAttempts = 5

    /// Pins all further reads to the currently committed state. Where no lock can ensure that, a
    /// read throws as soon as another program has committed.
    /// - Throws: `SQLiteError.changed` if the file was replaced by another store since it was
    ///   opened, or has another model.
    func hold() throws {
        precondition(description.isReadOnly, "A store that is written moves on: hold one that is open for reading only")
        guard !isHeld else { return }
        let changed = SQLiteError(changedWhileRead: path)
        let now: StoreMetadata
        do {
            try connection.holdState()
            now = try StoreMetadata.read(from: connection)
            try connection.checkUnchanged()
        } catch let error as SQLiteError where connection.isOfOthers(error) {
            throw changed
        }
        if let opened = lastMetadata?.metadata, opened.uuid != now.uuid || opened.versionHashes != now.versionHashes {
            throw changed
        }
        isHeld = true
    }

    /// Runs a reading operation. A store that is read without locks is checked afterwards, and read
    /// again if it changed meanwhile, unless its state is held.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        var left = Self.readingAttempts
        while true {
            do {
                let result = try body()
                try connection.checkUnchanged()
                return result
            } catch let error as SQLiteError where connection.isOfOthers(error) {
                if left == 0 || isHeld {
                    throw SQLiteError(changedWhileRead: path)
                }
                left -= 1
                try reopenForReading()
            }
        }
    }

    private func reopenForReading() throws {
        connection = try Self.connect(path, description, archive)
        plans.connectionWasReplaced()
        guard try StoreMetadata.read(from: connection).uuid == identity.uuid else {
            throw StorageError(.busy, "The store was replaced by another one while it was read")
        }
    }

    // MARK: Connections

    /// - Parameter derivedChanges: records the changes that triggers make to derived attributes.
    static func connect(
        _ path: String, _ description: PersistentStoreDescription, _ archive: ArchivedDatabase? = nil,
        noting derivedChanges: DerivedChanges? = nil
    ) throws -> Connection {
        let timeout = description.busyTimeout
        let connection: Connection
        if description.isInMemory {
            connection = try Connection.inMemory()
            try TriggerFunctions.register(on: connection, noting: derivedChanges)
        } else if description.isReadOnly {
            connection =
                if let archive {
                    try Connection.openForReading(archive, workingPath: path)
                } else {
                    try Connection.openForReading(
                        path, defense: .foreign, busyTimeout: timeout, ignoresWAL: description.ignoresWAL)
                }
        } else {
            var options = OpenOptions(.readWrite, defense: .foreign)
            options.busyTimeout = timeout
            connection =
                if let archive {
                    try Connection.openForEditing(archive, workingPath: path, options: options)
                } else {
                    try Connection(path, options)
                }
            // If opening fails after this point, closing must not checkpoint a WAL with changes
            // that were not saved or have no kept version. An empty WAL is removed on close, so
            // that a rejected document is not left with one.
            if description.journal == .heldByDocument, (try Disk.status(of: path + "-wal")?.size ?? 0) > 0 {
                try connection.setCheckpointsOnClose(false)
            }
            try TriggerFunctions.register(on: connection, noting: derivedChanges)
        }
        if let observer = description.waitObserver {
            connection.setWaiting(timeout: description.timeout) { observer.continues(after: $0) }
        }
        return connection
    }

    /// Sets the journal mode that the description asks for. This reads the file's journal mode, so
    /// a file that is not a database is detected here.
    static func prepareWAL(of connection: Connection, _ description: PersistentStoreDescription) throws {
        try connection.execute("PRAGMA cache_size=-\(description.cacheKilobytes ?? cacheKilobytes)")
        guard !description.isReadOnly else { return }
        switch description.journal {
        case .heldByDocument:
            try connection.prepareForEditing()
        case .asFound:
            if let mode = description.journalMode, !description.isInMemory {
                try setJournalMode(mode == .wal ? .wal : .delete, of: connection, description)
            }
            // With a rollback journal, any setting below EXTRA can lose acknowledged commits at a
            // power failure.
            let isLog = try connection.journalMode() == .wal
            switch description.synchronous {
            case .normal:
                guard isLog else {
                    throw StorageError(
                        .unsupported,
                        "With a rollback journal, synchronous=normal can damage the store: use full, or journal mode wal",
                        path: connection.path)
                }
                try connection.setSynchronous(.normal)
            case .extra: try connection.setSynchronous(.extra)
            case .full, nil: try connection.setSynchronous(isLog ? .full : .extra)
            }
        }
    }

    /// Changes the journal mode, retrying until other connections release the store: SQLite does
    /// not wait for locks here.
    static func setJournalMode(
        _ mode: Connection.JournalMode, of connection: Connection, _ description: PersistentStoreDescription
    ) throws {
        let start = Date()
        while true {
            do {
                return try connection.setJournalMode(mode)
            } catch let error as SQLiteError where error.isOfLocks {
                let waited = Date().timeIntervalSince(start)
                guard waited < description.timeout, description.waitObserver?.continues(after: waited) ?? true else {
                    throw error
                }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }

    static let cacheKilobytes = 32_768
}

extension PersistentStoreDescription {
    /// The timeout in milliseconds, limited to the longest that SQLite supports, about three weeks.
    var busyTimeout: Int { timeout > 0 ? Int(min(timeout * 1000, Double(Int32.max))) : 0 }
}

extension StoreSession {
    func close() throws {
        abandonPieces()
        plans.removeReaders()
        if !description.isReadOnly { try replacedFiles.removeReplacedFiles(from: files, on: connection) }
        try connection.close()
    }

    /// Converts an error of a lower layer into the error for the caller.
    func error(_ error: any Error) -> any Error {
        if error is QueryError { return error }
        if let error = error as? SQLiteError, let queryError = SQLFailure.queryError(error) { return queryError }
        return StorageError(error, path: path)
    }

    // MARK: Debugging

    /// Traces statements as ``SQLDebug`` currently requests.
    func followDebugLevel() {
        let level = SQLDebug.level
        guard level != .off else { return connection.trace(nil) }
        connection.trace(
            TraceOptions(expandsArguments: level >= .arguments, keepsRows: level >= .rows, explains: level >= .plans))
    }

    /// Reports the traced statements.
    func tellDebugEvents() {
        let statements = connection.takeTrace()
        guard !statements.isEmpty else { return }
        let handler = SQLDebug.handler, store = FilePath.name(path)
        for statement in statements {
            handler(
                SQLDebug.Event(
                    store: store, statement: statement.sql, seconds: statement.seconds, rowCount: statement.rowCount,
                    rows: statement.rows, plan: statement.plan))
        }
    }
}
