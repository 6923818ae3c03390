package import FileSystem
internal import Schema
internal import SQLiteFile
internal import Storage

/// The sum over the pages and the header of a database file. It is computed from the bytes of the
/// file, which are passed sequentially in pieces of any length.
package struct DatabaseSum {
    private var wholePages = StateSum()
    private var page = 0
    /// Nil until the header is complete.
    private var pageSize: Int?
    private var start: [UInt8] = []
    /// The bytes of an incomplete page.
    private var rest: [UInt8] = []

    package init() {}

    /// The sum of a file that no process has open. Reads the whole file.
    package init(of file: File) throws {
        try LargeValueReader(FileInput(file)).forEachRemainingPiece { take($0) }
    }

    package mutating func take(_ bytes: UnsafeRawBufferPointer) {
        if start.count < DatabaseHeader.size { start += bytes.prefix(DatabaseHeader.size - start.count) }
        let size = sizeOfPages()
        if rest.isEmpty, let size { return rest += takePages(bytes, size) }
        rest += bytes
        guard let size, rest.count >= size else { return }
        let all = rest
        rest = all.withUnsafeBytes { Array(takePages($0, size)) }
    }

    /// Processes whole pages, and returns the remaining bytes.
    private mutating func takePages(_ bytes: UnsafeRawBufferPointer, _ size: Int) -> Slice<UnsafeRawBufferPointer> {
        var offset = 0
        while bytes.count - offset >= size {
            wholePages.add(page, UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + size]))
            page += 1
            offset += size
        }
        return bytes[offset...]
    }

    private mutating func sizeOfPages() -> Int? {
        if pageSize == nil, start.count == DatabaseHeader.size {
            pageSize = max(DatabaseHeader.pageSizes.lowerBound, header.pageSize)
        }
        return pageSize
    }

    /// The sum over all bytes so far. The last page may be shorter than the others.
    package var sum: StateSum {
        var sum = wholePages
        if !rest.isEmpty { rest.withUnsafeBytes { sum.add(page, $0) } }
        return sum
    }

    var header: DatabaseHeader {
        DatabaseHeader(start + [UInt8](repeating: 0, count: DatabaseHeader.size - start.count))
    }
}
