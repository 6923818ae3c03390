package import DocumentFiles
internal import RowMemory
package import Schema
package import Storage

/// What ours calls the objects of a merge.
package struct MergedNames: Sendable {
    package var identity: StoreIdentity
    let schema: MergeSchema
    private let numbering: StateNumbering
    private let greatest: @Sendable (EntityDescription) throws -> Int64
    /// The keys of new objects of theirs.
    private var assigned = ObjectTable<Int64>()
    /// The greatest keys of a hierarchy, by the index of its root: before keys were given to new
    /// objects, and with them.
    private var greatestKeys: [Int: (before: Int64, after: Int64)] = [:]

    package init(_ store: any StoreBackend, _ schema: MergeSchema, _ numbering: StateNumbering) {
        identity = store.identity
        self.schema = schema
        self.numbering = numbering
        greatest = { try store.greatestKey($0) }
    }

    package func number(of name: MergeName) -> Int64 {
        switch name.origin {
        case .base where isDisplaced(name): assigned[name] ?? numbering.actual(name.number, root: root(of: name))
        case .base, .ours: numbering.actual(name.number, root: root(of: name))
        case .theirs: assigned[name] ?? abs(name.number)
        }
    }

    /// Whether ours has the key of an object of the base for another one.
    func isDisplaced(_ name: MergeName) -> Bool {
        name.origin == .base && numbering.isGivenAgain(name.number, root: root(of: name))
    }

    package func entity(of name: MergeName) -> String { schema[name.entity].name }

    /// The root of the hierarchy of an object's entity.
    func root(of name: MergeName) -> String { schema.rootName(of: name.entity) }

    private func rootIndex(of name: MergeName) -> Int {
        schema.model.entities[schema[name.entity].index].rootIndex
    }

    /// As `Book/p7`.
    package func label(_ name: MergeName) -> String { "\(entity(of: name))/p\(number(of: name))" }

    package func id(_ name: MergeName) -> ManagedObjectID? {
        identity.model.entity(named: entity(of: name)).map {
            ManagedObjectID(store: identity, entityIndex: $0.index, key: number(of: name))
        }
    }

    package func value(_ value: MergeValue) -> PropertyValue {
        switch value {
        case .plain(let value): value
        case .object(let name): id(name).map { .object($0) } ?? .null
        case .members(let names): .list(names.compactMap { id($0).map { .object($0) } })
        }
    }

    /// An attribute by its number, as ours has it; null if there is no such object.
    func attribute(_ property: Int, of name: MergeName, in store: any StoreBackend) throws -> PropertyValue {
        let entity = schema[name.entity],
            request = RowRequest(
                entityIndex: entity.index, selection: .keys([number(of: name)]))
        let rows = try store.rows(request)
        return rows.count == 1 ? rows[0].value(rows[0].layout.slots[entity.properties[property].index]) : .null
    }

    /// The objects of the base whose keys ours has for others, and that have got new ones.
    var displaced: [MergeName] { assigned.names.filter(isDisplaced) }

    /// Gives new objects of theirs their keys: the ones that they have, or the next free ones where
    /// ours has given these out before. A key of an object that was deleted is not free: versions
    /// and other copies of the document have that object.
    ///
    /// The same names get the same keys as long as the store gives out none.
    /// - Parameter names: In ascending order.
    mutating func assign(_ names: [MergeName]) throws {
        let numbers = names.map { abs($0.number) }
        var keys = numbers
        for (index, places) in Dictionary(grouping: names.indices, by: { rootIndex(of: names[$0]) }) {
            let used = try greatest(schema.model.entities[index])
            var last = max(used, places.lazy.map { numbers[$0] }.max() ?? 0), own: Set<Int64> = []
            for place in places where numbers[place] <= used || !own.insert(numbers[place]).inserted {
                guard last < .max - 1 else {
                    throw StorageError(.full, "The store has no numbers left for new objects")
                }
                last += 1
                keys[place] = last
            }
            greatestKeys[index] = (used, last)
        }
        assigned = ObjectTable(names, keys)
    }

    /// Whether the store has given nobody else a key since the new objects got theirs.
    package func areFree(in store: any StoreBackend) throws -> Bool {
        try greatestKeys.allSatisfy { root, keys in
            try store.greatestKey(schema.model.entities[root]) == keys.before
        }
    }

    /// Makes sure that the store gives nobody else the keys of new objects.
    package func hold(in store: any StoreBackend) throws {
        for (root, keys) in greatestKeys.sorted(by: { $0.key < $1.key }) {
            let last = keys.after, used = try store.greatestKey(schema.model.entities[root])
            if last > used, let count = Int(exactly: last - used) {
                _ = try store.reserveKeys(entityIndex: root, count: count)
            }
        }
    }

    /// The keys of some objects, for less than each by itself.
    /// - Parameter names: In ascending order.
    func numbers(of names: [MergeName]) -> [Int64] {
        var place = 0
        return names.map { name in
            guard name.origin == .theirs else { return number(of: name) }
            while place < assigned.count, assigned.names[place] < name { place += 1 }
            return place < assigned.count && assigned.names[place] == name
                ? assigned[place].value : abs(name.number)
        }
    }

    /// The new objects of theirs that have another key here.
    /// - Parameter inserted: In ascending order.
    func renumbered(_ inserted: [MergeName]) -> [DocumentMerge.Report.Renumbering] {
        zip(inserted, numbers(of: inserted)).compactMap { name, ours in
            guard name.origin == .theirs || isDisplaced(name), ours != abs(name.number) else { return nil }
            return .init(entity: entity(of: name), theirs: abs(name.number), ours: ours)
        }
    }
}
