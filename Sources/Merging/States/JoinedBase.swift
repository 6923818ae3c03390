internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import ObjectGraph
internal import SQLiteStore
internal import Schema
internal import Storage

/// A base that is a merge of several states. Where each of two documents was merged with the other,
/// or both with a third one, none of the states that both know has all that both know: an object
/// that came with one of them would be new on both sides of a merge that takes another one for its
/// base, and a side that has deleted it would get it back.
///
/// The merge is made in a temporary store, without validation. Its conflicts are decided for one of
/// the states and are told as ``undecided``.
final class JoinedBase {
    /// The joined state and the states that are part of it.
    private(set) var target: MergeTarget
    private(set) var undecided: [DocumentMerge.Conflict] = []

    /// How the keys of each side differ from those of the joined state.
    var oursNumbering: StateNumbering { numbering(to: ours, oursMoved) }
    var theirsNumbering: StateNumbering { numbering(to: theirs, theirsMoved) }

    private let ours: [KnownState]
    private let theirs: [KnownState]
    private var oursMoved: [StateNumbering.Moved] = []
    private var theirsMoved: [StateNumbering.Moved] = []
    private let model: ModelChoice
    private let depth: Int
    private var files: ExternalValues
    /// The temporary store of the joined state; nil while that is a version of a document.
    private var joined: (store: SQLitePersistentStore, path: String)?
    private var folders: [String] = []

    /// Of more crossings one after the other, the oldest are taken to have one base. Every crossing
    /// costs a copy of the store.
    static let greatestDepth = 4
    /// Of more documents that both were merged with, the oldest are not looked at.
    static let greatestMergeCount = 8

    /// - Parameters:
    ///   - first: A version, open for reading.
    ///   - path: The document that has it.
    ///   - states: What the version knows.
    ///   - sides: What the two sides of the merge know.
    ///   - depth: The number of joined bases that this one is part of.
    init(
        _ first: DocumentSession, of path: String, _ states: [KnownState],
        _ sides: (ours: [KnownState], theirs: [KnownState]), _ model: ModelChoice, depth: Int
    ) {
        (ours, theirs) = sides
        target = MergeTarget(path: path, store: first.store, marker: first.marker, states: states)
        files = first.content?.externalValues ?? .besideStore(at: first.storePath)
        self.model = model
        self.depth = depth
    }

    func close() {
        try? joined?.store.close()
        for folder in folders { StateFolder.removeTemporary(folder) }
    }

    /// Merges another state into this one.
    /// - Returns: False if the two can't be merged without a decision: they have no common state
    ///   that can be read, objects of both violate a uniqueness constraint together, or they have a
    ///   conflict in something other than an attribute.
    func join(_ place: MergePlace, _ sum: String) throws -> Bool {
        guard target.store is SQLitePersistentStore else { return false }
        do {
            let reading = try MergeReading(
                target, place, .common, model, folder: try makeFolder(), depth: depth + 1)
            defer { reading.close() }
            let plan = try reading.plan(.keep, without: .init(), refusesConflicts: false)
            let conflicts = DocumentMerge.Report(plan, []).undecided
            guard let note = plan.notes.last, note.sums.first == sum, note.hasKnownKeys,
                conflicts.allSatisfy({ UndecidedBase.canKeep($0, target.model) })
            else { return false }
            try make(plan)
            undecided += conflicts
            target = target.with(target.store, states: states(with: note))
            return true
        } catch let error as DocumentError where error.isOfUnreadableState {
            return false
        } catch let error as GraphError where error.code == .constraint {
            return false
        }
    }

    /// Takes what two saves of the sides both did to the joined state, when they were merged with
    /// one and the same document. That document itself may be gone. Nothing is taken if objects
    /// would violate a uniqueness constraint: they are new on both sides then.
    func adopt(_ mine: MergingDocument.Save, _ other: MergingDocument.Save) throws {
        guard target.store is SQLitePersistentStore else { return }
        let schema = MergeSchema(target.model), ours = oursNumbering, theirs = theirsNumbering
        func side(_ save: MergingDocument.Save, _ origin: MergeName.Origin, _ numbering: StateNumbering) throws
            -> MergeSide
        {
            func changes(_ numbering: StateNumbering, since base: any StoreBackend) throws -> MergeSide {
                try MergeSideReader(schema: schema, origin: origin, numbering: numbering).read(save.after, since: base)
            }
            return try changes(numbering, since: target.store).part(
                of: changes(StateNumbering(), since: save.before), schema, numbering)
        }
        let common = CommonChanges(schema, try side(mine, .ours, ours), try side(other, .theirs, theirs))
        guard !common.changes.isEmpty else { return }
        var names = MergedNames(target.store, schema, StateNumbering())
        try names.assign(common.newObjects.map(\.name))
        var engine = MergeEngine(
            schema, ours: [:], theirs: common.changes,
            unchangedValue: { [names, store = target.store] name, property in
                try names.attribute(property, of: name, in: store)
            })
        do {
            try make(PlannedMerge(outcome: try engine.run(), names: names))
        } catch let error as GraphError where error.code == .constraint {
            return
        }
        for object in common.newObjects {
            let root = names.root(of: object.name), number = names.number(of: object.name)
            oursMoved.append(.init(root: root, base: number, here: ours.actual(object.ours, root: root)))
            theirsMoved.append(.init(root: root, base: number, here: theirs.actual(object.theirs, root: root)))
        }
    }

    // MARK: Making

    private func makeFolder() throws -> String {
        let folder = try StateFolder.makeTemporary()
        folders.append(folder)
        return folder
    }

    /// Replaces the joined state by a copy of it with a merge.
    private func make(_ plan: PlannedMerge) throws {
        guard let source = target.store as? SQLitePersistentStore else { return }
        let folder = try makeFolder(), path = FilePath.join(folder, "joined.sqlite")
        let files = files.adding(ContentFolder(inPackage: folder).externalValues)
        try source.copy(to: path)
        let store = try SQLitePersistentStore.open(
            PersistentStoreDescription(url: URL(fileURLWithPath: path)), model: target.model, files: files)
        do {
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: store.identity.model, classes: [:], factories: [])
            coordinator.add(store)
            let context = ManagedObjectContext(coordinator)
            var applier = MergeApplier(plan, context)
            try applier.apply()
            try context.saving.writeUnchecked { try store.apply($0) }
        } catch {
            try? store.close()
            throw error
        }
        if let former = joined {
            // Its large values stay, which the new one has, too.
            try? former.store.close()
            _ = try? Disk.removeFileIfPresent(former.path)
        }
        joined = (store, path)
        self.files = files
        target = target.with(store, states: target.states)
    }

    // MARK: Keys

    private func numbering(to side: [KnownState], _ moved: [StateNumbering.Moved]) -> StateNumbering {
        let numbering = StateNumbering(from: target.states, to: side)
        guard !moved.isEmpty else { return numbering }
        // A document that both were merged with may have used these keys for other objects.
        let bases = Set(moved.map { StateNumbering.Moved(root: $0.root, base: $0.base, here: 0) })
        let heres = Set(moved.map { StateNumbering.Moved(root: $0.root, base: 0, here: $0.here) })
        return StateNumbering(
            numbering.moved.filter {
                !bases.contains(.init(root: $0.root, base: $0.base, here: 0))
                    && !heres.contains(.init(root: $0.root, base: 0, here: $0.here))
            } + moved)
    }

    private func states(with note: MergeNote) -> [KnownState] {
        let numbering = StateNumbering(note.moved), rank = target.states.map(\.rank).max() ?? 0
        var states = target.states
        // The joined state itself is known to nobody.
        for index in states.indices { states[index].isCurrent = false }
        return states
            + note.sums.enumerated().map { index, sum in
                KnownState(
                    sum: sum, rank: rank - Double(index) / Double(note.sums.count + 1),
                    firstGeneration: note.generation + 1, numbering: numbering)
            }
    }
}

extension ExternalValues {
    /// The values of a document, together with new ones in a folder of their own.
    fileprivate func adding(_ new: ExternalValues) -> ExternalValues {
        @Sendable func isNew(_ name: String) -> Bool { (try? Disk.exists(new.path(name))) == true }
        @Sendable func values(_ name: String) -> ExternalValues { isNew(name) ? new : self }
        @Sendable func open(_ name: String) throws -> any LargeValueInput {
            guard let input = try values(name).open?(name) else {
                throw StorageError(.notFound, "There is no large value \(name)")
            }
            return input
        }
        return ExternalValues(
            path: { name in values(name).path(name) }, write: new.write,
            // What the document has is durable, and stays.
            secure: { name in try isNew(name) ? new.secure(name) : true }, remove: new.remove, open: open)
    }
}
