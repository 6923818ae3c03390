package import DocumentFiles

extension StateNumbering {
    /// How the keys of a side differ from those of a base, as far as the states tell that both
    /// know.
    package init(from base: [KnownState], to side: [KnownState]) {
        let known = Dictionary(side.map { ($0.sum, $0) }, uniquingKeysWith: { $0.isOwn ? $0 : $1 })
        var moved: [Moved] = [], seen: Set<Moved> = []
        for state in base.sorted(by: { $0.rank > $1.rank }) {
            guard let other = known[state.sum] else { continue }
            for object in state.numbering.moved + other.numbering.moved {
                let pair = Moved(
                    root: object.root, base: state.numbering.actual(object.base, root: object.root),
                    here: other.numbering.actual(object.base, root: object.root))
                let key = Moved(root: pair.root, base: pair.base, here: 0)
                if pair.base != pair.here, seen.insert(key).inserted { moved.append(pair) }
            }
        }
        self.init(moved)
    }
}
