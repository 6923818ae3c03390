/// Maps object numbers to references. Its pages are addressed directly, because the numbers are
/// dense.
///
/// Costs 8 bytes for each number of a page that is in use, two loads to read and a load and a store
/// to write.
///
/// Invariants:
/// 1. `directory` has `directoryCount` entries, each nil or a page of `pageSize` initialized
///    entries that the index owns.
/// 2. A page exists from the first number that is set in it until the index is emptied.
/// 3. Pages from `directPages` are found by a hash instead, because a foreign file may have
///    arbitrary numbers.
public final class PagedIndex {
    @usableFromInline typealias Page = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    @usableFromInline static var pageBits: Int64 { 10 }
    @usableFromInline static var pageSize: Int { 1 << 10 }
    @usableFromInline static var directPages: Int64 { 1 << 18 }

    // No accessor calls other code during an access to these: run-time exclusivity checks are
    // unnecessary.
    @exclusivity(unchecked) @usableFromInline var directory: UnsafeMutablePointer<Page?>
    @exclusivity(unchecked) @usableFromInline var directoryCount: Int
    private var farPages: [Int64: Page] = [:]

    public init() {
        directory = .allocate(capacity: 1)
        directory.initialize(to: nil)
        directoryCount = 1
    }

    /// The reference of a nonnegative number.
    @inlinable public subscript(key: Int64) -> UnsafeMutableRawPointer? {
        @inline(__always) get {
            let page = key >> Self.pageBits
            // As an unsigned value, a negative number is beyond every page.
            guard UInt64(bitPattern: page) < UInt64(directoryCount) else { return farReference(key) }
            return directory[Int(page)]?[Int(key) & (Self.pageSize - 1)]
        }
        @inline(__always) set {
            let number = key >> Self.pageBits
            if UInt64(bitPattern: number) < UInt64(directoryCount), let page = directory[Int(number)] {
                page[Int(key) & (Self.pageSize - 1)] = newValue
            } else {
                addPage(key)[Int(key) & (Self.pageSize - 1)] = newValue
            }
        }
    }

    /// Caches the page of the last number, because consecutive numbers are usually on the same
    /// page. Use it only in a loop in which the index is not emptied.
    public struct LastPage {
        @usableFromInline var number: Int64 = -1
        @usableFromInline var page: Page?

        @inlinable public init() {}

        @usableFromInline init(number: Int64, page: Page?) {
            self.number = number
            self.page = page
        }
    }

    /// The location of a number's reference; nil if it has no page. Valid until the index is
    /// emptied.
    @inlinable @inline(__always) public func place(_ key: Int64, _ last: inout LastPage) -> UnsafeMutablePointer<
        UnsafeMutableRawPointer?
    >? {
        let number = key >> Self.pageBits
        if number != last.number { last = LastPage(number: number, page: page(number)) }
        return last.page.map { $0 + (Int(key) & (Self.pageSize - 1)) }
    }

    /// The location of a number's reference. Its page is created if it is missing.
    @inlinable @inline(__always) public func allocatedPosition(_ key: Int64, _ last: inout LastPage)
        -> UnsafeMutablePointer<
            UnsafeMutableRawPointer?
        >
    {
        let number = key >> Self.pageBits
        if number == last.number, let page = last.page { return page + (Int(key) & (Self.pageSize - 1)) }
        let page = addPage(key)
        last = LastPage(number: number, page: page)
        return page + (Int(key) & (Self.pageSize - 1))
    }

    /// Calls `body` with the locations of consecutive numbers, page by page, until it returns
    /// false. Missing pages are created or skipped.
    @inlinable @inline(__always) public func forEachPiece(
        of keys: Range<Int64>, makesPages: Bool,
        _ body: (_ places: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>, _ offset: Int) -> Bool
    ) {
        var key = keys.lowerBound
        while key < keys.upperBound {
            let place = Int(key) & (Self.pageSize - 1)
            let count = min(Int(keys.upperBound - key), Self.pageSize - place)
            if let page = makesPages ? addPage(key) : page(key >> Self.pageBits) {
                guard body(UnsafeMutableBufferPointer(start: page + place, count: count), Int(key - keys.lowerBound))
                else { return }
            }
            key += Int64(count)
        }
    }

    @usableFromInline func page(_ number: Int64) -> Page? {
        UInt64(bitPattern: number) < UInt64(directoryCount) ? directory[Int(number)] : farPages[number]
    }

    @usableFromInline func farReference(_ key: Int64) -> UnsafeMutableRawPointer? {
        farPages.isEmpty ? nil : farPages[key >> Self.pageBits]?[Int(key) & (Self.pageSize - 1)]
    }

    /// The page of a number, created if it is missing.
    @usableFromInline func addPage(_ key: Int64) -> Page {
        precondition(key >= 0, "Numbers are not negative")
        let number = key >> Self.pageBits
        if number >= Self.directPages {
            if let page = farPages[number] { return page }
            let page = Self.makePage()
            farPages[number] = page
            return page
        }
        if number >= directoryCount { growDirectory(to: Int(number) + 1) }
        if let page = directory[Int(number)] { return page }
        let page = Self.makePage()
        directory[Int(number)] = page
        return page
    }

    private static func makePage() -> Page {
        let page = Page.allocate(capacity: pageSize)
        page.initialize(repeating: nil, count: pageSize)
        return page
    }

    private func growDirectory(to count: Int) {
        let capacity = max(count, directoryCount * 2)
        let grown = UnsafeMutablePointer<Page?>.allocate(capacity: capacity)
        grown.moveInitialize(from: directory, count: directoryCount)
        (grown + directoryCount).initialize(repeating: nil, count: capacity - directoryCount)
        directory.deallocate()
        directory = grown
        directoryCount = capacity
    }

    /// Calls `body` with every reference. The cost depends on the number of pages.
    public func forEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        func visit(_ page: Page) {
            for place in 0..<Self.pageSize { if let reference = page[place] { body(reference) } }
        }
        for number in 0..<directoryCount { if let page = directory[number] { visit(page) } }
        for page in farPages.values { visit(page) }
    }

    /// The number of entries in all pages.
    package var capacity: Int { ((0..<directoryCount).count { directory[$0] != nil } + farPages.count) * Self.pageSize }

    public func removeAll() {
        for number in 0..<directoryCount {
            directory[number]?.deallocate()
            directory[number] = nil
        }
        for page in farPages.values { page.deallocate() }
        farPages = [:]
    }

    deinit {
        removeAll()
        directory.deallocate()
    }
}
