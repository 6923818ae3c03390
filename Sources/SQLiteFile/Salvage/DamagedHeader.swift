/// The header of a damaged database, with substitutes for invalid values.
struct DamagedHeader {
    private(set) var pageSize: Int
    private(set) var usableSize: Int
    /// The number of pages in the header; nil if it is not valid.
    let recordedPages: Int?
    /// The first trunk page of the freelist; 0 if there is none.
    let firstFreePage: Int
    /// The number of free pages.
    let freePageCount: Int
    /// Whether there are pointer map pages.
    let hasPointerMap: Bool
    let encoding: DatabaseHeader.TextEncoding
    private(set) var findings: [String] = []

    /// The page sizes to try. Those of Folio and Core Data come first.
    private static let pageSizes = [4096, 1024, 2048, 8192, 16_384, 32_768, 65_536, 512]
    /// The number of pages to examine for finding out the page size.
    private static let sample = 64

    /// - Parameters:
    ///   - bytes: At least ``DatabaseHeader/size`` of them.
    ///   - known: The page size according to the WAL.
    ///   - length: The size of the file.
    ///   - read: Reads a page of the file by its number and size.
    init(_ bytes: [UInt8], pageSize known: Int?, length: Int64, read: (Int, Int) -> [UInt8]?) {
        let fields = DatabaseHeader(bytes), size = fields.pageSize, isValid = fields.hasValidPageSize
        if !fields.hasMagic { findings.append("does not begin as a database does") }
        let pages = fields.pageCount > 0 && fields.isConsistent ? fields.pageCount : nil
        recordedPages = pages
        firstFreePage = fields.firstFreelistPage
        freePageCount = fields.freelistCount
        hasPointerMap = fields.largestRootPage != 0
        encoding = fields.encoding ?? .utf8
        pageSize = known ?? (isValid ? size : 4096)
        if ![1, 2].contains(fields.writeVersion) { findings.append("asks for another format of files") }
        if !fields.hasValidFractions { findings.append("has wrong fractions") }
        if fields.schemaFormat > 4 { findings.append("asks for another format of schemas") }
        usableSize = pageSize
        if known == nil, !isValid || pages.map({ Int64($0) * Int64(size) != length }) ?? true {
            let scored = (isValid ? [size] : []) + Self.pageSizes
            let best = scored.map { (size: $0, score: Self.score($0, reserved: 0, length, read)) }.reduce(
                (size: pageSize, score: 0.0)
            ) { $1.score > $0.score ? $1 : $0 }
            pageSize = best.size
        }
        if !isValid || pageSize != size { findings.append("has no valid page size") }
        usableSize = pageSize
        let reserved = fields.reservedSize
        guard reserved > 0 else { return }
        if reserved <= 32,
            Self.score(pageSize, reserved: reserved, length, read) >= Self.score(pageSize, reserved: 0, length, read)
        {
            usableSize -= reserved
        } else {
            findings.append("reserves too much of its pages")
        }
    }

    /// The share of the first pages that are sound pages of a table.
    private static func score(_ size: Int, reserved: Int, _ length: Int64, _ read: (Int, Int) -> [UInt8]?) -> Double {
        let pages = Int(min(Int64(sample), length / Int64(size)))
        guard pages > 0, size - reserved >= DatabaseHeader.leastUsableSize else { return 0 }
        let sound = (1...pages).count { number in
            guard let bytes = read(number, size), let kind = TablePage.kind(of: bytes, number: number) else {
                return false
            }
            return TablePage(bytes, number: number, usableSize: size - reserved, as: kind).isSound
        }
        return Double(sound) / Double(pages)
    }
}
