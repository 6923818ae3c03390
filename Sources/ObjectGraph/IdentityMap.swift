/// Finds the object of a number: a paged direct index, since numbers are dense.
///
/// Invariants:
/// 1. An object is in its context's map as long as it lives and has a context; its deinit takes it out. So no reference here is to a dead object.
struct IdentityMap {
    private typealias Page = ContiguousArray<Unmanaged<ManagedObject>?>

    private static let pageBits: Int64 = 10
    private static let pageSize = 1 << pageBits
    /// Pages beyond this one are found by a hash: a foreign store may have any numbers.
    private static let directPages: Int64 = 1 << 18

    private var pages: ContiguousArray<Page> = []
    private var farPages: [Int64: Page] = [:]
    private(set) var count = 0

    /// Keys are not negative.
    @inline(__always)
    func object(_ key: Int64) -> ManagedObject? {
        let page = key >> Self.pageBits
        if page < pages.count {
            let objects = pages[Int(page)]
            return objects.isEmpty ? nil : objects[Int(key) & (Self.pageSize - 1)]?.takeUnretainedValue()
        }
        if farPages.isEmpty { return nil }
        return farPages[page]?[Int(key) & (Self.pageSize - 1)]?.takeUnretainedValue()
    }

    mutating func insert(_ object: ManagedObject, _ key: Int64) {
        set(Unmanaged.passUnretained(object), key)
        count += 1
    }

    mutating func remove(_ key: Int64) {
        set(nil, key)
        count -= 1
    }

    private mutating func set(_ reference: Unmanaged<ManagedObject>?, _ key: Int64) {
        let page = key >> Self.pageBits
        let place = Int(key) & (Self.pageSize - 1)
        guard page < Self.directPages else {
            farPages[page, default: Page(repeating: nil, count: Self.pageSize)][place] = reference
            return
        }
        while pages.count <= page { pages.append([]) }
        if pages[Int(page)].isEmpty { pages[Int(page)] = Page(repeating: nil, count: Self.pageSize) }
        pages[Int(page)][place] = reference
    }

    /// All objects, each held.
    var objects: ContiguousArray<ManagedObject> {
        var objects: ContiguousArray<ManagedObject> = []
        objects.reserveCapacity(count)
        for page in pages { for case let reference? in page { objects.append(reference.takeUnretainedValue()) } }
        for page in farPages.values { for case let reference? in page { objects.append(reference.takeUnretainedValue()) } }
        return objects
    }

    mutating func removeAll() {
        pages = []
        farPages = [:]
        count = 0
    }
}
