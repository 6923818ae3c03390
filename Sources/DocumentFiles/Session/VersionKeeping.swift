internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Schema
internal import Storage

/// The state of a document's versions in a session, and the operations to keep the next one.
struct VersionKeeping {
    /// The version store; nil for a bare store, and for an archive, whose versions are only read
    /// from it.
    let versions: VersionStore?
    /// The saved state on which the next version's delta will be based: the state before the last
    /// save, until `keep` was called. Nil for a bare store.
    private(set) var head: SavedState?
    /// The pages of a save, as determined while a version was kept.
    private var pages: (generation: Int, pages: SavedPages)?
    /// The reason with which the state before the next save is kept.
    private var reason = DocumentVersion.Reason.save
    /// The names in `content/` to which `head` refers, if they are known, and whether later commits
    /// may have changed them.
    private var contentNames: Set<UUID>?
    private var hasChangedContent = false
    /// Whether this session may have left unused large values.
    private var mayHaveUnusedContent = false
    /// The highest generation of a version, when it was last determined.
    private var takenGeneration: Int?
    /// The reason why existing versions could not be read.
    private(set) var lost: DocumentError?

    init(_ versions: VersionStore?) { self.versions = versions }

    /// Determines the saved state on which the next delta will be based: that of the manifest, or a
    /// later one whose checkpoint is pending.
    mutating func findHead(_ manifest: DocumentManifest, _ marker: DocumentMarker) {
        if marker.isSaved, marker.generation == manifest.generation {
            head = marker.savedState
            if manifest.hasCounts, manifest.attachments.count == 0 { contentNames = [] }
            return
        }
        hasChangedContent = true
        let described = SavedState(generation: manifest.generation, saved: manifest.saved)
        head = described
        if let kept = try? versions?.head(), kept.generation > manifest.generation, kept.generation <= marker.generation
        {
            head = kept
        }
    }

    /// The highest generation of a version, which the next save has to exceed. Determined once.
    /// Unreadable versions are ignored here; keeping the next one reports them.
    mutating func lastGeneration() -> Int {
        let taken = takenGeneration ?? (try? versions?.lastGeneration()) ?? 0
        takenGeneration = taken
        return taken
    }

    // MARK: Committed values

    /// Sets the reason of the next save, if it is not a save by the user.
    mutating func willSave(for reason: DocumentVersion.Reason) { self.reason = reason }

    /// Records whether a commit may change references to `content/`. Before the first one that may,
    /// the names to which the saved state refers are determined: the folder may contain others,
    /// which a version would otherwise keep.
    mutating func willCommit(_ changes: ChangeSet, to store: any StoreBackend) {
        if !hasChangedContent, changes.concernsLargeValues(of: store.identity.model) {
            hasChangedContent = true
            if contentNames == nil, head != nil {
                // Without the names, the version keeps all values that are there.
                contentNames = try? (store as? SQLitePersistentStore)?.contentNames()
            }
        }
        if hasChangedContent { mayHaveUnusedContent = true }
    }

    /// Called when another program has committed; its changes are not known.
    mutating func noteOutsideCommits() {
        reason = .other
        hasChangedContent = true
        mayHaveUnusedContent = true
    }

    /// Records that there may be large values to which nothing refers: versions or set-aside work
    /// were removed, or an earlier session did not remove all that it left.
    mutating func noteUnusedContent() { mayHaveUnusedContent = true }

    /// Takes over what the session knows that this one continues.
    mutating func follow(_ other: VersionKeeping) {
        if other.mayHaveUnusedContent { mayHaveUnusedContent = true }
    }

    // MARK: Retention

    /// Keeps the state before the last save, which is the main file until the checkpoint, if that
    /// was not done yet.
    mutating func keep(
        before saved: SavedState, _ manifest: DocumentManifest?, _ store: SQLitePersistentStore,
        _ content: ContentFolder?
    ) throws {
        guard let versions, let previous = head, previous != saved else { return }
        let names = try referencedNames(store, content)
        let recorded = manifest.flatMap { $0.generation == previous.generation ? $0.store.pages : nil }
        func keepOnce() throws -> SavedPages? {
            try store.withFiles { files in
                var pages = recorded
                _ = try versions.keep(
                    files, saved: saved, previous: previous, reason: reason, references: ContentReferences(names),
                    pages: &pages)
                return pages
            }
        }
        let found: SavedPages?
        do {
            found = try keepOnce()
        } catch let error as DocumentError where error.code == .malformed {
            guard try setUnreadableVersionsAside(versions) else { throw error }
            found = try keepOnce()
        }
        pages = found.map { (saved.generation, $0) }
        head = saved
        contentNames = names?.after ?? contentNames
        hasChangedContent = false
        reason = .save
    }

    /// Keeps the last saved state before a restored or migrated store replaces it. `names` are the
    /// names in `content/` to which the new store refers.
    func keepReplaced(
        _ store: SQLitePersistentStore, by saved: SavedState, for reason: DocumentVersion.Reason,
        referringTo names: Set<UUID>
    ) throws {
        guard let versions, let head else {
            preconditionFailure("Only a package that keeps versions gets another store")
        }
        let references = try ContentReferences(from: contentNames ?? store.contentNames(), to: names)
        try store.withFiles {
            _ = try versions.keepReplaced($0, saved: saved, previous: head, reason: reason, references: references)
        }
    }

    /// Keeps the last saved state of a package before a save replaces its store by one from a
    /// working set.
    /// - Parameter main: The store's main file, if it is not open because the working set has its
    ///   own store; nil if it is open.
    func keepReplaced(
        _ store: SQLitePersistentStore, closed main: String?, by saved: SavedState, for reason: DocumentVersion.Reason,
        _ content: ContentFolder?
    ) throws {
        guard let versions, let head else {
            preconditionFailure("Only a package that keeps versions gets another store")
        }
        let references = try self.references(store, content)
        if let main {
            _ = try versions.keepReplaced(main, saved: saved, previous: head, reason: reason, references: references)
        } else {
            try store.withFiles {
                _ = try versions.keepReplaced($0, saved: saved, previous: head, reason: reason, references: references)
            }
        }
    }

    /// The difference between the names in `content/` of the last saved state and the committed
    /// state. Versions record it, because values to which no version refers are removed.
    func references(_ store: SQLitePersistentStore, _ content: ContentFolder?) throws -> ContentReferences {
        try ContentReferences(referencedNames(store, content))
    }

    /// The names in `content/` to which the states before and after the last save refer; nil if
    /// they can't differ.
    private func referencedNames(_ store: SQLitePersistentStore, _ content: ContentFolder?) throws -> (
        before: Set<UUID>, after: Set<UUID>
    )? {
        guard hasChangedContent, let content else { return nil }
        let after = try store.contentNames()
        // The values of the older state were not collected yet, so the folder contains all of them,
        // and perhaps others.
        return (try contentNames ?? content.names(), after)
    }

    /// Sets unreadable versions aside, so that they don't prevent a save.
    /// - Returns: False if the versions can be read, so that there is another error.
    private mutating func setUnreadableVersionsAside(_ versions: VersionStore) throws -> Bool {
        do {
            _ = try versions.list()
            return false
        } catch let error as DocumentError where error.code == .malformed {
            let aside = FilePath.join(
                FilePath.parent(versions.folder), "\(PackageLayout.damagedVersions)-\(UniqueName.make())")
            try Disk.rename(versions.folder, to: aside)
            try Disk.synchronizeDirectory(FilePath.parent(aside))
            lost = DocumentError(
                .malformed, "the earlier versions can't be read and were set aside: \(error.message)", path: aside,
                stage: .versioning, underlying: error)
            return true
        }
    }

    /// The pages of a save, if they were determined while its version was kept; nil otherwise.
    func pages(ofGeneration generation: Int) -> SavedPages? {
        pages.flatMap { $0.generation == generation ? $0.pages : nil }
    }

    // MARK: Cleanup

    /// Thins out the versions by age.
    mutating func prune(keeping lastSave: Int?) throws {
        guard let versions, try Disk.exists(versions.folder) else { return }
        if try !versions.prune(.standard, keeping: lastSave).isEmpty { noteUnusedContent() }
    }

    /// The large values to which neither the store, which contains only the saved state, nor a
    /// version refers; nil if there is nothing to search for.
    mutating func unusedContent(_ package: String, _ content: ContentFolder, _ store: SQLitePersistentStore) throws
        -> Set<UUID>?
    {
        guard mayHaveUnusedContent, let versions,
            // Work that was set aside may refer to any value.
            try !Disk.exists(FilePath.join(package, PackageLayout.discarded)),
            let kept = try versions.contentReferences()
        else { return nil }
        let used = try store.contentNames()
        mayHaveUnusedContent = false
        return try content.names().subtracting(used).subtracting(kept)
    }
}

extension DocumentMarker {
    /// The saved state that the commit created, or on which it is based.
    var savedState: SavedState { SavedState(generation: generation, counter: isSaved ? counter : 0, saved: saved) }
}

extension SQLitePersistentStore {
    /// The names in `content/` to which the store's rows refer.
    func contentNames() throws -> Set<UUID> { try Set(externalValueNames().compactMap { UUID(uuidString: $0) }) }
}

extension ContentReferences {
    /// The change by a save, if it may have changed the references.
    fileprivate init(_ names: (before: Set<UUID>, after: Set<UUID>)?) {
        if let names { self.init(from: names.before, to: names.after) } else { self.init() }
    }
}

extension ChangeSet {
    /// Whether rows are written or deleted that may refer to large values in separate files.
    fileprivate func concernsLargeValues(of model: ManagedObjectModel) -> Bool {
        func places(_ entityIndex: Int) -> [Int] {
            model.entities[entityIndex].properties.indices.filter {
                model.entities[entityIndex].properties[$0].attribute?.allowsExternalBinaryDataStorage == true
            }
        }
        func has(_ entityIndex: Int) -> Bool { !places(entityIndex).isEmpty }
        if insertions.contains(where: { has($0.entityIndex) }) || deletions.contains(where: { has($0.entityIndex) }) {
            return true
        }
        return updates.contains { updates in
            let large = places(updates.entityIndex)
            return updates.changed.contains { changed in large.contains { changed.contains($0) } }
        }
    }
}
