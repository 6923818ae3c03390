import RowMemory

/// The members of a to-many relationship that are rows so far. An object is made when somebody looks at its row, and the row stands for it again when it goes: whoever walks
/// through many members needs one object at a time.
///
/// That is so for objects of no class of the application's: they are what their rows are, and nothing is lost with them. Others are held by the list.
///
/// Invariants:
/// 1. The rows are in the order of their keys, each in its context's identity map from the making on, until it is found to be out of date.
/// 2. Where the map has something else for a key, that counts: an object, or nothing, which means that the row is out of date.
@usableFromInline
final class MemberRows {
    /// Rows that follow one another in a slab.
    struct Run {
        let slab: RowSlab
        let first: Int
        let count: Int
        /// How many rows there are before.
        let start: Int
    }

    let runs: ContiguousArray<Run>
    let count: Int
    private let identities: IdentityMap
    private let life: ContextLife
    private let entityIndex: Int

    /// Nil where some row's key has an object, or stands in another list.
    init?(_ runs: ContiguousArray<Run>, entityIndex: Int, _ identities: IdentityMap, _ life: ContextLife) {
        self.runs = runs
        self.identities = identities
        self.life = life
        self.entityIndex = entityIndex
        count = runs.last.map { $0.start + $0.count } ?? 0
        for (number, run) in runs.enumerated() {
            identities.listedSlabs.insert(run.slab)
            for place in run.first..<(run.first + run.count) where !identities.list(run.slab.cells(at: place)) {
                for earlier in runs[...number] {
                    let end = earlier.start == run.start ? place : earlier.first + earlier.count
                    for place in earlier.first..<end { identities.unlist(earlier.slab.cells(at: place)) }
                    identities.listedSlabs.remove(earlier.slab)
                }
                isAbandoned = true
                return nil
            }
        }
    }

    private var isAbandoned = false
    /// The objects whose rows were out of date.
    private var held: ContiguousArray<ManagedObject> = []

    deinit {
        guard !isAbandoned else { return }
        for run in runs {
            for place in run.first..<(run.first + run.count) { identities.unlist(run.slab.cells(at: place)) }
            identities.listedSlabs.remove(run.slab)
        }
    }

    private var context: ManagedObjectContext {
        guard let context = life.context?.takeUnretainedValue() else {
            preconditionFailure("The context of these objects is gone: keep it as long as you use its objects")
        }
        return context
    }

    func object(at position: Int) -> ManagedObject {
        precondition(position >= 0 && position < count, "There is no member \(position) among \(count)")
        var low = 0, high = runs.count - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if runs[middle].start <= position { low = middle } else { high = middle - 1 }
        }
        let run = runs[low]
        return object(run.slab, run.slab.cells(at: run.first + position - run.start))
    }

    func object(_ slab: RowSlab, _ cells: RowCells) -> ManagedObject {
        if let object = identities.object(cells.key) { return object }
        let context = self.context
        guard identities.lists(cells) else {
            readAgain(context)
            return context.object(ObjectReference(key: cells.key, entityIndex: entityIndex))
        }
        return context.makeListed(slab, cells)
    }

    /// Reads the rows that are out of date, in one trip. Their objects are held from here on.
    private func readAgain(_ context: ManagedObjectContext) {
        for run in runs {
            for place in run.first..<(run.first + run.count) {
                let cells = run.slab.cells(at: place)
                if !identities.lists(cells), identities.object(cells.key) == nil {
                    held.append(context.object(ObjectReference(key: cells.key, entityIndex: entityIndex)))
                }
            }
        }
        do { try context.fetchRows(of: held) } catch { if context.loadError == nil { context.loadError = error } }
    }

    var objects: ContiguousArray<ManagedObject> {
        var objects: ContiguousArray<ManagedObject> = []
        objects.reserveCapacity(count)
        for run in runs {
            for place in run.first..<(run.first + run.count) { objects.append(object(run.slab, run.slab.cells(at: place))) }
        }
        return objects
    }

    /// The object of a row, if need be `last` turned to it, which then nobody else has.
    @inline(__always)
    fileprivate func object(_ slab: RowSlab, _ cells: RowCells, reusing last: inout ManagedObject?) -> ManagedObject {
        if identities.lists(cells), isKnownUniquelyReferenced(&last), let object = last, object.isOnlyListed, context.registrars == nil {
            object.releaseMembers()
            identities.move(object, to: slab, cells)
            object.state = .fault
            return object
        }
        let object = object(slab, cells)
        last = object
        return object
    }
}

/// Walks through rows.
@usableFromInline
struct MemberCursor {
    private let rows: MemberRows
    private var run = 0
    // Not counted: the rows hold it.
    private var slab: Unmanaged<RowSlab>?
    private var place: Int
    private var left: Int
    /// What was given last. If its receiver let go of it, it serves for the next row too.
    private var last: ManagedObject?

    init(_ rows: MemberRows) {
        self.rows = rows
        slab = rows.runs.first.map { .passUnretained($0.slab) }
        place = rows.runs.first?.first ?? 0
        left = rows.runs.first?.count ?? 0
    }

    @usableFromInline
    mutating func next() -> ManagedObject? {
        while left == 0 {
            run += 1
            guard run < rows.runs.count else { return nil }
            slab = .passUnretained(rows.runs[run].slab)
            (place, left) = (rows.runs[run].first, rows.runs[run].count)
        }
        let place = self.place
        self.place += 1
        left -= 1
        return slab?._withUnsafeGuaranteedRef { slab in rows.object(slab, slab.cells(at: place), reusing: &last) }
    }
}

extension ManagedObject {
    /// Whether the object is nothing but its row: without changes, and nobody refers to it weakly.
    fileprivate final var isOnlyListed: Bool {
        isListed && recordIndex < 0 && state.isSubset(of: .fault) && contextReference != nil && _getUnownedRetainCount(self) == 1 && _getWeakRetainCount(self) == 1
    }
}

/// Tells those who outlive a context that it is gone.
final class ContextLife {
    /// Not counted; cleared by the context's deinit.
    var context: Unmanaged<ManagedObjectContext>?
}

/// The slabs of rows that lists hold, by their addresses: a row that the identity map names says not of which slab it is.
struct ListedSlabs {
    private struct Entry {
        let addresses: Range<UnsafeMutableRawPointer>
        // The lists hold it.
        let slab: Unmanaged<RowSlab>
        var users: Int
    }

    /// In the order of their addresses.
    private var entries: ContiguousArray<Entry> = []

    var isEmpty: Bool { entries.isEmpty }

    /// The place of the first entry that ends behind an address.
    private func place(_ address: UnsafeMutableRawPointer) -> Int {
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].addresses.upperBound <= address { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func insert(_ slab: RowSlab) {
        let addresses = slab.addresses
        let place = place(addresses.lowerBound)
        if place < entries.count, entries[place].addresses == addresses {
            entries[place].users += 1
        } else {
            entries.insert(Entry(addresses: addresses, slab: .passUnretained(slab), users: 1), at: place)
        }
    }

    mutating func remove(_ slab: RowSlab) {
        let place = place(slab.addresses.lowerBound)
        entries[place].users -= 1
        if entries[place].users == 0 { entries.remove(at: place) }
    }

    func slab(of cells: RowCells) -> RowSlab? {
        let place = place(cells.address)
        return place < entries.count && entries[place].addresses.contains(cells.address) ? entries[place].slab.takeUnretainedValue() : nil
    }
}
