internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import ObjectGraph
internal import SQLiteStore
internal import Schema
internal import Storage

/// A base that is a merge of several states. Where each of two documents was merged with the other,
/// none of the states that both know has all that both know: an object that came with one of them
/// would be new on both sides of a merge that takes another one for its base, and a side that has
/// deleted it would get it back.
///
/// The merge is made in a temporary store, without validation. Its conflicts are decided for one of
/// the states and are told as ``undecided``.
final class JoinedBase {
    /// The joined state and the states that are part of it.
    private(set) var target: MergeTarget
    private(set) var undecided: [DocumentMerge.Conflict] = []

    private let model: ModelChoice
    private let depth: Int
    private var files: ExternalValues
    private var stores: [SQLitePersistentStore] = []
    private var folders: [String] = []

    /// Of more crossings one after the other, the oldest are taken to have one base. Every crossing
    /// costs a copy of the store.
    static let greatestDepth = 4

    /// - Parameters:
    ///   - first: A version, open for reading.
    ///   - path: The document that has it.
    ///   - states: What the version knows.
    ///   - depth: The number of joined bases that this one is part of.
    init(_ first: DocumentSession, of path: String, _ states: [KnownState], _ model: ModelChoice, depth: Int) {
        target = MergeTarget(path: path, store: first.store, marker: first.marker, states: states)
        files = first.content?.externalValues ?? .besideStore(at: first.storePath)
        self.model = model
        self.depth = depth
    }

    func close() {
        for store in stores { try? store.close() }
        for folder in folders { StateFolder.removeTemporary(folder) }
    }

    /// Merges another state into this one.
    /// - Returns: False if the two can't be merged without a decision: they have no common state
    ///   themselves, or objects of both violate a uniqueness constraint together.
    func join(_ place: MergePlace, _ sum: String) throws -> Bool {
        guard let source = target.store as? SQLitePersistentStore else { return false }
        let folder = try StateFolder.makeTemporary()
        folders.append(folder)
        do {
            let reading = try MergeReading(target, place, .common, model, folder: folder, depth: depth + 1)
            defer { reading.close() }
            let plan = try reading.plan(.keep, without: .init(), refusesConflicts: false)
            guard let note = plan.notes.last, note.sums.first == sum else { return false }
            let path = FilePath.join(folder, "joined.sqlite"), files = files.adding(ContentFolder(inPackage: folder).externalValues)
            try source.copy(to: path)
            let store = try SQLitePersistentStore.open(
                PersistentStoreDescription(url: URL(fileURLWithPath: path)), model: target.model, files: files)
            stores.append(store)
            try Self.apply(plan, to: store)
            self.files = files
            undecided += DocumentMerge.Report(plan, []).undecided
            target = MergeTarget(
                path: target.path, store: store, marker: target.marker, states: states(with: note))
            return true
        } catch let error as DocumentError where error.code == .notFound {
            return false
        } catch let error as GraphError where error.code == .constraint {
            return false
        }
    }

    private static func apply(_ plan: PlannedMerge, to store: SQLitePersistentStore) throws {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: store.identity.model, classes: [:], factories: [])
        coordinator.add(store)
        let context = ManagedObjectContext(coordinator)
        var applier = MergeApplier(plan, context)
        try applier.apply()
        try context.saving.writeUnchecked { try store.apply($0) }
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
