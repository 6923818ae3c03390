package import ArchiveKit
internal import Coding
package import FileSystem
internal import SQLiteKit
internal import Synchronization

/// How stores in archives are held against what was packed.
package enum StoreCheck {
    /// Stores of up to so many bytes are checked as a whole when they are opened, and have no sums.
    /// To be changed by tests.
    @TaskLocal package static var largestWhole: Int64 = 64 << 20
}

/// Sums of the pages of a store in an archive: what is read of a large store is held against them
/// page by page, so that a check costs in proportion to what is read.
///
/// The entry `store/store.sums`, all numbers little-endian: eight bytes `FolioSum`; version, 1, and
/// size of a page, 4096, four bytes each; length of the store, eight bytes; CRC-32 of the store and
/// of these 28 bytes, four bytes each; then the CRC-32 of each page, four bytes each, the last page
/// as long as it is. Where the store's length or checksum is not that of the entry, another program
/// has replaced the store, and the sums mean nothing.
package final class PageSums: Sendable {
    package static let pageSize = 4096
    private static let magic = Array("FolioSum".utf8)
    private static let headerSize: Int64 = 32
    /// So many sums are read at a time.
    private static let batch: Int64 = 1024

    private let file: File
    /// Where the sums begin in the archive.
    private let offset: Int64
    private let count: Int64
    private let recent = Mutex<(first: Int64, sums: [UInt8])>((-1, []))

    // MARK: Writing

    /// The store as a part of an archive, with its sums where it is large.
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

    /// The sums of an archive's store; nil where it has none that are its own.
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

    /// Whether whole pages of the store, which begin at `place`, are what was packed.
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
