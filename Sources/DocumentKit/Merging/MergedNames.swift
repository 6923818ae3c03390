internal import DocumentFiles
internal import Schema
internal import Storage

/// What ours calls the objects of a merge.
struct MergedNames: Sendable {
    var identity: StoreIdentity
    private let numbering: StateNumbering
    private let greatest: @Sendable (EntityDescription) throws -> Int64
    private var assigned: [MergeName: Int64] = [:]
    /// The greatest keys of a hierarchy, by its root: before keys were given to new objects, and
    /// with them.
    private var greatestKeys: [String: (before: Int64, after: Int64)] = [:]

    init(_ store: any StoreBackend, _ numbering: StateNumbering) {
        identity = store.identity
        self.numbering = numbering
        greatest = { try store.greatestKey($0) }
    }

    func number(of name: MergeName) -> Int64 {
        switch name.origin {
        case .base: numbering.actual(name.number, root: root(of: name.entity))
        case .ours: abs(name.number)
        case .theirs: assigned[name] ?? abs(name.number)
        }
    }

    func root(of entity: String) -> String { rootEntity(entity)?.name ?? entity }

    private func rootEntity(_ name: String) -> EntityDescription? {
        identity.model.entity(named: name).map { identity.model.entities[$0.rootIndex] }
    }

    /// As `Book/p7`.
    func label(_ name: MergeName) -> String { "\(name.entity)/p\(number(of: name))" }

    func id(_ name: MergeName) -> ManagedObjectID? {
        identity.model.entity(named: name.entity).map {
            ManagedObjectID(store: identity, entityIndex: $0.index, key: number(of: name))
        }
    }

    func value(_ value: MergeValue) -> PropertyValue {
        switch value {
        case .plain(let value): value
        case .object(let name): id(name).map { .object($0) } ?? .null
        case .members(let names): .list(names.compactMap { id($0).map { .object($0) } })
        }
    }

    /// Gives new objects of theirs their keys: the ones that they have, or the next free ones where
    /// ours has used these.
    ///
    /// The same names get the same keys as long as the store gives out none.
    mutating func assign(_ names: [MergeName], _ reader: RowReader) throws {
        for (_, names) in Dictionary(grouping: names, by: { root(of: $0.entity) }).sorted(by: { $0.key < $1.key }) {
            guard let root = rootEntity(names[0].entity) else { continue }
            let numbers = names.map { abs($0.number) }, taken = try reader.taken(numbers, root: root)
            let used = try greatest(root)
            var last = max(used, numbers.max() ?? 0), own: Set<Int64> = []
            for name in names {
                let number = abs(name.number)
                if !taken.contains(number), own.insert(number).inserted {
                    assigned[name] = number
                    continue
                }
                guard last < .max - 1 else {
                    throw StorageError(.full, "The store has no numbers left for new objects")
                }
                last += 1
                assigned[name] = last
            }
            greatestKeys[root.name] = (used, last)
        }
    }

    /// Whether the store has given nobody else a key since the new objects got theirs.
    func areFree(in store: any StoreBackend) throws -> Bool {
        try greatestKeys.allSatisfy { name, keys in
            try rootEntity(name).map { try store.greatestKey($0) == keys.before } ?? true
        }
    }

    /// Makes sure that the store gives nobody else the keys of new objects.
    func hold(in store: any StoreBackend) throws {
        for (name, keys) in greatestKeys.sorted(by: { $0.key < $1.key }) {
            guard let root = rootEntity(name) else { continue }
            let last = keys.after, used = try store.greatestKey(root)
            if last > used, let count = Int(exactly: last - used) {
                _ = try store.reserveKeys(entityIndex: root.index, count: count)
            }
        }
    }

    /// The objects of theirs that have another key here.
    func renumbered(_ names: some Sequence<MergeName>) -> [(theirs: String, ours: String)] {
        names.inOrder().compactMap { name in
            let theirs = abs(name.number)
            return number(of: name) == theirs ? nil : ("\(name.entity)/p\(theirs)", label(name))
        }
    }
}
