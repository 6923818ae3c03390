internal import SQLiteStore

extension DocumentInspection {
    /// Inspects a working set that an editor left: its WAL, or its own store, which may contain
    /// checkpointed work. For a package, `DocumentMarker.lastSave` records such work.
    init(ofWorkingSet place: StoreLocation) throws {
        let hasWAL = try place.hasWAL()
        let newest = try hasWAL || place.database == nil ? State(place.storedModelInfo()) : nil
        self.init(main: nil, newest: newest, hasWAL: hasWAL)
    }
}
