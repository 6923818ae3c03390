internal import CSQLite

/// The virtual table that reads a `RowSource`.
///
/// Invariants:
/// 1. The memory of a table is a `sqlite3_vtab`, that of a cursor a `sqlite3_vtab_cursor`, each
///    followed at `MemoryLayout.stride` by one retained object.
/// 2. A cursor retains its source from `xOpen` to `xClose`, even if the connection gets another one
///    meanwhile.
enum RowSourceModule {
    /// The source whose rows the tables of one connection have now. Retained by SQLite as long as a
    /// table is registered.
    final class Current {
        var source: (any RowSource)?
        /// An error of the source. SQLite only reports that there was one.
        var failure: (any Error)?
    }

    /// Registers a table with the rows of the current source. Returns SQLite's result code.
    static func register(_ name: String, columns: Int, of current: Current, on handle: OpaquePointer) -> Int32 {
        let definition = Unmanaged.passRetained(Definition(columns: columns, current: current))
        // On failure SQLite calls the destructor itself.
        return sqlite3_create_module_v2(handle, name, module, definition.toOpaque()) { definition in
            if let definition { Unmanaged<Definition>.fromOpaque(definition).release() }
        }
    }

    private final class Definition {
        let declaration: String
        let current: Current

        init(columns: Int, current: Current) {
            declaration = "CREATE TABLE rows(" + (0..<columns).map { "c\($0)" }.joined(separator: ",") + ")"
            self.current = current
        }
    }

    private final class Cursor {
        let source: any RowSource
        let current: Current
        var rowID: Int64 = 0
        var isAtEnd = true

        init(source: any RowSource, current: Current) {
            self.source = source
            self.current = current
        }

        func next() -> Int32 {
            do {
                isAtEnd = try !source.next()
                rowID += 1
                return SQLITE_OK
            } catch {
                current.failure = error
                return SQLITE_ABORT
            }
        }
    }

    /// Has no rows: for a statement that is run without a source.
    private final class Nothing: RowSource {
        func rewind() {}
        func next() -> Bool { false }
        func column(_ index: Int, _ result: SQLResult) {}
    }

    private static let tableOffset = MemoryLayout<sqlite3_vtab>.stride
    private static let cursorOffset = MemoryLayout<sqlite3_vtab_cursor>.stride

    private static func definition(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> Unmanaged<Definition> {
        guard let table else { preconditionFailure("SQLite calls a method with its table") }
        return (UnsafeMutableRawPointer(table) + tableOffset).load(as: Unmanaged<Definition>.self)
    }

    @inline(__always)
    private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Unmanaged<Cursor> {
        guard let cursor else { preconditionFailure("SQLite calls a method with its cursor") }
        return (UnsafeMutableRawPointer(cursor) + MemoryLayout<sqlite3_vtab_cursor>.stride).load(
            as: Unmanaged<Cursor>.self)
    }

    /// Created once and never freed or changed: SQLite reads it as long as a connection exists.
    nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: sqlite3_module())
        // Without xCreate the table exists by its name alone, and can't be created by SQL.
        module.pointee.iVersion = 1
        module.pointee.xConnect = { db, context, _, _, answer, _ in
            guard let context else { return SQLITE_MISUSE }
            let definition = Unmanaged<Definition>.fromOpaque(context)
            let result = sqlite3_declare_vtab(db, definition.takeUnretainedValue().declaration)
            guard result == SQLITE_OK else { return result }
            // No trigger, view or default of a document may read the rows.
            _ = folio_sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY)
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: tableOffset + MemoryLayout<Unmanaged<Definition>>.size,
                alignment: MemoryLayout<sqlite3_vtab>.alignment)
            let table = memory.initializeMemory(as: sqlite3_vtab.self, to: sqlite3_vtab())
            (memory + tableOffset).storeBytes(of: definition.retain(), as: Unmanaged<Definition>.self)
            answer?.pointee = table
            return SQLITE_OK
        }
        module.pointee.xBestIndex = { _, info in
            // Always all rows, always in order. The high cost makes it the outer loop of every
            // join.
            info?.pointee.estimatedCost = 1e9
            info?.pointee.estimatedRows = 1_000_000
            return SQLITE_OK
        }
        module.pointee.xDisconnect = { table in
            definition(table).release()
            UnsafeMutableRawPointer(table)?.deallocate()
            return SQLITE_OK
        }
        module.pointee.xOpen = { table, answer in
            let current = definition(table).takeUnretainedValue().current
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: cursorOffset + MemoryLayout<Unmanaged<Cursor>>.size,
                alignment: MemoryLayout<sqlite3_vtab_cursor>.alignment)
            let cursor = memory.initializeMemory(as: sqlite3_vtab_cursor.self, to: sqlite3_vtab_cursor())
            let own = Cursor(source: current.source ?? Nothing(), current: current)
            (memory + cursorOffset).storeBytes(of: Unmanaged.passRetained(own), as: Unmanaged<Cursor>.self)
            answer?.pointee = cursor
            return SQLITE_OK
        }
        module.pointee.xClose = { cursor in
            RowSourceModule.cursor(cursor).release()
            UnsafeMutableRawPointer(cursor)?.deallocate()
            return SQLITE_OK
        }
        module.pointee.xFilter = { cursor, _, _, _, _ in
            let own = RowSourceModule.cursor(cursor).takeUnretainedValue()
            own.source.rewind()
            own.rowID = 0
            return own.next()
        }
        module.pointee.xNext = { cursor in RowSourceModule.cursor(cursor)._withUnsafeGuaranteedRef { $0.next() } }
        module.pointee.xEof = { cursor in RowSourceModule.cursor(cursor)._withUnsafeGuaranteedRef { $0.isAtEnd ? 1 : 0 }
        }
        module.pointee.xColumn = { cursor, context, index in
            guard let context else { return SQLITE_MISUSE }
            RowSourceModule.cursor(cursor)._withUnsafeGuaranteedRef { $0.source.column(Int(index), SQLResult(context)) }
            return SQLITE_OK
        }
        module.pointee.xRowid = { cursor, answer in
            answer?.pointee = RowSourceModule.cursor(cursor)._withUnsafeGuaranteedRef { $0.rowID }
            return SQLITE_OK
        }
        return UnsafePointer(module)
    }()
}
