internal import FileSystem
internal import SQLiteFile

extension VersionStore {
    /// Keeps the last saved state, which a store that was written as a whole replaces: as the
    /// difference of the two, or as a full copy where one is due.
    ///
    /// Compares all pages of both.
    /// - Parameters:
    ///   - saved: The state that replaces it.
    ///   - previous: The last saved state.
    ///   - recorded: What the last save recorded of its pages.
    ///   - sum: That of the new store.
    func keepReplaced(
        _ older: DatabaseState, by newer: DatabaseState, saved: SavedState, previous: SavedState,
        references: ContentReferences, recorded: SavedPages?, sum: StateSum
    ) throws {
        var index = try VersionIndex.read(in: folder)
        if index.head?.isSame(as: saved) == true { return }
        try prepareFolder()
        try prepare(&index, previous)
        guard index.rows.count < VersionIndex.maximumCount, let head = index.head else {
            throw DocumentError(
                .unsupported, "more than \(VersionIndex.maximumCount) versions; prune them", path: folder)
        }
        try making { made in
            var row = VersionIndex.Row(
                number: index.next, generation: head.generation, saved: head.saved,
                reason: DocumentVersion.Reason.save.description, flags: .isLinked, size: older.size, deltaBytes: 0)
            let isSized = older.pageSize == newer.pageSize
            if !isSized || isBaseDue(index, older.size) {
                made.append(row.baseName)
                row.sum = try writeBase(older, to: path(row.baseName))
                row.baseBytes = row.size
                if isSized { row.flags.insert(.hasBase) } else { row.flags = .hasBase }
            } else if let recorded, try !recorded.isChangedOutside(DatabaseHeader(of: older)) {
                row.sum = recorded.sum
            } else {
                row.sum = try StateSum(of: older)
            }
            // Another program has replaced the store: older versions lead up to another state.
            if let sum = head.sum, sum != row.sum { index.giveUpChain() }
            made.append(row.deltaName)
            var unneeded: StateSum?
            row.deltaBytes = try writeDelta(
                row, Array(0..<min(older.pageCount, newer.pageCount)), older, newer, references, &unneeded)
            index.rows.append(row)
            index.next += 1
            index.head = VersionIndex.Head(saved, sum: sum)
            try index.write(in: folder)
        }
    }

    /// Removes the oldest versions as far as there are too many or their differences take too much.
    func removeOldest(beyond count: Int, bytes: Int64) throws {
        let index = try VersionIndex.read(in: folder)
        var total: Int64 = 0, kept = 0
        for row in index.rows.reversed() {
            total += row.deltaBytes + row.baseBytes
            if kept == count || total > bytes { break }
            kept += 1
        }
        try remove(Set(index.rows.dropLast(kept).map(\.number)))
    }
}

extension DatabaseState {
    /// A database file that no process has open.
    init(ofFileAt path: String) throws {
        let file = try File(path, .read), plain = PlainFile(file)
        self.init(
            size: try file.status().size,
            pageSize: max(DatabaseHeader.pageSizes.lowerBound, try DatabaseHeader(of: plain).pageSize), main: plain)
    }
}
