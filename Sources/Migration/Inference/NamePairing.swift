/// What of a new version is what of the old one, by names and renaming identifiers.
struct NamePairing {
    struct Item {
        let name: String
        let renamingIdentifier: String?
        /// The name that stays the same over all renamings.
        var canonicalName: String { renamingIdentifier ?? name }
    }

    /// For each new item the place of the old one.
    private(set) var origins: [Int?]
    /// Pairs of new items that both claim to be the same old one; only the first has it.
    private(set) var clashes: [(first: Int, second: Int)] = []

    init(_ new: [Item], from old: [Item]) {
        origins = [Int?](repeating: nil, count: new.count)
        let byName = Dictionary(
            old.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
        // An item of that very name goes before one that was renamed from it.
        let byCanonicalName = Dictionary(old.enumerated().map { ($0.element.canonicalName, $0.offset) }) {
            first, second in
            old[second].name == old[second].canonicalName ? second : first
        }
        var claimed: [Int: Int] = [:]
        // What has kept both is the same, even where another old item is called by its identifier.
        pair(new, claimed: &claimed, reportsClashes: false) { item in
            item.renamingIdentifier == nil
                ? nil : byName[item.name].flatMap { old[$0].renamingIdentifier == item.renamingIdentifier ? $0 : nil }
        }
        // Who says what it was called goes before who has kept its name.
        pair(new, claimed: &claimed, reportsClashes: true) {
            $0.renamingIdentifier == nil ? nil : byCanonicalName[$0.canonicalName] ?? byName[$0.canonicalName]
        }
        pair(new, claimed: &claimed, reportsClashes: true) {
            $0.renamingIdentifier == nil ? byCanonicalName[$0.name] : nil
        }
        // The rest: an identifier that leads nowhere, or to what another one is, with a name that
        // is known.
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
