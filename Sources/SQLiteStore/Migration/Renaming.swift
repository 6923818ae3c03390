/// Orders renamings so that no new name is in use. Cycles are broken with a temporary name.
struct Renaming {
    private(set) var ordered: [(from: String, to: String)] = []

    /// - Parameter names: all names in use before the renamings.
    init(_ wanted: [(from: String, to: String)], among names: some Sequence<String>) {
        var waiting = wanted.filter { $0.from != $0.to }.sorted { $0.from < $1.from }
        var taken = Set(names.map(SQLName.key))
        while !waiting.isEmpty {
            if let index = waiting.firstIndex(where: {
                !taken.contains(SQLName.key($0.to)) || SQLName.key($0.to) == SQLName.key($0.from)
            }) {
                let next = waiting.remove(at: index)
                note(next, &taken)
            } else {
                let spare = Self.spareName(among: taken)
                note((waiting[0].from, spare), &taken)
                waiting[0].from = spare
            }
        }
    }

    private mutating func note(_ renaming: (from: String, to: String), _ taken: inout Set<String>) {
        ordered.append(renaming)
        taken.remove(SQLName.key(renaming.from))
        taken.insert(SQLName.key(renaming.to))
    }

    /// A name that is not in use; `names` contains keys.
    static func spareName(among names: Set<String>) -> String {
        var number = 1
        while names.contains("Z_FOLIO_\(number)") { number += 1 }
        return "Z_FOLIO_\(number)"
    }
}
