/// What the first hundred bytes of a damaged database say, and what has to be taken instead where
/// that can't be.
struct DamagedHeader {
    private(set) var pageSize: Int
    private(set) var usableSize: Int
    /// The pages of the database by its header; nil where the header does not know.
    let recordedPages: Int?
    /// The first page of the list of free pages; 0 for none.
    let firstFreePage: Int
    /// How many free pages there are.
    let freePageCount: Int
    /// Whether there are pages that say what the others are.
    let hasPointerMap: Bool
    let encoding: Int
    private(set) var findings: [String] = []

    static let size = 100
    private static let magic = Array("SQLite format 3\u{0}".utf8)
    /// Those of Folio and Core Data first.
    private static let pageSizes = [4096, 1024, 2048, 8192, 16_384, 32_768, 65_536, 512]
    /// So many pages are looked at to tell one size from another.
    private static let sample = 64

    /// - Parameters:
    ///   - bytes: At least ``size`` of them.
    ///   - known: The size of the pages by the WAL.
    ///   - length: That of the file.
    ///   - read: Reads a page of the file by its number and size.
    init(_ bytes: [UInt8], pageSize known: Int?, length: Int64, read: (Int, Int) -> [UInt8]?) {
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        if !bytes.starts(with: Self.magic) { findings.append("does not begin as a database does") }
        let field = Int(bytes[16]) << 8 | Int(bytes[17]), size = field == 1 ? 65_536 : field
        let isValid = Self.pageSizes.contains(size)
        let pages = number(28) > 0 && bytes[24..<28].elementsEqual(bytes[92..<96]) ? number(28) : nil
        recordedPages = pages
        firstFreePage = number(32)
        freePageCount = number(36)
        hasPointerMap = number(52) != 0
        encoding = number(56)
        pageSize = known ?? (isValid ? size : 4096)
        if bytes[18] > 2 || bytes[18] == 0 { findings.append("asks for another format of files") }
        if !(bytes[21] == 64 && bytes[22] == 32 && bytes[23] == 32) { findings.append("has wrong fractions") }
        if number(44) > 4 { findings.append("asks for another format of schemas") }
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
        let reserved = Int(bytes[20])
        guard reserved > 0 else { return }
        if reserved <= 32,
            Self.score(pageSize, reserved: reserved, length, read) >= Self.score(pageSize, reserved: 0, length, read)
        {
            usableSize -= reserved
        } else {
            findings.append("reserves too much of its pages")
        }
    }

    /// How many of the first pages are those of tables, whole by what they say.
    private static func score(_ size: Int, reserved: Int, _ length: Int64, _ read: (Int, Int) -> [UInt8]?) -> Double {
        let pages = Int(min(Int64(sample), length / Int64(size)))
        guard pages > 0, size - reserved >= 480 else { return 0 }
        let sound = (1...pages).count { number in
            guard let bytes = read(number, size), let kind = DamagedTablePage.kind(of: bytes, number: number) else {
                return false
            }
            return DamagedTablePage(bytes, number: number, usableSize: size - reserved, as: kind).isSound
        }
        return Double(sound) / Double(pages)
    }
}
