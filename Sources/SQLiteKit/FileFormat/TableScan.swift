internal import CSQLite

/// The rows of a table in the order of their numbers, read from its pages past SQLite's
/// interpreter: that spends more time on a row than it takes to read it.
///
/// Whatever is out of the ordinary is left to SQLite: the scan then ends with ``UnsuitedForScan``,
/// and what it has given is worth nothing. A damaged page is among it, so that SQLite's own word on
/// the damage counts.
///
/// Public, as its records are, so that loops in other rooms are compiled into it.
///
/// Invariants:
/// 1. `leaves` are the table's leaf pages in the order of their rows, each a page of the snapshot,
///    and no more than it has pages.
/// 2. `block` has room for `blockSize` bytes and `slack` more: reading a variable-length integer at
///    the end of a page stays within it.
/// 3. Of a record that is handed out, every field that `fields` names lies within the record's
///    bytes.
public final class TableScan {
    @usableFromInline static var unsuited: any Error { UnsuitedForScan() }

    private let pages: SnapshotPages
    /// A statement without end, on its way as long as the scan is: what interrupts statements ends
    /// it, and with it the scan.
    private let pulse: Statement
    private let leaves: ContiguousArray<UInt32>
    private var next = 0
    /// The pages of the block at hand: where each begins.
    @usableFromInline var pageStarts: ContiguousArray<Int> = []
    @usableFromInline let block: UnsafeMutablePointer<UInt8>
    private let blockSize: Int
    private static let slack = 64
    /// A block is as long as the processor's cache can hold beside what is made of it.
    private static let usualBlockSize = 1 << 18

    @usableFromInline let usableSize: Int
    /// A longer record continues on other pages.
    @usableFromInline let mostInPage: Int
    @usableFromInline let columnCount: Int
    @usableFromInline let keyColumn: Int
    @usableFromInline let fields: UnsafeMutablePointer<RecordCells.Field>
    @usableFromInline let places: UnsafeMutablePointer<Int32>
    @usableFromInline let needsConversion: UnsafeMutablePointer<Bool>
    /// The header that `fields` were found by.
    @usableFromInline let header: UnsafeMutablePointer<RecordHeader>
    /// The columns whose value is another than NULL where a record is too short to have them.
    private let defaults: Set<Int>
    /// Room for a record that is put together from several pages.
    private var room = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    static let pulseText = "WITH RECURSIVE pulse(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM pulse) SELECT n FROM pulse"

    /// - Parameter pulse: A statement of ``pulseText``.
    init(_ pages: SnapshotPages, root: Int, columns: TableColumns, places: [Int32], pulse: Statement) throws {
        self.pages = pages
        self.pulse = pulse
        leaves = try Self.leaves(pages, root)
        blockSize = max(Self.usualBlockSize, pages.pageSize)
        block = .allocate(capacity: blockSize + Self.slack)
        block.initialize(repeating: 0, count: blockSize + Self.slack)
        usableSize = pages.usableSize
        mostInPage = usableSize - 35
        columnCount = columns.names.count
        keyColumn = columns.key ?? -1
        defaults = columns.withDefault
        // Behind the columns stand the row's number and a zero.
        fields = .allocate(capacity: columnCount + 2)
        fields.initialize(repeating: .init(type: 0, start: 0), count: columnCount + 2)
        fields[columnCount].type = RecordCells.rowNumber
        fields[columnCount + 1].type = RecordCells.zero
        self.places = .allocate(capacity: max(1, places.count))
        self.places.initialize(from: places, count: places.count)
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

    /// Calls `body` with every row.
    /// - Throws: ``UnsuitedForScan``; `SQLiteError` where the file can't be read.
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

    private static let interiorTable: UInt8 = 5, leafTable: UInt8 = 13
    private static let greatestDepth = 20

    /// Descends from a table's root.
    private static func leaves(_ pages: SnapshotPages, _ root: Int) throws -> ContiguousArray<UInt32> {
        var leaves: ContiguousArray<UInt32> = []
        var visited = 0
        func descend(_ number: Int, _ depth: Int) throws {
            visited += 1
            guard depth <= greatestDepth, visited <= pages.count, number > 1 else { throw unsuited }
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: pages.pageSize, alignment: 8)
            defer { memory.deallocate() }
            guard let base = memory.baseAddress else { throw Self.unsuited }
            try pages.read(number, 1, into: base)
            let page = UnsafeRawBufferPointer(memory)
            func short(_ offset: Int) -> Int {
                Int(UInt16(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
            }
            func long(_ offset: Int) -> Int {
                Int(UInt32(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            }
            if page[0] == leafTable { return leaves.append(UInt32(number)) }
            guard page[0] == interiorTable else { throw Self.unsuited }
            let count = short(3)
            guard 12 + 2 * count <= pages.usableSize else { throw Self.unsuited }
            var children: ContiguousArray<Int> = []
            children.reserveCapacity(count + 1)
            for cell in 0..<count {
                let place = short(12 + 2 * cell)
                guard place >= 12 + 2 * count, place + 4 <= pages.usableSize else { throw Self.unsuited }
                children.append(long(place))
            }
            children.append(long(8))
            // All leaves are at one depth: of the first child's siblings none need be looked at to
            // know them.
            guard let first = children.first else { throw Self.unsuited }
            let before = leaves.count
            try descend(first, depth + 1)
            if leaves.count == before + 1, leaves[before] == UInt32(first) {
                visited += children.count - 1
                guard visited <= pages.count, children.allSatisfy({ $0 > 1 && $0 <= pages.count }) else {
                    throw Self.unsuited
                }
                for child in children.dropFirst() { leaves.append(UInt32(child)) }
            } else {
                for child in children.dropFirst() { try descend(child, depth + 1) }
            }
        }
        try descend(root, 0)
        return leaves
    }

    /// Leaves between which so many other pages lie are read with those: one reading costs more
    /// than some pages.
    private static let longestGap = 4

    /// Reads the next leaves; false where there are none. Those that stand near each other in the
    /// file are read at once.
    @usableFromInline func readBlock() throws -> Bool {
        if needsConversion.pointee { throw Self.unsuited }
        _ = try pulse.step()
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
        try pages.read(first, last - first + 1, into: block)
        return true
    }

    @usableFromInline func rowCount(_ page: UnsafePointer<UInt8>) throws -> Int {
        let count = Int(page[3]) << 8 | Int(page[4])
        guard page[0] == Self.leafTable, 8 + 2 * count <= usableSize else { throw Self.unsuited }
        return count
    }

    // MARK: Records

    /// A variable-length integer, and where it ends.
    @inlinable @inline(__always) func integer(_ bytes: UnsafePointer<UInt8>, _ place: inout Int) -> UInt64 {
        let first = bytes[place]
        place += 1
        if first < 0x80 { return UInt64(first) }
        return longInteger(UInt64(first & 0x7f), bytes, &place)
    }

    @inlinable func longInteger(_ start: UInt64, _ bytes: UnsafePointer<UInt8>, _ place: inout Int) -> UInt64 {
        var value = start
        for count in 1..<9 {
            let byte = bytes[place]
            place += 1
            if count == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return value }
        }
        return value
    }

    /// Finds the fields of one row's record.
    @inlinable @inline(__always) func cell(_ page: UnsafePointer<UInt8>, _ row: Int) throws -> (
        record: UnsafePointer<UInt8>, key: Int64
    ) {
        var place = Int(page[8 + 2 * row]) << 8 | Int(page[9 + 2 * row])
        guard place >= 8, place + 4 <= usableSize else { throw Self.unsuited }
        let size = integer(page, &place)
        let key = Int64(bitPattern: integer(page, &place))
        if size > UInt64(mostInPage) { return (try longRecord(page, place, size), key) }
        guard place + Int(size) <= usableSize else { throw Self.unsuited }
        let record = page + place
        if !header.pointee.isThat(of: record, Int(size)) { try findFields(record, Int(size)) }
        return (record, key)
    }

    @inlinable func findFields(_ record: UnsafePointer<UInt8>, _ size: Int) throws {
        var place = 0
        let headerSize = integer(record, &place)
        guard headerSize <= UInt64(size) else { throw Self.unsuited }
        let headerEnd = Int(headerSize)
        var start = headerEnd, column = 0
        while place < headerEnd, column < columnCount {
            let type = integer(record, &place)
            guard type <= UInt64(2 * size + 13), type != 10, type != 11 else { throw Self.unsuited }
            fields[column] = .init(type: UInt32(truncatingIfNeeded: type), start: UInt32(truncatingIfNeeded: start))
            start += Self.length(type)
            column += 1
        }
        guard start <= size, place <= headerEnd else { throw Self.unsuited }
        if column < columnCount { try noteMissing(column) }
        // The number of a row stands in its place; a column that has a value of its own is no such.
        if keyColumn >= 0, fields[keyColumn].type != 0 { throw Self.unsuited }
        header.pointee =
            headerEnd <= RecordHeader.longest ? RecordHeader(record, size: headerEnd, end: start) : RecordHeader()
    }

    @inlinable @inline(__always) static func length(_ type: UInt64) -> Int {
        if type >= 12 { return Int((type - 12) >> 1) }
        // 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 bytes.
        return Int(truncatingIfNeeded: 0x0088_6432_10 >> (type * 4)) & 15
    }

    /// Columns that were added after the row was written.
    @usableFromInline func noteMissing(_ first: Int) throws {
        for column in first..<columnCount {
            if defaults.contains(column) { throw Self.unsuited }
            fields[column] = .init(type: 0, start: 0)
        }
    }

    /// SQLite refuses longer records of foreign files.
    private static let longestRecord: UInt64 = 256 << 20

    /// Puts a record together that goes on in overflow pages.
    @usableFromInline func longRecord(_ page: UnsafePointer<UInt8>, _ place: Int, _ size: UInt64) throws
        -> UnsafePointer<UInt8>
    {
        let least = (usableSize - 12) * 32 / 255 - 23
        guard size <= Self.longestRecord, size <= UInt64(pages.count) * UInt64(pages.pageSize) else {
            throw Self.unsuited
        }
        let size = Int(size)
        let rest = least + (size - least) % (usableSize - 4)
        let here = rest <= mostInPage ? rest : least
        guard place + here + 4 <= usableSize else { throw Self.unsuited }
        if room.count < size + Self.slack {
            room.deallocate()
            room = .allocate(byteCount: size + Self.slack, alignment: 8)
        }
        guard let record = room.baseAddress else { throw Self.unsuited }
        record.copyMemory(from: page + place, byteCount: here)
        var next = Int(UInt32(bigEndian: UnsafeRawPointer(page + place + here).loadUnaligned(as: UInt32.self)))
        try withUnsafeTemporaryAllocation(byteCount: pages.pageSize, alignment: 8) { buffer in
            guard let base = buffer.baseAddress else { throw Self.unsuited }
            var filled = here
            while filled < size {
                try pages.read(next, 1, into: base)
                let count = min(usableSize - 4, size - filled)
                (record + filled).copyMemory(from: base + 4, byteCount: count)
                filled += count
                next = Int(UInt32(bigEndian: base.loadUnaligned(as: UInt32.self)))
            }
        }
        (record + size).initializeMemory(as: UInt8.self, repeating: 0, count: Self.slack)
        let bytes = UnsafePointer(record.assumingMemoryBound(to: UInt8.self))
        try findFields(bytes, size)
        return bytes
    }
}
