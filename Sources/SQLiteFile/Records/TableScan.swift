/// Thrown if rows can't be read directly from their pages and must be read by SQLite.
package struct UnsuitedForScan: Error {}

/// Reads the rows of a table in rowid order directly from its pages, without SQLite's bytecode
/// interpreter, which takes longer than reading the row itself.
///
/// Unusual content is left to SQLite: the scan then ends with ``UnsuitedForScan``, and its results
/// so far must be discarded. This includes damaged pages, so that SQLite reports the damage.
///
/// Public, like its records, so that it is inlined into loops in other modules.
///
/// Invariants:
/// 1. `leaves` are the table's leaf pages in the order of their rows. Each is a page of the
///    snapshot, and there are at most as many as the snapshot has pages.
/// 2. `block` has room for `blockSize` bytes and `slack` more: reading a variable-length integer at
///    the end of a page stays within it.
/// 3. For a record that is returned, every field in `fields` is within the record's bytes.
public final class TableScan {
    @usableFromInline static var unsuited: any Error { UnsuitedForScan() }

    private let pages: DatabaseState
    /// Called before each block is read; an error ends the scan.
    private let pulse: () throws -> Void
    private let leaves: ContiguousArray<UInt32>
    private var next = 0
    /// The offsets of the pages in the current block.
    @usableFromInline var pageStarts: ContiguousArray<Int> = []
    @usableFromInline let block: UnsafeMutablePointer<UInt8>
    private let blockSize: Int
    private static let slack = 64
    /// The size of a block, chosen so that it fits into the processor's cache together with the
    /// results.
    private static let usualBlockSize = 1 << 18

    @usableFromInline let usableSize: Int
    /// A longer record continues in overflow pages.
    @usableFromInline let mostInPage: Int
    @usableFromInline let columnCount: Int
    @usableFromInline let keyColumn: Int
    @usableFromInline let fields: UnsafeMutablePointer<RecordCells.Field>
    @usableFromInline let places: UnsafeMutablePointer<Int32>
    @usableFromInline let needsConversion: UnsafeMutablePointer<Bool>
    /// The header for which `fields` was computed.
    @usableFromInline let header: UnsafeMutablePointer<RecordHeader>
    /// The columns whose value is not NULL if a record is too short to have them.
    private let defaults: Set<Int>
    /// Memory for a record that is assembled from several pages.
    private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// A value that a scan supplies for each row.
    package enum Wanted: Sendable {
        /// A column of the table, by its index.
        case column(Int)
        case key
        /// The integer 0.
        case zero
    }

    /// The columns of a table as stored in its records.
    package struct Columns: Sendable {
        package let count: Int
        /// The column that is the rowid.
        package let key: Int?
        /// The columns with a default other than NULL.
        package let withDefault: Set<Int>

        package init(count: Int, key: Int?, withDefault: Set<Int>) {
            self.count = count
            self.key = key
            self.withDefault = withDefault
        }
    }

    /// A scan of the rows in some leaves of a table.
    /// - Parameters:
    ///   - wanted: The values of a row: columns of the table, its key, the integer 0.
    ///   - pulse: Called before each block is read; an error ends the scan.
    package init(
        _ pages: DatabaseState, _ leaves: TableLeaves, columns: Columns, wanted: [Wanted],
        pulse: @escaping () throws -> Void
    ) {
        usableSize = leaves.usableSize
        self.pages = pages
        self.pulse = pulse
        self.leaves = leaves.pages
        blockSize = max(Self.usualBlockSize, pages.pageSize)
        block = .allocate(capacity: blockSize + Self.slack)
        block.initialize(repeating: 0, count: blockSize + Self.slack)
        mostInPage = BTreePage.mostInPage(usableSize: usableSize)
        columnCount = columns.count
        keyColumn = columns.key ?? -1
        defaults = columns.withDefault
        // The rowid and a zero follow the columns.
        fields = .allocate(capacity: columnCount + 2)
        fields.initialize(repeating: .init(type: 0, start: 0), count: columnCount + 2)
        fields[columnCount].type = RecordCells.rowNumber
        fields[columnCount + 1].type = RecordCells.zero
        self.places = .allocate(capacity: max(1, wanted.count))
        for (index, column) in wanted.enumerated() {
            let place =
                switch column {
                case .column(let number): number
                case .key: columns.count
                case .zero: columns.count + 1
                }
            (self.places + index).initialize(to: Int32(place))
        }
        needsConversion = .allocate(capacity: 1)
        needsConversion.initialize(to: false)
        header = .allocate(capacity: 1)
        header.initialize(to: RecordHeader())
    }

    deinit {
        block.deallocate()
        room.deallocate()
        fields.deallocate()
        places.deallocate()
        needsConversion.deallocate()
        header.deallocate()
    }

    /// Calls `body` for every row.
    /// - Throws: ``UnsuitedForScan``; `SQLiteError` if the file can't be read.
    @inlinable public func forEachRow(_ body: (RecordCells) -> Void) throws {
        while try readBlock() {
            for start in pageStarts {
                let page = UnsafePointer(block) + start
                let count = try rowCount(page)
                for row in 0..<count {
                    let cell = try cell(page, row)
                    body(
                        RecordCells(
                            record: cell.record, fields: fields, places: places, key: cell.key,
                            needsConversion: needsConversion))
                }
            }
        }
    }

    // MARK: Pages

    /// Leaves with at most this number of other pages in between are read together: a separate read
    /// costs more than a few pages.
    private static let longestGap = 4

    /// Reads the next leaves; returns false if there are none. Leaves that are near each other in
    /// the file are read at once.
    @usableFromInline func readBlock() throws -> Bool {
        if needsConversion.pointee { throw Self.unsuited }
        try pulse()
        pageStarts.removeAll(keepingCapacity: true)
        guard next < leaves.count else { return false }
        let first = Int(leaves[next])
        var last = first
        pageStarts.append(0)
        next += 1
        while next < leaves.count {
            let page = Int(leaves[next])
            guard page > last, page - last <= Self.longestGap + 1, (page - first + 1) * pages.pageSize <= blockSize
            else { break }
            pageStarts.append((page - first) * pages.pageSize)
            last = page
            next += 1
        }
        let count = last - first + 1
        try TableLeaves.read(
            pages, first, count, into: UnsafeMutableRawBufferPointer(start: block, count: count * pages.pageSize))
        return true
    }

    @usableFromInline func rowCount(_ page: UnsafePointer<UInt8>) throws -> Int {
        let count = Int(page[BTreePage.cellCount]) << 8 | Int(page[BTreePage.cellCount + 1])
        guard page[0] == BTreePage.Kind.leafTable.rawValue, BTreePage.leafHeaderSize + 2 * count <= usableSize else {
            throw Self.unsuited
        }
        return count
    }

    // MARK: Records

    /// Determines the fields of one row's record.
    @inlinable @inline(__always) func cell(_ page: UnsafePointer<UInt8>, _ row: Int) throws -> (
        record: UnsafePointer<UInt8>, key: Int64
    ) {
        let pointer = BTreePage.leafHeaderSize + 2 * row
        var place = Int(page[pointer]) << 8 | Int(page[pointer + 1])
        guard place >= BTreePage.leafHeaderSize, place + BTreePage.leastCellSize <= usableSize else {
            throw Self.unsuited
        }
        let size = Varint.read(page, &place)
        let key = Int64(bitPattern: Varint.read(page, &place))
        if size > UInt64(mostInPage) { return (try longRecord(page, place, size), key) }
        guard place + Int(size) <= usableSize else { throw Self.unsuited }
        let record = page + place
        if !header.pointee.isThat(of: record, Int(size)) { try findFields(record, Int(size)) }
        return (record, key)
    }

    @inlinable func findFields(_ record: UnsafePointer<UInt8>, _ size: Int) throws {
        var place = 0
        let headerSize = Varint.read(record, &place)
        guard headerSize <= UInt64(size) else { throw Self.unsuited }
        let headerEnd = Int(headerSize)
        var start = headerEnd, column = 0
        while place < headerEnd, column < columnCount {
            let type = Varint.read(record, &place)
            guard SerialType.isValid(type, inRecordOf: size) else { throw Self.unsuited }
            fields[column] = .init(type: UInt32(truncatingIfNeeded: type), start: UInt32(truncatingIfNeeded: start))
            start += SerialType.length(type)
            column += 1
        }
        guard start <= size, place <= headerEnd else { throw Self.unsuited }
        if column < columnCount { try noteMissing(column) }
        // For a rowid column the record has NULL; a column with a value is not the rowid.
        if keyColumn >= 0, fields[keyColumn].type != 0 { throw Self.unsuited }
        header.pointee =
            headerEnd <= RecordHeader.longest ? RecordHeader(record, size: headerEnd, end: start) : RecordHeader()
    }

    /// Sets columns that were added after the row was written.
    @usableFromInline func noteMissing(_ first: Int) throws {
        for column in first..<columnCount {
            if defaults.contains(column) { throw Self.unsuited }
            fields[column] = .init(type: 0, start: 0)
        }
    }

    /// SQLite rejects longer records in foreign files.
    private static let longestRecord: UInt64 = 256 << 20

    /// Assembles a record that continues in overflow pages.
    @usableFromInline func longRecord(_ page: UnsafePointer<UInt8>, _ place: Int, _ size: UInt64) throws
        -> UnsafePointer<UInt8>
    {
        guard size <= Self.longestRecord, size <= UInt64(pages.pageCount) * UInt64(pages.pageSize) else {
            throw Self.unsuited
        }
        let size = Int(size), here = BTreePage.localSize(size, usableSize: usableSize)
        guard place + here + BTreePage.pageNumberSize <= usableSize else { throw Self.unsuited }
        if room.count < size + Self.slack {
            room.deallocate()
            room = .allocate(byteCount: size + Self.slack, alignment: 8)
        }
        guard let record = room.baseAddress else { throw Self.unsuited }
        record.copyMemory(from: page + place, byteCount: here)
        var next = Int(UInt32(bigEndian: UnsafeRawPointer(page + place + here).loadUnaligned(as: UInt32.self)))
        try withUnsafeTemporaryAllocation(byteCount: pages.pageSize, alignment: 8) { buffer in
            let content = UnsafeRawBufferPointer(rebasing: buffer[BTreePage.pageNumberSize...])
            var filled = here
            while filled < size {
                try TableLeaves.read(pages, next, 1, into: buffer)
                let part = content.prefix(min(usableSize - BTreePage.pageNumberSize, size - filled))
                room[filled...].copyBytes(from: part)
                filled += part.count
                next = Int(buffer.loadUnaligned(as: UInt32.self).bigEndian)
            }
        }
        (record + size).initializeMemory(as: UInt8.self, repeating: 0, count: Self.slack)
        let bytes = UnsafePointer(record.assumingMemoryBound(to: UInt8.self))
        try findFields(bytes, size)
        return bytes
    }
}
