import FileSystem

/// The first hundred bytes of a database: what has to be right there before SQLite looks any further.
enum StoreHeader {
    private static let magic = Array("SQLite format 3\u{0}".utf8)
    static let size = 100
    /// A header may ask for anything.
    private static let mostFilled: Int64 = 1 << 40

    /// Puts the header of a copy right, so that what is left of the pages can be read.
    /// - Returns: what was wrong.
    static func mend(_ path: String) throws -> [String] {
        let file = try File(path, .readWrite)
        defer { file.close() }
        var header = [UInt8](repeating: 0, count: size)
        let count = try header.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        guard count == size else { return ["is cut off in its header"] }
        let before = header
        var findings: [String] = []
        func put(_ bytes: [UInt8], at offset: Int, _ finding: String?) {
            guard !header[offset..<offset + bytes.count].elementsEqual(bytes) else { return }
            header.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            if let finding { findings.append(finding) }
        }
        put(magic, at: 0, "does not begin as a database does")
        let field = Int(header[16]) << 8 | Int(header[17])
        var pageSize = field == 1 ? 65_536 : field
        if pageSize < 512 || pageSize > 65_536 || pageSize.nonzeroBitCount != 1 {
            // What Folio and Core Data write.
            pageSize = 4096
            put([0x10, 0], at: 16, "has no valid page size")
        }
        if header[18] > 2 || header[18] == 0 { put([1], at: 18, "asks for another format of files") }
        if header[19] > 2 || header[19] == 0 { put([1], at: 19, nil) }
        if header[20] > 32 { put([0], at: 20, "reserves too much of its pages") }
        put([64, 32, 32], at: 21, "has wrong fractions")
        if header[44..<48].elementsEqual([0, 0, 0, 0]) == false, header[44] != 0 || header[45] != 0 || header[46] != 0 || header[47] > 4 {
            put([0, 0, 0, 4], at: 44, "asks for another format of schemas")
        }
        let pages = (try file.status().size + Int64(pageSize) - 1) / Int64(pageSize)
        let number = UInt32(clamping: pages)
        let recorded = header[28..<32].reduce(0) { $0 << 8 | UInt32($1) }
        let isValid = header[24..<28].elementsEqual(header[92..<96])
        if isValid, recorded > number { findings.append("is cut off: \(number) of \(recorded) pages are left") }
        // SQLite opens no database that lacks the first page of any table or index: what is cut off is there as pages of zeros, which take no room and read as damaged.
        var wanted = recorded > number && Int64(recorded) * Int64(pageSize) <= mostFilled ? Int64(recorded) : pages
        // Not every file system takes so large a file; then it is read as far as SQLite goes along.
        if wanted > pages, (try? file.truncate(to: wanted * Int64(pageSize))) == nil { wanted = pages }
        if recorded != UInt32(clamping: wanted), isValid {
            header.replaceSubrange(28..<32, with: withUnsafeBytes(of: number.bigEndian) { Array($0) })
        }
        // Only readers go on from here: the list of free pages is of no use to them, and may be what is broken.
        header.replaceSubrange(32..<40, with: [UInt8](repeating: 0, count: 8))
        if header != before { try header.withUnsafeBytes { try file.write($0, at: 0) } }
        if try file.status().size != wanted * Int64(pageSize) { try file.truncate(to: wanted * Int64(pageSize)) }
        return findings
    }
}
