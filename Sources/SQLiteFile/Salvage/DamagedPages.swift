internal import FileSystem

/// The pages of a damaged database that no connection has open. Pages in its WAL replace those in
/// the file.
final class DamagedPages {
    let header: DamagedHeader
    /// The greatest available page number.
    let count: Int
    private(set) var findings: [String]
    private let file: PlainFile
    private let journal: PlainFile?
    /// The offset of the last image of each page in the WAL.
    private var places: [Int: Int64] = [:]

    /// - Throws: `FileSystemError`.
    init(_ path: String) throws {
        let file = PlainFile(try File(path, .read))
        self.file = file
        let length = try file.size()
        var findings: [String] = []
        let journal = try Disk.status(of: path + "-wal").flatMap {
            $0.size > 0 ? PlainFile(try File(path + "-wal", .read)) : nil
        }
        let log = try journal.flatMap { try Self.log($0, &findings) }
        self.journal = journal
        if let log {
            // Every page that is missing in the file is in the WAL, except the page with the
            // locking bytes.
            let most = length / Int64(log.pageSize) + Int64(log.pages.count) + 1
            for (frame, page) in log.pages.enumerated() where Int64(page) <= most {
                places[Int(page)] = WALFrameHeader.pageOffset(ofFrame: frame, pageSize: log.pageSize)
            }
        }
        var start = file.readable(at: 0, count: DatabaseHeader.size)
        if let place = places[1], let journal { start = journal.readable(at: place, count: DatabaseHeader.size) }
        let isCut = start.count < DatabaseHeader.size
        start += [UInt8](repeating: 0, count: DatabaseHeader.size - start.count)
        header = DamagedHeader(start, pageSize: log?.pageSize, length: length) { number, size in
            let bytes = file.readable(at: Int64(number - 1) * Int64(size), count: size)
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

    /// A page; nil if it is incomplete or can't be read.
    func read(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        let bytes =
            if let journal, let place = places[number] {
                journal.readable(at: place, count: header.pageSize)
            } else {
                file.readable(at: Int64(number - 1) * Int64(header.pageSize), count: header.pageSize)
            }
        return bytes.count == header.pageSize ? bytes : nil
    }

    // MARK: The WAL

    private static func log(_ file: PlainFile, _ findings: inout [String]) throws -> WriteAheadLog? {
        let log = try WriteAheadLog(file)
        let bytes = file.readable(at: 0, count: WALHeader.size)
        guard bytes.count == WALHeader.size, bytes.contains(where: { $0 != 0 }) else { return log }
        let header = bytes.withUnsafeBytes { WALHeader($0) }
        let pageSize = log?.pageSize ?? Int(header.pageSize)
        guard DatabaseHeader.pageSizes.contains(pageSize) else {
            findings.append("has a journal that can't be used: what is in it is lost")
            return log
        }
        let lost = commits(after: log?.end.frames ?? 0, file, try file.size(), pageSize, header)
        if lost > 0 {
            findings.append(
                log == nil
                    ? "has a journal that can't be used: what is in it is lost"
                    : "has a damaged journal: \(lost) commits in it are lost")
        }
        return log
    }

    /// The number of commits after the valid frames that belong to the same run of the WAL; the
    /// frames in between are damaged. An older run has other salts, and a rolled-back transaction
    /// has no commit frame.
    private static func commits(
        after first: Int, _ file: PlainFile, _ size: Int64, _ pageSize: Int, _ header: WALHeader
    ) -> Int {
        var count = 0, index = first
        while case let offset = WALFrameHeader.offset(ofFrame: index, pageSize: pageSize),
            offset + Int64(WALFrameHeader.size) <= size
        {
            let bytes = file.readable(at: offset, count: WALFrameHeader.size)
            if bytes.count == WALFrameHeader.size, case let frame = bytes.withUnsafeBytes({ WALFrameHeader($0) }),
                frame.commitSize != 0, frame.isOfRun(header)
            {
                count += 1
            }
            index += 1
        }
        return count
    }
}
