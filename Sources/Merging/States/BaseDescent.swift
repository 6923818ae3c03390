internal import DocumentFiles
internal import SQLiteStore
internal import Storage

/// Finds out whether a side of a merge comes from a base that somebody has named.
struct BaseDescent {
    private let base: [KnownState]
    private let place: MergePlace
    private let isNamed: Bool
    private let hasUnsavedWork: Bool

    /// - Parameters:
    ///   - base: What the base knows.
    ///   - place: Where it is.
    ///   - isNamed: Whether a person has named it, as what both came from. Git also takes states
    ///     for the base that come from a side, or from neither.
    ///   - hasUnsavedWork: Whether it has autosaved work.
    init(base: [KnownState], at place: MergePlace, isNamed: Bool, hasUnsavedWork: Bool) {
        self.base = base
        self.place = place
        self.isNamed = isNamed
        self.hasUnsavedWork = hasUnsavedWork
    }

    /// - Parameters:
    ///   - side: What the side knows.
    ///   - place: Where it is.
    func descent(of side: [KnownState], _ place: MergePlace, _ store: any StoreBackend, _ opener: MergeStateOpener)
        -> ObjectBirths.Descent
    {
        guard let current = base.first(where: \.isCurrent) else { return .unknown }
        if side.contains(where: { $0.sum == current.sum && $0.isCertain }) { return .known }
        if isNamed, !hasHistory(base), !hasHistory(side), store is SQLitePersistentStore { return .unnoted }
        let known = Dictionary(base.filter(\.isOwn).map { ($0.sum, $0) }, uniquingKeysWith: { first, _ in first })
        let own = side.filter { $0.isOwn && $0.isCertain }
        guard let parting = own.filter({ known[$0.sum] != nil }).max(by: { $0.rank < $1.rank }),
            let inBase = known[parting.sum], inBase.isCertain, isWhole(own, since: parting),
            // What merges brought in since may be the same on both sides.
            !hasMerged(side, since: parting), !hasMerged(base, since: inBase)
        else { return .unknown }
        if parting.isCurrent { return .known }
        // A side may have been what nobody saved there.
        if hasUnsavedWork { return .unknown }
        return (keys(of: parting, place, opener) ?? keys(of: inBase, self.place, opener)).map { .parted($0) }
            ?? .unknown
    }

    private func hasHistory(_ states: [KnownState]) -> Bool { states.contains { !$0.isCurrent } }

    /// Whether all states since one are known: the base is none of them then.
    private func isWhole(_ own: [KnownState], since state: KnownState) -> Bool {
        let generations = Set(own.map { $0.isCurrent ? $0.firstGeneration : $0.generation ?? 0 })
        guard let last = generations.max(), state.firstGeneration <= last else { return false }
        return (state.firstGeneration...last).allSatisfy(generations.contains)
    }

    private func hasMerged(_ states: [KnownState], since state: KnownState) -> Bool {
        states.contains { !$0.isOwn && $0.firstGeneration > state.firstGeneration }
    }

    private func keys(of state: KnownState, _ place: MergePlace, _ opener: MergeStateOpener) -> GreatestKeys? {
        let found = state.isCurrent ? place.state : state.generation.map { .base($0) } ?? place.state
        guard let session = try? opener.open(place.path, found) else { return nil }
        defer { try? session.close() }
        return session.sqliteStore.flatMap { try? GreatestKeys(of: $0) }
    }
}
