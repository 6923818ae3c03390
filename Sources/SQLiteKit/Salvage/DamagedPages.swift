internal import FileSystem

/// The pages of a damaged database that nobody has open, those of its WAL in place of those of the
/// file.
final class DamagedPages {
    let header: DamagedHeader
    /// The greatest number of a page that is there.
    let count: Int
    private(set) var findings: [String]
    private let file: File
    private let journal: File?
    /// Where the last image of a page stands in the WAL.
    private var places: [Int: Int64] = [:]

    /// - Throws: `FileSystemError`.
    init(_ path: String) throws {
        file = try File(path, .read)
        let length = try file.status().size
        var findings: [String] = []
        let journal = try Disk.status(of: path + "-wal").flatMap { $0.size > 0 ? try File(path + "-wal", .read) : nil }
        let log = try journal.flatMap { try Self.log($0, &findings) }
        self.journal = journal
        if let log {
            // Every page that the file has not is in the WAL, but for the one that holds locks.
            let most = length / Int64(log.pageSize) + Int64(log.pages.count) + 1
            for (frame, page) in log.pages.enumerated() where Int64(page) <= most {
                places[Int(page)] =
                    WriteAheadLog.offset(ofFrame: frame, pageSize: log.pageSize) + Int64(WriteAheadLog.frameHeaderSize)
            }
        }
        let file = file
        var start = Self.read(file, at: 0, count: DamagedHeader.size)
        if let place = places[1], let journal { start = Self.read(journal, at: place, count: DamagedHeader.size) }
        let isCut = start.count < DamagedHeader.size
        start += [UInt8](repeating: 0, count: DamagedHeader.size - start.count)
        header = DamagedHeader(start, pageSize: log?.pageSize, length: length) { number, size in
            let bytes = Self.read(file, at: Int64(number - 1) * Int64(size), count: size)
            return bytes.count == size ? bytes : nil
        }
        findings += isCut ? ["is cut off in its header"] : header.findings
        let inFile = Int(length / Int64(header.pageSize))
        count = max(inFile, places.keys.max() ?? 0)
        let recorded = log?.commitSizes.last { $0 > 0 }.map { Int($0) } ?? header.recordedPages
        if let recorded, recorded > inFile + places.keys.count(where: { $0 > inFile }) {
            findings.append("is cut off: \(inFile) of \(recorded) pages are left")
        }
        self.findings = findings
    }

    /// A page; nil where it is not there whole, or can't be read.
    func read(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        let bytes =
            if let journal, let place = places[number] { Self.read(journal, at: place, count: header.pageSize) } else {
                Self.read(file, at: Int64(number - 1) * Int64(header.pageSize), count: header.pageSize)
            }
        return bytes.count == header.pageSize ? bytes : nil
    }

    /// As much as can be read.
    private static func read(_ file: File, at offset: Int64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)) ?? 0
        }
    }

    // MARK: The WAL

    private static func log(_ file: File, _ findings: inout [String]) throws -> WriteAheadLog? {
        let size = try file.status().size
        let log = try WriteAheadLog(size: size) { buffer, offset in
            let count = try file.read(into: buffer, at: offset)
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
        }
        let header = read(file, at: 0, count: WriteAheadLog.headerSize)
        guard header.count == WriteAheadLog.headerSize, header.contains(where: { $0 != 0 }) else { return log }
        let pageSize = log?.pageSize ?? header[8..<12].reduce(0) { $0 << 8 | Int($1) }
        guard pageSize >= 512, pageSize <= 65_536 else {
            findings.append("has a journal that can't be used: what is in it is lost")
            return log
        }
        let lost = commits(after: log?.end.frames ?? 0, file, size, pageSize, salts: header[16..<24])
        if lost > 0 {
            findings.append(
                log == nil
                    ? "has a journal that can't be used: what is in it is lost"
                    : "has a damaged journal: \(lost) commits in it are lost")
        }
        return log
    }

    /// How many frames behind those that count end commits of the same run of the WAL: what stands
    /// between is damaged. An older run has other salts, and what a transaction wrote that was
    /// rolled back ends none.
    private static func commits(
        after first: Int, _ file: File, _ size: Int64, _ pageSize: Int, salts: ArraySlice<UInt8>
    ) -> Int {
        var count = 0, frame = first
        while case let offset = WriteAheadLog.offset(ofFrame: frame, pageSize: pageSize),
            offset + Int64(WriteAheadLog.frameHeaderSize) <= size
        {
            let bytes = read(file, at: offset, count: WriteAheadLog.frameHeaderSize)
            if bytes.count == WriteAheadLog.frameHeaderSize, bytes[4..<8].contains(where: { $0 != 0 }),
                bytes[8..<16].elementsEqual(salts)
            {
                count += 1
            }
            frame += 1
        }
        return count
    }
}
