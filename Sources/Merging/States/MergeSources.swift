internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import Schema
internal import Storage

/// The states that ours is merged with: opened for reading, and brought to the model of ours.
final class MergeSources {
    let theirs: DocumentSession
    /// The model that theirs has where it isn't opened with that of ours.
    private let theirsModel: ManagedObjectModel
    /// Nil where the merge has no base.
    private(set) var base: (any StoreBackend)?
    /// Conflicts of the base that nobody has decided; none of those that a version kept.
    private(set) var undecidedBase = UndecidedBase.none
    /// What a report calls the base.
    private(set) var baseNames: [String] = []
    /// How the keys of each side differ from those of the base.
    private(set) var oursNumbering = StateNumbering()
    private(set) var theirsNumbering = StateNumbering()
    /// How each side comes from the base.
    private(set) var oursDescent = ObjectBirths.Descent.known
    private(set) var theirsDescent = ObjectBirths.Descent.known
    /// Whether the base is what one of the sides is now, so that this side has no changes.
    private(set) var isBaseOurs = false
    private(set) var isBaseTheirs = false
    /// The states of theirs that ours knows from now on, the newest first; empty where it knows the
    /// newest already.
    private(set) var sumsToNote: [String] = []
    /// Ours as it is, which a document without versions would not know any more.
    private(set) var ownSum: String?

    private let ours: MergeTarget
    private let depth: Int
    private let isRepeating: Bool
    private var baseSession: DocumentSession?
    private var joinedBase: JoinedBase?
    /// Whether the base is gone when the sources are closed.
    var isBaseTemporary: Bool { joinedBase != nil }

    /// - Parameters:
    ///   - model: The model of stores that carry none.
    ///   - depth: The number of joined bases that this merge is part of.
    ///   - isRepeating: Whether what was merged before is merged again by a named base.
    init(
        _ ours: MergeTarget, _ theirs: MergePlace, _ base: DocumentMerge.Base, _ model: ModelChoice, depth: Int,
        isRepeating: Bool = false
    ) throws {
        self.ours = ours
        self.depth = depth
        self.isRepeating = isRepeating
        let opener = MergeStateOpener(ours, model)
        (self.theirs, theirsModel) = try opener.openWithModel(theirs.path, theirs.state)
        do {
            try find(base, theirs, opener)
        } catch {
            close()
            throw error
        }
    }

    func close() {
        joinedBase?.close()
        try? baseSession?.close()
        try? theirs.close()
    }

    // MARK: The base

    private func find(_ base: DocumentMerge.Base, _ place: MergePlace, _ opener: MergeStateOpener) throws {
        let own = ours.states, other = try theirsStates(place, opener)
        let known = Set(own.map(\.sum))
        let current = other.first { $0.isCurrent }
        ownSum = own.first { $0.isCurrent }?.sum
        if let current, !known.contains(current.sum) {
            // States that are known already are older than this merge: noted with it, they would be
            // taken for a newer base than they are.
            sumsToNote = other.filter { $0.isOwn && $0.numbering.isIdentity && !known.contains($0.sum) }
                .sorted { $0.rank > $1.rank }.prefix(32).map(\.sum)
        }
        if base != .common, !isRepeating, let current,
            own.contains(where: { !$0.isOwn && $0.hasKnownKeys && $0.sum == current.sum })
        {
            // All of theirs came by a former merge, or was decided against.
            isBaseTheirs = true
            self.base = theirs.store
            baseNames = [place.text]
            return
        }
        switch base {
        case .none: return
        case .document(let url):
            let theirs = place, place = MergePlace(url)
            let session = try openBase(place, theirs, opener)
            self.base = session.store
            if place.state == .newest { undecidedBase = UndecidedBase(session) }
            baseNames = [place.text]
            let states = try self.states(of: session, place, opener)
            try checkKeys(CommonStates.all(states, own) + CommonStates.all(states, other))
            oursNumbering = StateNumbering(from: states, to: own)
            theirsNumbering = StateNumbering(from: states, to: other)
            let descent = BaseDescent(
                base: states, at: place, isNamed: !isRepeating,
                hasUnsavedWork: session.marker?.hasUnsavedWork == true)
            oursDescent = descent.descent(of: own, MergePlace(ours.path, .newest), ours.store, opener)
            theirsDescent = descent.descent(of: other, theirs, self.theirs.store, opener)
        case .common: try findCommon(own, other, place, opener)
        }
    }

    /// The states of theirs as it is in its file: a copy in another version of the model knows
    /// none.
    private func theirsStates(_ place: MergePlace, _ opener: MergeStateOpener) throws -> [KnownState] {
        try states(of: theirs, place, opener)
    }

    private func states(of opened: DocumentSession, _ place: MergePlace, _ opener: MergeStateOpener) throws
        -> [KnownState]
    {
        if place.state == .newest, !opener.needsMigration(place.path) { return try KnownStates(of: opened).list() }
        let session = try DocumentSession.read(place.path, model: opener.choice)
        defer { try? session.close() }
        var states = try KnownStates(of: session).list()
        switch place.state {
        case .newest, .autosaved: break
        case .saved, .version, .base: states = states.known(to: opened.marker?.generation ?? 0)
        }
        return states
    }

    private func findCommon(
        _ own: [KnownState], _ other: [KnownState], _ place: MergePlace, _ opener: MergeStateOpener
    ) throws {
        let common = CommonStates(own, other)
        guard let first = common.newest.first else {
            throw DocumentError(
                .notFound, "no state that both documents know could be found", path: ours.path, stage: .reading,
                hint: "name the state that both came from: --base DOC, or --base none for documents that were never one"
            )
        }
        try checkKeys(common.newest + common.merged)
        let isJoined = common.newest.count > 1 || !common.merged.isEmpty
        if isJoined, depth < JoinedBase.greatestDepth, try join(common, own, other, place, opener) { return }
        take(first, as: place)
        if !first.ours.isCertain { oursDescent = .unknown }
        if !first.theirs.isCertain { theirsDescent = .unknown }
        if base != nil { return }
        let version = version(first, of: place)
        base = try openBase(version, place, opener).store
        baseNames = [version.text]
    }

    /// Opens the base, of which theirs must be able to have everything.
    private func openBase(_ place: MergePlace, _ theirs: MergePlace, _ opener: MergeStateOpener) throws
        -> DocumentSession
    {
        let (session, model) = try opener.openWithModel(place.path, place.state)
        baseSession = session
        func isTheirs(_ model: ManagedObjectModel) -> Bool {
            theirsModel.isCompatible(withVersionHashes: model.versionHashesByEntityName)
        }
        if !isTheirs(self.theirs.model), !isTheirs(model) {
            try opener.check(theirsModel, of: theirs.path, hasPlaceFor: place)
        }
        return session
    }

    private func checkKeys(_ states: [CommonStates.State]) throws {
        guard states.contains(where: { !$0.ours.hasKnownKeys || !$0.theirs.hasKnownKeys }) else { return }
        throw DocumentError(
            .notFound, "a former merge gave more objects other keys than a document notes", path: ours.path,
            stage: .reading,
            hint: "merge as documents that were never one, by which equal objects are united: --base none")
    }

    /// Takes what one of the sides is now for the base, if it is that state.
    private func take(_ common: CommonStates.State, as place: MergePlace) {
        oursNumbering = common.ours.numbering
        theirsNumbering = common.theirs.numbering
        if common.ours.isCurrent {
            isBaseOurs = true
            base = ours.store
            baseNames = [ours.path]
        }
        if common.theirs.isCurrent {
            isBaseTheirs = true
            base = base ?? theirs.store
            baseNames = [place.text]
        }
    }

    /// A common state as a version of the side that has it.
    private func version(_ common: CommonStates.State, of place: MergePlace) -> MergePlace {
        common.ours.generation.map { MergePlace(ours.path, .base($0)) }
            ?? MergePlace(place.path, .base(common.theirs.generation ?? 0))
    }

    /// Notes keys that the sides have given to other objects than the base.
    func note(_ keys: (ours: Set<StateNumbering.Key>, theirs: Set<StateNumbering.Key>)) {
        oursNumbering = oursNumbering.givingAgain(keys.ours)
        theirsNumbering = theirsNumbering.givingAgain(keys.theirs)
    }

    // MARK: Histories that cross

    /// Makes one base of several states.
    /// - Returns: False if they can't be merged without a decision.
    private func join(
        _ common: CommonStates, _ own: [KnownState], _ other: [KnownState], _ place: MergePlace,
        _ opener: MergeStateOpener
    ) throws -> Bool {
        let versions = common.newest.map { version($0, of: place) }
        let states =
            common.newest[0].ours.generation.map(own.known)
            ?? other.known(to: common.newest[0].theirs.generation ?? 0)
        let session = try opener.open(versions[0].path, versions[0].state)
        let joined = JoinedBase(session, of: versions[0].path, states, (own, other), opener.choice, depth: depth)
        var isDone = false
        defer {
            if !isDone {
                joined.close()
                try? session.close()
            }
        }
        for (version, state) in zip(versions, common.newest).dropFirst() {
            guard try joined.join(version, state.ours.sum) else { return false }
        }
        let documents = (
            MergingDocument(path: ours.path, store: ours.store, states: own, opener: opener),
            MergingDocument(path: place.path, store: theirs.store, states: other, opener: opener)
        )
        for state in common.merged.suffix(JoinedBase.greatestMergeCount) {
            try documents.0.withSave(state.ours.firstGeneration) { mine in
                try documents.1.withSave(state.theirs.firstGeneration) { try joined.adopt(mine, $0) }
            }
        }
        isDone = true
        baseSession = session
        joinedBase = joined
        base = joined.target.store
        baseNames = versions.map(\.text)
        undecidedBase = UndecidedBase(joined.undecided)
        oursNumbering = joined.oursNumbering
        theirsNumbering = joined.theirsNumbering
        return true
    }
}
