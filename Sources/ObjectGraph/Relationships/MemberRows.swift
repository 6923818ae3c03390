import RowMemory

/// The members of a to-many relationship as rows. An object is created when its row is accessed,
/// and the row takes its place again when the object is released. So iterating over many members
/// needs only one object at a time.
///
/// This is possible only for objects of the class `ManagedObject`, whose state is entirely in their
/// rows. Objects of other classes are retained by the list.
///
/// Invariants:
/// 1. The rows are in the order of their primary keys. Each is entered in the context's identity
///    map from the creation of this object until it is found to be outdated.
/// 2. If the map has another entry for a primary key, that entry is valid: an object, or nothing,
///    which means that the row is outdated.
@usableFromInline
final class MemberRows {
    let runs: ContiguousArray<RowRun>
    let count: Int
    private let identities: IdentityMap
    private let registry: ObjectRegistry
    private let entityIndex: Int

    /// Nil if a row's primary key has an object already, or a row of another list.
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
    /// The objects whose rows were outdated.
    private var held: ContiguousArray<ManagedObject> = []

    deinit {
        // A released context leaves its map unchanged, so entries may be dangling references.
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
        // Check this before using an entry of the map as an object.
        precondition(
            registry.owner != nil, "The context of these objects is gone: keep it as long as you use its objects")
        if let object = identities.object(cells.key) { return object }
        guard identities.lists(cells) else {
            readAgain()
            return registry.object(ObjectReference(key: cells.key, entityIndex: entityIndex))
        }
        return registry.makeListed(slab, cells)
    }

    /// Reads the outdated rows with one query. Their objects are retained from then on.
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
            do { try context.faults.fetchRows(of: held) } catch { context.note(error) }
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

    /// Reuses an object that has no other references for another of these rows. Returns false if
    /// the object can't be reused. Retains nothing.
    @inline(__always)
    func turn(_ last: inout ManagedObject?, to cells: RowCells, of slab: Unmanaged<RowSlab>) -> Bool {
        guard isKnownUniquelyReferenced(&last), let object = last.map({ Unmanaged.passUnretained($0) }) else {
            return false
        }
        return object._withUnsafeGuaranteedRef { Self.isOnlyListed($0) && identities.move($0, to: slab, cells) }
    }

    /// Whether an object has no state besides its row: no changes, no observers, and no weak
    /// references.
    private static func isOnlyListed(_ object: ManagedObject) -> Bool {
        object.isListed && object.recordIndex < 0 && object.state.isSubset(of: .fault)
            && object.registryReference?._withUnsafeGuaranteedRef { $0.registrars == nil } == true
            && _getUnownedRetainCount(object) == 1 && _getWeakRetainCount(object) == 1
    }
}
