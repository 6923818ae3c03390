/// Pairs the entities or properties of a new version with those of the old one, by names and
/// renaming identifiers.
struct NamePairing {
    struct Item {
        let name: String
        let renamingIdentifier: String?
        /// The name that stays the same across all renamings.
        var canonicalName: String { renamingIdentifier ?? name }
    }

    /// The index of the old item for each new item.
    private(set) var origins: [Int?]
    /// Pairs of new items that correspond to the same old item; only the first one gets it.
    private(set) var clashes: [(first: Int, second: Int)] = []

    init(_ new: [Item], from old: [Item]) {
        origins = [Int?](repeating: nil, count: new.count)
        let byName = Dictionary(
            old.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
        // An item with the name itself has precedence over one that was renamed from it.
        let byCanonicalName = Dictionary(old.enumerated().map { ($0.element.canonicalName, $0.offset) }) {
            first, second in
            old[second].name == old[second].canonicalName ? second : first
        }
        var claimed: [Int: Int] = [:]
        // An item that has kept both its name and its identifier is the same, even if another old
        // item has the identifier as its name.
        pair(new, claimed: &claimed, reportsClashes: false) { item in
            item.renamingIdentifier == nil
                ? nil : byName[item.name].flatMap { old[$0].renamingIdentifier == item.renamingIdentifier ? $0 : nil }
        }
        // Items with a renaming identifier have precedence over items that have kept their name.
        pair(new, claimed: &claimed, reportsClashes: true) {
            $0.renamingIdentifier == nil ? nil : byCanonicalName[$0.canonicalName] ?? byName[$0.canonicalName]
        }
        pair(new, claimed: &claimed, reportsClashes: true) {
            $0.renamingIdentifier == nil ? byCanonicalName[$0.name] : nil
        }
        // The remaining items have an identifier without an old item, or with one that is already
        // paired. They are paired by name.
        pair(new, claimed: &claimed, reportsClashes: false) { byName[$0.name] }
    }

    private mutating func pair(_ new: [Item], claimed: inout [Int: Int], reportsClashes: Bool, _ find: (Item) -> Int?) {
        for (index, item) in new.enumerated() where origins[index] == nil {
            guard let origin = find(item) else { continue }
            if let first = claimed[origin] {
                if reportsClashes { clashes.append((first, index)) }
            } else {
                claimed[origin] = index
                origins[index] = origin
            }
        }
    }
}
