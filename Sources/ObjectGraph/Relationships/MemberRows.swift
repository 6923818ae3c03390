import RowMemory

/// The members of a to-many relationship that are rows so far. An object is made when somebody
/// looks at its row, and the row stands for it again when it goes: whoever walks through many
/// members needs one object at a time.
///
/// That is so for objects of no class of the application's: they are what their rows are, and
/// nothing is lost with them. Others are held by the list.
///
/// Invariants:
/// 1. The rows are in the order of their keys, each in its context's identity map from the making
///    on, until it is found to be out of date.
/// 2. Where the map has something else for a key, that counts: an object, or nothing, which means
///    that the row is out of date.
@usableFromInline
final class MemberRows {
    let runs: ContiguousArray<RowRun>
    let count: Int
    private let identities: IdentityMap
    private let registry: ObjectRegistry
    private let entityIndex: Int

    /// Nil where some row's key has an object, or stands in another list.
    init?(_ runs: ContiguousArray<RowRun>, entityIndex: Int, _ registry: ObjectRegistry) {
        self.runs = runs
        identities = registry.identities[registry.rootIndex(entityIndex)]
        self.registry = registry
        self.entityIndex = entityIndex
        count = runs.last.map { $0.start + $0.count } ?? 0
        for (number, run) in runs.enumerated() {
            let listed = identities.list(run)
            guard listed == run.count else {
                identities.unlist(run, count: listed)
                for earlier in runs[..<number] { unlist(earlier) }
                isAbandoned = true
                return nil
            }
            identities.listedSlabs.insert(run.slab)
        }
    }

    private func unlist(_ run: RowRun) {
        identities.unlist(run, count: run.count)
        identities.listedSlabs.remove(run.slab)
    }

    private var isAbandoned = false
    /// The objects whose rows were out of date.
    private var held: ContiguousArray<ManagedObject> = []

    deinit {
        // A context that is gone has left its map as it was: what stands there may be no object any
        // more.
        guard !isAbandoned, registry.owner != nil else { return }
        for run in runs { unlist(run) }
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
        // Before anything that stands in the map is taken for an object.
        precondition(
            registry.owner != nil, "The context of these objects is gone: keep it as long as you use its objects")
        if let object = identities.object(cells.key) { return object }
        guard identities.lists(cells) else {
            readAgain()
            return registry.object(ObjectReference(key: cells.key, entityIndex: entityIndex))
        }
        return registry.makeListed(slab, cells)
    }

    /// Reads the rows that are out of date, in one trip. Their objects are held from here on.
    private func readAgain() {
        for run in runs {
            for place in run.first..<(run.first + run.count) {
                let cells = run.slab.cells(at: place)
                if !identities.lists(cells), identities.object(cells.key) == nil {
                    held.append(registry.object(ObjectReference(key: cells.key, entityIndex: entityIndex)))
                }
            }
        }
        registry.withContext { context in
            do { try context.faults.fetchRows(of: held) } catch { context.noteLoadError(error) }
        }
    }

    var objects: ContiguousArray<ManagedObject> {
        var objects: ContiguousArray<ManagedObject> = []
        objects.reserveCapacity(count)
        for run in runs {
            for place in run.first..<(run.first + run.count) {
                objects.append(object(run.slab, run.slab.cells(at: place)))
            }
        }
        return objects
    }

    /// Lets an object that nobody else has stand on another row of these; false where it has to
    /// stay what it is. Nothing is held for it.
    @inline(__always)
    func turn(_ last: inout ManagedObject?, to cells: RowCells, of slab: Unmanaged<RowSlab>) -> Bool {
        guard isKnownUniquelyReferenced(&last), let object = last.map({ Unmanaged.passUnretained($0) }) else {
            return false
        }
        return object._withUnsafeGuaranteedRef { Self.isOnlyListed($0) && identities.move($0, to: slab, cells) }
    }

    /// Whether an object is nothing but its row: without changes, not observed, and nobody refers
    /// to it weakly.
    private static func isOnlyListed(_ object: ManagedObject) -> Bool {
        object.isListed && object.recordIndex < 0 && object.state.isSubset(of: .fault)
            && object.registryReference?._withUnsafeGuaranteedRef { $0.registrars == nil } == true
            && _getUnownedRetainCount(object) == 1 && _getWeakRetainCount(object) == 1
    }
}
