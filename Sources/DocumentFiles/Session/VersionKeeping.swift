internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Schema
internal import Storage

/// What a session knows of the earlier saved states of its document, and how it keeps the next one.
struct VersionKeeping {
    /// Where they are; nil for a store by itself, and for an archive, which is written without
    /// them.
    let versions: VersionStore?
    /// The saved state that they lead up to: the one before the last save until `keep` has run. Nil
    /// for a store by itself.
    private(set) var head: SavedState?
    /// What keeping one has found of the pages of a save.
    private var pages: (generation: Int, pages: SavedPages)?
    /// Why the state before the next save is kept.
    private var reason = DocumentVersion.Reason.save
    /// The names in `content/` that `head` refers to, where they are known, and whether commits
    /// since may have changed that.
    private var contentNames: Set<UUID>?
    private var hasChangedContent = false
    /// Whether this session may have left large values to which nothing refers.
    private var mayHaveUnusedContent = false
    /// The highest generation that a version had when that was looked up.
    private var takenGeneration: Int?
    /// Why versions that were there could not be read any more.
    private(set) var lost: DocumentError?

    init(_ versions: VersionStore?) { self.versions = versions }

    /// Finds the saved state that the versions lead up to: the one that the manifest tells of, or a
    /// later one whose checkpoint is still due.
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

    /// The highest generation that a version has: the next save gets a higher one. Looked up once.
    /// Where versions can't be read none of them counts: keeping the next one says so.
    mutating func lastGeneration() -> Int {
        let taken = takenGeneration ?? (try? versions?.lastGeneration()) ?? 0
        takenGeneration = taken
        return taken
    }

    // MARK: What is committed

    /// The next save is made for another reason than that somebody saves.
    mutating func willSave(for reason: DocumentVersion.Reason) { self.reason = reason }

    /// Notes what a commit does to references into `content/`.
    mutating func willCommit(_ changes: ChangeSet, of model: ManagedObjectModel) {
        if !hasChangedContent { hasChangedContent = changes.concernsLargeValues(of: model) }
        if hasChangedContent { mayHaveUnusedContent = true }
    }

    /// Another program has committed: nothing is known of what it has changed.
    mutating func noteOutsideCommits() {
        reason = .other
        hasChangedContent = true
        mayHaveUnusedContent = true
    }

    mutating func noteRemovedVersions() { mayHaveUnusedContent = true }

    // MARK: Keeping

    /// Keeps the state before the last save, which the main file is until the checkpoint. Does
    /// nothing where that was done.
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

    /// Keeps the last saved state before a store takes its place that was restored or migrated and
    /// refers to `names` in `content/`.
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

    /// Keeps the last saved state of a package before a save replaces its store by one made in a
    /// working set.
    /// - Parameter main: The store's main file, where the working set has a store of its own, so
    ///   that nobody has it open; nil where it is open.
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

    /// How the names in `content/` differ between the last saved state and the committed one.
    /// Versions name what they refer to by it: a value that none of them names is removed.
    func references(_ store: SQLitePersistentStore, _ content: ContentFolder?) throws -> ContentReferences {
        try ContentReferences(referencedNames(store, content))
    }

    /// The names in `content/` that the states before and after the last save refer to; nil where
    /// they can't differ.
    private func referencedNames(_ store: SQLitePersistentStore, _ content: ContentFolder?) throws -> (
        before: Set<UUID>, after: Set<UUID>
    )? {
        guard hasChangedContent, let content else { return nil }
        let after = try store.contentNames()
        // What the older state refers to was not collected yet: nothing is missing in the folder,
        // though there may be more in it.
        return (try contentNames ?? content.names(), after)
    }

    /// Takes versions that can't be read out of the way, for what is to be saved must not wait for
    /// what was.
    /// - Returns: false where they can be read, so that something else is wrong.
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

    /// The pages of the store as keeping the version of a save has found them; nil where it has
    /// not.
    func pages(ofGeneration generation: Int) -> SavedPages? {
        pages.flatMap { $0.generation == generation ? $0.pages : nil }
    }

    // MARK: Clearing up

    /// Thins the versions out by age.
    mutating func prune(keeping lastSave: Int?) throws {
        guard let versions, try Disk.exists(versions.folder) else { return }
        if try !versions.prune(.standard, keeping: lastSave).isEmpty { noteRemovedVersions() }
    }

    /// The large values to which neither the saved state, which is all that the store has, nor a
    /// version refers; nil where nothing is to be looked for.
    mutating func unusedContent(_ package: String, _ content: ContentFolder, _ store: SQLitePersistentStore) throws
        -> Set<UUID>?
    {
        guard mayHaveUnusedContent, let versions,
            // Work that was set aside may refer to anything.
            try !Disk.exists(FilePath.join(package, PackageLayout.discarded)),
            let kept = try versions.contentReferences()
        else { return nil }
        let used = try store.contentNames()
        mayHaveUnusedContent = false
        return try content.names().subtracting(used).subtracting(kept)
    }
}

extension DocumentMarker {
    /// The saved state that the commit made, or that it was made on.
    var savedState: SavedState { SavedState(generation: generation, counter: isSaved ? counter : 0, saved: saved) }
}

extension SQLitePersistentStore {
    /// The names in `content/` that its rows refer to.
    func contentNames() throws -> Set<UUID> { try Set(externalValueNames().compactMap { UUID(uuidString: $0) }) }
}

extension ContentReferences {
    /// What a save changed, where it can have changed anything.
    fileprivate init(_ names: (before: Set<UUID>, after: Set<UUID>)?) {
        if let names { self.init(from: names.before, to: names.after) } else { self.init() }
    }
}

extension ChangeSet {
    /// Whether rows are written or deleted that may refer to large values in files of their own.
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
