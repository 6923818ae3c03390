/// Finds the join tables of many-to-many relationships in a file.
///
/// A table is known by its name, and the columns in it by what they are named after. The numbers
/// that tell equal names apart say nothing: Core Data assigns them in an order that does not
/// follow names. So a column is identified without its number, or as the one that is left.
struct JoinTableFinder {
    /// The column with the keys of one side's objects.
    struct End {
        /// The number of the side's entity.
        var number: Int64
        /// What the column can be named after, in upper case: the relationship that leads to the
        /// side, by its current and its former name.
        var names: [String]
        /// The name in a new store.
        var expected: String
    }

    /// A pair of inverse many-to-many relationships, or one that is its own inverse.
    struct Pair {
        /// What the table can be named, the most likely name first.
        var tables: [String]
        var owner: End
        var member: End
    }

    struct Found: Hashable {
        var table: StoreCatalog.Table
        var owner: String
        var member: String
    }

    private let candidates: [StoreCatalog.Table]

    /// - Parameter excluded: the tables of entities.
    init(_ catalog: StoreCatalog, besides excluded: Set<String>) {
        candidates = catalog.tables.filter { !excluded.contains(SQLName.key($0.name)) }
            .sorted { $0.name < $1.name }
    }

    /// The table of each pair, or nil. A table serves one pair only.
    ///
    /// Tables with an expected name are taken first, and those that differ in more ways only if
    /// nothing else comes into question.
    func tables(of pairs: [Pair]) -> [Found?] {
        var found = [Found?](repeating: nil, count: pairs.count)
        var free = candidates
        func settle(_ index: Int, _ match: Found) {
            found[index] = match
            free.removeAll { $0.name == match.table.name }
        }
        let most = pairs.map(\.tables.count).max() ?? 0
        for place in 0..<most {
            for needsBoth in [true, false] {
                for (index, pair) in pairs.enumerated() where found[index] == nil && place < pair.tables.count {
                    let key = SQLName.key(pair.tables[place])
                    if let table = free.first(where: { SQLName.key($0.name) == key }),
                        let match = Self.match(pair, table, needsBoth: needsBoth)
                    {
                        settle(index, match)
                    }
                }
            }
        }
        for likeness in [Likeness.numbered, .renumbered] {
            let open = pairs.indices.filter { found[$0] == nil }
            let fits = open.map { index in
                free.compactMap { Self.match(pairs[index], $0, atLeast: likeness) }
            }
            let uses = Dictionary(grouping: fits.joined().map(\.table.name), by: { $0 })
            for (index, matches) in zip(open, fits) where matches.count == 1 && uses[matches[0].table.name]?.count == 1
            {
                settle(index, matches[0])
            }
        }
        return found
    }

    /// How well a column's name fits an end.
    private enum Likeness: Int, Comparable {
        case none, renumbered, numbered, named, expected

        static func < (left: Likeness, right: Likeness) -> Bool { left.rawValue < right.rawValue }

        /// - Parameter key: the key of the column's name.
        init(_ key: String, _ end: End) {
            if key == SQLName.key(end.expected) {
                self = .expected
                return
            }
            var best = Likeness.none
            for name in end.names.map(SQLName.key) {
                if name == JoinTableFinder.reflexive {
                    if Self.isNumbered(key[...], name) { best = max(best, key == name ? .named : .numbered) }
                    continue
                }
                guard key.hasPrefix("Z_") else { continue }
                let number = key.dropFirst(2).prefix(while: Self.isDigit)
                guard !number.isEmpty, Self.isNumbered(key.dropFirst(2 + number.count), name) else { continue }
                let isSame = number == String(end.number)
                best = max(
                    best, !isSame ? .renumbered : key.count == 2 + number.count + name.count ? .named : .numbered)
            }
            self = best
        }

        /// Whether a text is a name, with or without a number after it.
        private static func isNumbered(_ text: Substring, _ name: String) -> Bool {
            text.hasPrefix(name) && text.dropFirst(name.count).allSatisfy(isDigit)
        }

        private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
    }

    /// The base name of the second column of a relationship that is its own inverse.
    static let reflexive = "REFLEXIVE"

    /// The columns of a table with a fitting name: the pair of columns that fits best. Of two
    /// columns one may have any name, if the other one is known.
    private static func match(_ pair: Pair, _ table: StoreCatalog.Table, needsBoth: Bool) -> Found? {
        let columns = keys(of: table)
        return best(pair, table, columns) { owner, member in
            (owner > .none && member > .none)
                || (!needsBoth && columns.count == 2 && max(owner, member) >= .numbered)
        }
    }

    /// The columns of a table with another name, if both fit this well.
    private static func match(_ pair: Pair, _ table: StoreCatalog.Table, atLeast likeness: Likeness) -> Found? {
        best(pair, table, keys(of: table)) { $0 >= likeness && $1 >= likeness }
    }

    private static func best(
        _ pair: Pair, _ table: StoreCatalog.Table, _ columns: [String], where fits: (Likeness, Likeness) -> Bool
    ) -> Found? {
        let ranked = columns.map { column in
            let key = SQLName.key(column)
            return (column, Likeness(key, pair.owner), Likeness(key, pair.member))
        }
        var best: (found: Found, score: Int)?
        for owner in ranked {
            for member in ranked where member.0 != owner.0 && fits(owner.1, member.2) {
                let score = owner.1.rawValue + member.2.rawValue
                if score > best?.score ?? -1 {
                    best = (Found(table: table, owner: owner.0, member: member.0), score)
                }
            }
        }
        return best?.found
    }

    /// The columns that are not positions. A join table has few; more would be compared in vain.
    private static func keys(of table: StoreCatalog.Table) -> [String] {
        Array(table.columns.lazy.filter { !SQLName.key($0).hasPrefix("Z_FOK_") }.prefix(16))
    }

    // MARK: Positions

    /// The column with the positions of the keys in `column`; nil if the table has none.
    static func order(of column: String, in table: StoreCatalog.Table, _ end: End, besides other: String) -> String? {
        if let exact = table.column(orderName(of: column)) { return exact }
        let taken = SQLName.key(orderName(of: other))
        return table.columns.first { name in
            let key = SQLName.key(name)
            guard key.hasPrefix("Z_FOK_"), key != taken else { return false }
            return Likeness("Z_" + key.dropFirst("Z_FOK_".count), end) > .none
        }
    }

    /// The name of the column with the positions of the keys in `column`.
    static func orderName(of column: String) -> String {
        "Z_FOK_" + (column.hasPrefix("Z_") ? String(column.dropFirst(2)) : column)
    }
}
