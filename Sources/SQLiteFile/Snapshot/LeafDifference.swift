/// The leaf pages of a table whose rows can differ between two states of a database: rows of other
/// leaves are the same in both, byte by byte, with what they have in overflow pages.
///
/// Invariant: a leaf is left out only if both states have it as a leaf of the table, with the same
/// bytes, and with the same bytes in all overflow pages of its records.
package struct LeafDifference {
    package let old: TableLeaves
    package let new: TableLeaves
    /// The number of leaves that the table has.
    package let total: Int
    /// The number of those that differ.
    package var count: Int { max(old.pages.count, new.pages.count) }

    /// Pages that are read together.
    private static let pagesAtOnce = 64
    /// Reading a variable-length integer at the end of a page may read beyond it.
    private static let slack = 64

    /// - Parameters:
    ///   - old: All leaves in the old state.
    ///   - new: All leaves in the new state.
    /// - Throws: ``UnsuitedForScan``; errors of reading the pages.
    package init(_ before: DatabaseState, _ old: TableLeaves, _ after: DatabaseState, _ new: TableLeaves) throws {
        guard before.pageSize == after.pageSize, old.usableSize == new.usableSize else { throw UnsuitedForScan() }
        total = max(old.pages.count, new.pages.count)
        let size = before.pageSize, oldPages = old.pages.sorted(), newPages = new.pages.sorted()
        var left: ContiguousArray<UInt32> = [], right: ContiguousArray<UInt32> = []
        var shared: ContiguousArray<UInt32> = []
        var place = (old: 0, new: 0)
        while place.old < oldPages.count || place.new < newPages.count {
            let a = place.old < oldPages.count ? oldPages[place.old] : .max
            let b = place.new < newPages.count ? newPages[place.new] : .max
            if a == b { shared.append(a) } else if a < b { left.append(a) } else { right.append(b) }
            if a <= b { place.old += 1 }
            if b <= a { place.new += 1 }
        }
        let blockSize = Self.pagesAtOnce * size
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * (blockSize + Self.slack), alignment: 8)
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        defer { buffer.deallocate() }
        let one = UnsafeMutableRawBufferPointer(rebasing: buffer[..<blockSize]),
            other = UnsafeMutableRawBufferPointer(rebasing: buffer[(blockSize + Self.slack)...].prefix(blockSize))
        let overflow = Overflow(before: before, after: after, usableSize: old.usableSize)
        var next = 0
        while next < shared.count {
            let first = Int(shared[next])
            var end = next + 1
            while end < shared.count, end - next < Self.pagesAtOnce, Int(shared[end]) == first + end - next { end += 1 }
            try TableLeaves.read(before, first, end - next, into: one)
            try TableLeaves.read(after, first, end - next, into: other)
            for page in next..<end {
                let start = (page - next) * size
                guard let a = one.baseAddress?.advanced(by: start), let b = other.baseAddress?.advanced(by: start)
                else { throw UnsuitedForScan() }
                if Self.isSame(a, b, size),
                    try overflow.isSame(ofLeaf: UnsafePointer(a.assumingMemoryBound(to: UInt8.self)))
                {
                    continue
                }
                left.append(shared[page])
                right.append(shared[page])
            }
            next = end
        }
        self.old = TableLeaves(ContiguousArray(left.sorted()), usableSize: old.usableSize)
        self.new = TableLeaves(ContiguousArray(right.sorted()), usableSize: new.usableSize)
    }

    /// Compares pages word by word.
    private static func isSame(_ one: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer, _ size: Int) -> Bool {
        for offset in stride(from: 0, to: size, by: MemoryLayout<UInt64>.size)
        where one.load(fromByteOffset: offset, as: UInt64.self) != other.load(fromByteOffset: offset, as: UInt64.self) {
            return false
        }
        return true
    }

    /// The overflow pages of records that both states have in equal leaves.
    private struct Overflow {
        let before: DatabaseState
        let after: DatabaseState
        let usableSize: Int

        func isSame(ofLeaf page: UnsafePointer<UInt8>) throws -> Bool {
            let count = Int(page[BTreePage.cellCount]) << 8 | Int(page[BTreePage.cellCount + 1])
            guard page[0] == BTreePage.Kind.leafTable.rawValue, BTreePage.leafHeaderSize + 2 * count <= usableSize
            else { throw UnsuitedForScan() }
            let most = UInt64(BTreePage.mostInPage(usableSize: usableSize))
            for row in 0..<count {
                let pointer = BTreePage.leafHeaderSize + 2 * row
                var place = Int(page[pointer]) << 8 | Int(page[pointer + 1])
                guard place >= BTreePage.leafHeaderSize, place + BTreePage.leastCellSize <= usableSize else {
                    throw UnsuitedForScan()
                }
                let size = Varint.read(page, &place)
                guard size > most else { continue }
                _ = Varint.read(page, &place)
                guard size <= UInt64(before.pageCount) * UInt64(before.pageSize) else { throw UnsuitedForScan() }
                let local = BTreePage.localSize(Int(size), usableSize: usableSize)
                guard place + local + BTreePage.pageNumberSize <= usableSize else { throw UnsuitedForScan() }
                let next = UnsafeRawPointer(page + place + local).loadUnaligned(as: UInt32.self).bigEndian
                guard try isSame(from: Int(next), count: Int(size) - local) else { return false }
            }
            return true
        }

        /// Whether a chain of overflow pages with so many bytes is the same in both states.
        private func isSame(from first: Int, count: Int) throws -> Bool {
            let size = before.pageSize
            return try withUnsafeTemporaryAllocation(byteCount: 2 * size, alignment: 8) { buffer in
                let one = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]),
                    other = UnsafeMutableRawBufferPointer(rebasing: buffer[size...])
                var next = first, left = count
                while left > 0 {
                    try TableLeaves.read(before, next, 1, into: one)
                    guard next <= after.pageCount else { return false }
                    try TableLeaves.read(after, next, 1, into: other)
                    guard let a = one.baseAddress, let b = other.baseAddress, LeafDifference.isSame(a, b, size) else {
                        return false
                    }
                    next = Int(one.loadUnaligned(as: UInt32.self).bigEndian)
                    left -= usableSize - BTreePage.pageNumberSize
                }
                return true
            }
        }
    }
}
