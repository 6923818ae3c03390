import FileSystem
import Foundation
import Query
import RowMemory
import Schema
import SQLiteKit
import Storage
import Synchronization

/// An open store: its connection and what is kept for it. Used under the lock of its
/// ``SQLitePersistentStore``.
///
/// Invariants:
/// 1. One connection does everything, writing and checkpoints included: SQLite's WAL-reset bug
///    needs two.
/// 2. Whatever throws has left the file as it was.
final class StoreSession {
    /// Tells this session from every other one.
    let number = StoreSession.lastNumber.add(1, ordering: .relaxed).newValue
    private static let lastNumber = Atomic<UInt64>(0)
    let path: String
    let description: PersistentStoreDescription
    /// The archive that the main file lies in, where it is no file of its own; `path` is then where
    /// it would be.
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
    /// Why the store is not written to, nil if it may be.
    let writingRefusal: String?
    /// Whether changes run triggers other than those of derived attributes; in a store by itself
    /// they may be anybody's.
    let hasTriggers: Bool
    /// What `Z_METADATA` held when this session last looked.
    var lastMetadata: KnownMetadata?
    /// Whether everything is read from one state: see `hold()`.
    private(set) var isHeld = false
    /// What was written and waits for the save that commits it.
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

    /// How often a store that others write to is read again before that is called busy.
    private static let readingAttempts = 5

    /// Keeps whatever is read from here on to what is committed now. Where locks can't do that,
    /// reading throws as soon as others have committed.
    /// - Throws: `SQLiteError.changed` where the store is not the one any more that was opened, or
    ///   has another model.
    func hold() throws {
        precondition(description.isReadOnly, "A store that is written moves on: hold one that is open for reading only")
        guard !isHeld else { return }
        let changed = SQLiteError(.changed, message: "changed by another program while it was read", path: path)
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

    /// Runs a reading operation. A store that is read without locks is looked at again afterwards,
    /// and read again if it changed meanwhile, unless its state is held.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        var left = Self.readingAttempts
        while true {
            do {
                let result = try body()
                try connection.checkUnchanged()
                return result
            } catch let error as SQLiteError where connection.isOfOthers(error) {
                if left == 0 || isHeld {
                    throw SQLiteError(.changed, message: "changed by another program while it was read", path: path)
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

    /// - Parameter derivedChanges: is told what triggers do to derived attributes.
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
            // Where anything fails from here on, closing must not bring work into the main file
            // that nobody has saved or kept a version under. Without work it takes an empty WAL
            // away, which a document that is refused must not be left with.
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

    /// Sets the journal up as whoever holds the store wants it. Reads the file's journal mode, so
    /// what is no database is noticed here.
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
            // A rollback journal loses acknowledged commits at power cuts with anything less than
            // EXTRA.
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

    /// Changes how the store is journaled, when the others that use it let go of it: for this
    /// SQLite itself waits for nobody.
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
    /// The timeout in milliseconds, as far as SQLite can wait: without end is some three weeks.
    var busyTimeout: Int { timeout > 0 ? Int(min(timeout * 1000, Double(Int32.max))) : 0 }
}

extension StoreSession {
    func close() throws {
        abandonPieces()
        plans.removeReaders()
        if !description.isReadOnly { try replacedFiles.removeReplacedFiles(from: files, on: connection) }
        try connection.close()
    }

    // Those that do one thing each with what the session holds, and have no state of their own.
    var writer: ChangeWriter { ChangeWriter(self) }
    var history: StoreHistory { StoreHistory(self) }
    var batch: BatchExecution { BatchExecution(self) }

    /// The error to give to a caller for what went wrong below.
    func error(_ error: any Error) -> any Error {
        if error is QueryError { return error }
        if let error = error as? SQLiteError, let queryError = SQLFailure.queryError(error) { return queryError }
        return StorageError(error, path: path)
    }
    // MARK: Debugging

    /// Notes statements as ``SQLDebug`` wants it now.
    func followDebugLevel() {
        let level = SQLDebug.level
        guard level != .off else { return connection.trace(nil) }
        connection.trace(
            TraceOptions(expandsArguments: level >= .arguments, keepsRows: level >= .rows, explains: level >= .plans))
    }

    /// Tells what was run.
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
