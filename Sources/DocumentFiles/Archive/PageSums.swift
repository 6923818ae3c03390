package import ArchiveKit
internal import Coding
package import FileSystem
internal import SQLiteKit
internal import Synchronization

/// Settings for checking stores in archives.
package enum StoreCheck {
    /// Stores of up to this size in bytes are checked as a whole when they are opened, and have no
    /// page sums. Tests change it.
    @TaskLocal package static var largestWhole: Int64 = 64 << 20
}

/// Checksums of the pages of a store in an archive. Pages of a large store are checked when they
/// are read, so that the cost is proportional to the amount of data read.
///
/// The format of the entry `store/store.sums`, with all numbers in little-endian order: the eight
/// bytes `FolioSum`; the version (1) and the page size (4096), four bytes each; the length of the
/// store, eight bytes; the CRC-32 of the store and of the preceding 28 bytes, four bytes each; then
/// the CRC-32 of each page, four bytes each. The last page may be shorter. If the length or
/// checksum of the store differs from that of its zip entry, another program has replaced the
/// store, and the sums are ignored.
package final class PageSums: Sendable {
    package static let pageSize = 4096
    private static let magic = Array("FolioSum".utf8)
    private static let headerSize: Int64 = 32
    /// The number of sums that are read at once.
    private static let batch: Int64 = 1024

    private let file: File
    /// The offset of the first sum in the archive.
    private let offset: Int64
    private let count: Int64
    private let recent = Mutex<(first: Int64, sums: [UInt8])>((-1, []))

    // MARK: Writing

    /// The store as a part of an archive and, if it is large, its page sums.
    package static func storeParts(_ path: String) throws -> [ArchivePart] {
        let store = ArchivePart(name: PackageLayout.store, content: .file(path: path), isStored: true)
        guard try Disk.status(of: path)?.size ?? 0 > StoreCheck.largestWhole else { return [store] }
        return [store, ArchivePart(name: PackageLayout.storeSums, content: .bytes(try make(path)), isStored: true)]
    }

    private static func make(_ path: String) throws -> [UInt8] {
        let file = try File(path), size = try file.status().size
        var sums: [UInt8] = []
        sums.reserveCapacity(Int(size) / pageSize * 4 + 4)
        var whole = CRC32(), done: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * pageSize, alignment: 4096)
        defer { buffer.deallocate() }
        while case let count = try file.read(into: buffer, at: done), count > 0 {
            try WorkProgress.check()
            whole.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            for start in stride(from: 0, to: count, by: pageSize) {
                let page = UnsafeRawBufferPointer(rebasing: buffer[start..<min(start + pageSize, count)])
                sums.append(littleEndian: CRC32.checksum(page))
            }
            done += Int64(count)
        }
        var header = magic
        header.append(littleEndian: UInt32(1))
        header.append(littleEndian: UInt32(pageSize))
        header.append(littleEndian: done)
        header.append(littleEndian: whole.value)
        header.append(littleEndian: CRC32.checksum(header))
        return header + sums
    }

    // MARK: Reading

    /// The sums of the store in an archive; nil if it has none or they don't match the store.
    package init?(_ directory: ZipDirectory, in file: File) throws {
        guard let entry = directory[PackageLayout.storeSums], let store = directory[PackageLayout.store],
            entry.method == .stored, store.method == .stored,
            entry.size >= Self.headerSize
        else { return nil }
        let header = try Self.read(file, at: entry.dataOffset, count: Int(Self.headerSize))
        guard header.starts(with: Self.magic), header.littleEndian(at: 8) == UInt32(1),
            header.littleEndian(at: 12) == UInt32(Self.pageSize),
            header.littleEndian(at: 16) == store.size,
            header.littleEndian(at: 24) == store.crc32, header.littleEndian(at: 28) == CRC32.checksum(header[..<28])
        else { return nil }
        count = (store.size + Int64(Self.pageSize) - 1) / Int64(Self.pageSize)
        guard entry.size == Self.headerSize + 4 * count else { return nil }
        self.file = file
        offset = entry.dataOffset + Self.headerSize
    }

    private static func read(_ file: File, at offset: Int64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let done = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        guard done == count else {
            throw FileSystemError(.changed, operation: "read", path: file.path, detail: "it ends too early")
        }
        return bytes
    }

    /// Whether whole pages of the store, starting at offset `place`, match their sums.
    package func areSound(_ pages: UnsafeRawBufferPointer, at place: Int64) throws -> Bool {
        var page = place / Int64(Self.pageSize)
        for start in stride(from: 0, to: pages.count, by: Self.pageSize) {
            let bytes = UnsafeRawBufferPointer(rebasing: pages[start..<min(start + Self.pageSize, pages.count)])
            guard try sum(of: page) == CRC32.checksum(bytes) else { return false }
            page += 1
        }
        return true
    }

    private func sum(of page: Int64) throws -> UInt32? {
        guard page >= 0, page < count else { return nil }
        let first = page / Self.batch * Self.batch
        return try recent.withLock { recent in
            if recent.first != first {
                recent = (
                    first, try Self.read(file, at: offset + 4 * first, count: 4 * Int(min(Self.batch, count - first)))
                )
            }
            return recent.sums.littleEndian(at: 4 * Int(page - first))
        }
    }
}
