internal import DocumentFiles
internal import FileSystem
internal import ObjectGraph
internal import Storage

/// The versions of a document: lists them, changes them, and reverts to one.
struct DocumentVersions {
    let document: OpenDocument
    let saver: DocumentSaver

    func list() throws -> [DocumentVersion] {
        let state = try document.openedState()
        return try DocumentError.stage(.reading, state.path) {
            // The versions of a package can be read while a save adds one. Those of an archive are
            // read through the session.
            if let versions = state.versions { return try versions.list() }
            return try document.performInline { try $0.listVersions() }
        }
    }

    // MARK: Reverting

    func revertToSaved() throws {
        let state = try document.editingState()
        document.giveUpEdits()
        if state.hasAutosavedWork { try document.reopen { try $0.closeDiscardingAutosavedWork() } }
        document.showReadState()
    }

    func revert(to version: DocumentVersion) async throws {
        let state = try document.editingState(), number = version.number
        guard state.versions != nil else {
            throw DocumentError(.unsupported, "it keeps no versions", path: state.path, stage: .restoring)
        }
        try await document.performInBackground { try VersionRestorer($0).checkModel(of: number) }
        try await keepWorkAsVersion()
        // No suspension point follows, so no edit can happen between here and the end.
        document.giveUpEdits()
        try document.reopen { try VersionRestorer($0).closeRestoring(number) }
        document.showReadState()
    }

    /// Keeps unsaved work as a version. Repeats this for changes that were made meanwhile.
    private func keepWorkAsVersion() async throws {
        var isKept = false
        while true {
            document.context.processPendingChanges()
            if !document.edits.isCommitted(at: document.context.edits.position) {
                try await saver.autosave()
                isKept = false
            } else if document.state.hasAutosavedWork, !isKept {
                try await document.performInBackground { session in
                    _ = try session.commit(ChangeSet(), .unfinishedWork)
                    session.settleSave()
                    session.renewTrace()
                }
                isKept = true
            } else {
                return
            }
        }
    }

    // MARK: Changing

    func edit(_ body: @Sendable (VersionStore) throws -> Void) throws {
        _ = try document.editingState()
        // `performInline` waits for a save that is adding a version.
        try document.performInline { session in
            let versions = try Self.changeable(of: session)
            try DocumentError.stage(.versioning, session.path) { try body(versions) }
        }
    }

    /// Throws the errors of ``edit(_:)`` for a document that is open for reading.
    func checkEditing() throws { try document.performInline { _ = try Self.changeable(of: $0) } }

    private static func changeable(of session: DocumentSession) throws -> VersionStore {
        if let versions = session.versions { return versions }
        guard session.place.archive?.carriesVersions == true else {
            throw DocumentError(.unsupported, "it keeps no versions", path: session.path, stage: .versioning)
        }
        throw DocumentError(
            .unsupported, "the versions of an archive can't be changed", path: session.path, stage: .versioning,
            hint: "make a package of it first, as folio unpack does")
    }

    func remove(_ versions: [DocumentVersion]) throws {
        let state = try document.editingState()
        if let lastSave = state.marker?.lastSave, versions.contains(where: { $0.generation == lastSave.generation }) {
            throw DocumentError(
                .usage, "unsaved work goes back to version \(lastSave.generation): it can't be removed",
                path: state.path, hint: "save or revert first")
        }
        try edit { try $0.remove(Set(versions.map(\.number))) }
        try document.performInline { $0.noteRemovedVersions() }
    }

    // MARK: Quarantined files

    /// The paths of the quarantined files of the package.
    func quarantined() throws -> [String] {
        let state = try document.openedState()
        guard state.kind == .package else { return [] }
        return try DocumentError.stage(.reading, state.path) { try Quarantine.contents(ofPackage: state.path) }
    }

    func removeQuarantined() throws {
        let state = try document.editingState()
        guard state.kind == .package else { return }
        try DocumentError.stage(.versioning, state.path) {
            for path in try Quarantine.contents(ofPackage: state.path) { try Disk.removeTree(path) }
        }
    }
}
