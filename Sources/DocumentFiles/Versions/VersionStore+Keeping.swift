package import FileSystem
internal import Foundation
package import SQLiteFile
package import SQLiteKit

extension VersionStore {
    /// Keeps the last saved state as a version, after the commit of a new save and before its
    /// checkpoint. The version is durable when the method returns.
    ///
    /// A repeated call for the same save does nothing, so an interrupted save can be completed
    /// without knowing how far it came. After an error, all older versions are unchanged; the call
    /// has to be repeated before a checkpoint.
    ///
    ///     try connection.withFiles { files in
    ///         try versions.keep(
    ///             files, saved: marker.state, previous: previous,
    ///             references: ContentReferences(from: before, to: after))
    ///     }
    ///     try connection.checkpoint(.truncate)
    ///
    /// Reads the WAL once, and writes about as many bytes as differ, and the index.
    /// - Parameters:
    ///   - saved: The save that was just committed.
    ///   - previous: The save before it, which is the main file unless a checkpoint is pending.
    ///   - references: The difference between the names in `content/` of the two.
    /// - Returns: The version; nil if it was kept already.
    @discardableResult
    package func keep(
        _ files: DatabaseFiles, saved: SavedState, previous: SavedState, reason: DocumentVersion.Reason = .save,
        references: ContentReferences = ContentReferences()
    ) throws -> DocumentVersion? {
        var pages: SavedPages?
        return try keep(files, saved: saved, previous: previous, reason: reason, references: references, pages: &pages)
    }

    /// - Parameter pages: The recorded pages of `previous`, if known. Set to the pages to record
    ///   for `saved`; nil if determining them would require reading all pages.
    func keep(
        _ files: DatabaseFiles, saved: SavedState, previous: SavedState, reason: DocumentVersion.Reason,
        references: ContentReferences, pages: inout SavedPages?
    ) throws -> DocumentVersion? {
        let recorded = pages
        pages = nil
        var index = try VersionIndex.read(in: folder)
        if try isKept(index, saved) {
            // Later commits by other programs are not included in the sum.
            if let sum = index.head?.sum, files.log == nil || files.log?.end == index.head?.wal {
                pages = try SavedPages(sum: sum, of: files.current)
            }
            return nil
        }
        try prepareFolder()
        try prepare(&index, previous)
        guard index.rows.count < VersionIndex.maximumCount else {
            throw DocumentError(
                .unsupported, "more than \(VersionIndex.maximumCount) versions; prune them", path: folder)
        }
        guard let head = index.head else { preconditionFailure("continue(from:) sets the head") }
        return try making { made in
            let older = files.state(at: head.wal), newer = files.current
            var row = VersionIndex.Row(
                number: index.next, generation: head.generation, saved: head.saved, reason: reason.description,
                flags: .isLinked,
                size: older.size, deltaBytes: 0)
            row.sum = recorded?.sum ?? head.sum
            let isChangedOutside = try recorded.map { try $0.isChangedOutside(DatabaseHeader(of: older)) } ?? false
            if isChangedOutside { row.sum = nil }
            // A merge for git puts another store into the package, and records no pages.
            if recorded == nil, row.sum != nil { row.sum = try StateSum(of: older) }
            if !isChangedOutside, let sum = head.sum, let found = row.sum, sum != found { index.giveUpChain() }
            if row.sum == nil, older.size <= policy.cheapSize { row.sum = try StateSum(of: older) }
            made.append(row.baseName)
            if older.isMainFile, try clone(files, path(row.baseName)) {
                row.flags = .hasBase
            } else if isBaseDue(index, older.size) {
                row.sum = try writeBase(older, to: path(row.baseName))
                row.flags.insert(.hasBase)
            }
            if row.flags.contains(.hasBase) {
                try Disk.synchronizeFile(path(row.baseName))
                row.baseBytes = row.size
            }
            made.append(row.deltaName)
            var sum = row.sum
            row.deltaBytes = try writeDelta(
                row, files.pagesWritten(since: head.wal), older, newer, references, &sum)
            try Disk.synchronizeDirectory(folder)
            index.rows.append(row)
            index.next += 1
            index.head = VersionIndex.Head(saved, wal: files.log?.end, sum: sum)
            try index.write(in: folder)
            pages = try sum.map { try SavedPages(sum: $0, of: newer) }
            return row.version
        }
    }

    /// Keeps the last saved state as a full copy, before another file replaces the whole store
    /// after a migration, a compaction or a restore.
    ///
    /// `store` is the complete main file. It is read and copied, or cloned if the file system
    /// supports that. Call this on the versions folder of the document that replaces the old one.
    /// - Parameter saved: The state that replaces it.
    @discardableResult
    package func keepReplaced(
        _ store: String, saved: SavedState, previous: SavedState, reason: DocumentVersion.Reason,
        references: ContentReferences
    ) throws -> DocumentVersion? {
        try keepClosed(saved: saved, previous: previous, reason: reason, references: references) { _, path in
            try Disk.copyFile(store, to: path)
        }
    }

    /// Keeps the last saved state of an open store as a full copy, before another store replaces
    /// it.
    ///
    /// The files of the store are only read. If the store is not replaced after all, because of a
    /// crash or an error, the next save removes the version again.
    @discardableResult
    package func keepReplaced(
        _ files: DatabaseFiles, saved: SavedState, previous: SavedState, reason: DocumentVersion.Reason,
        references: ContentReferences
    ) throws -> DocumentVersion? {
        try keepClosed(saved: saved, previous: previous, reason: reason, references: references) { head, path in
            let state = files.state(at: head.wal)
            if state.isMainFile, try clone(files, path) { return }
            _ = try writeBase(state, to: path)
        }
    }

    /// Keeps a state that is not a predecessor of the saved one as a full copy: the state that was
    /// open here before a conflict was resolved.
    ///
    /// The deltas of older versions lead from the saved state and must not involve this one, so the
    /// newest of these versions gets a full copy, too. Costs the two copies.
    /// - Parameter previous: The saved state, which remains the saved state.
    package func keepAside(
        _ store: String, _ files: DatabaseFiles, state: SavedState, previous: SavedState,
        reason: DocumentVersion.Reason,
        references: ContentReferences = ContentReferences()
    ) throws -> DocumentVersion {
        var index = try VersionIndex.read(in: folder)
        try prepareFolder()
        try prepare(&index, previous)
        guard index.rows.count < VersionIndex.maximumCount else {
            throw DocumentError(
                .unsupported, "more than \(VersionIndex.maximumCount) versions; prune them", path: folder)
        }
        return try making { made in
            if let last = index.rows.indices.last {
                if !index.rows[last].flags.contains(.hasBase) {
                    let name = index.rows[last].baseName
                    made.append(name)
                    do {
                        try restore(index.rows[last].number, from: files, to: path(name))
                        index.rows[last].baseBytes = index.rows[last].size
                        index.rows[last].flags.insert(.hasBase)
                    } catch let error as DocumentError where error.code == .malformed {
                        index.giveUpChain()
                    }
                }
                if let last = index.rows.indices.last { index.rows[last].flags.remove(.isLinked) }
            }
            var row = VersionIndex.Row(
                number: index.next, generation: state.generation, saved: state.saved.milliseconds,
                reason: reason.description, flags: .hasBase, size: 0, deltaBytes: 0)
            made.append(row.baseName)
            try Disk.copyFile(store, to: path(row.baseName))
            let base = try File(path(row.baseName), .readWrite)
            try base.synchronize()
            row.size = try base.status().size
            row.baseBytes = row.size
            row.sum = try DatabaseSum(of: base).sum
            made.append(row.deltaName)
            var writer = try DeltaWriter(path(row.deltaName), size: row.size, newerSize: row.size)
            row.deltaBytes = try writer.finish(references)
            try Disk.synchronizeDirectory(folder)
            index.rows.append(row)
            index.next += 1
            try index.write(in: folder)
            return row.version
        }
    }

    /// The highest generation of a version; 0 if there is none. After a conflict it may be higher
    /// than that of the document.
    func lastGeneration() throws -> Int { try VersionIndex.read(in: folder).rows.reduce(0) { max($0, $1.generation) } }

    private func keepClosed(
        saved: SavedState, previous: SavedState, reason: DocumentVersion.Reason, references: ContentReferences,
        copying copy: (VersionIndex.Head, _ path: String) throws -> Void
    ) throws -> DocumentVersion? {
        var index = try VersionIndex.read(in: folder)
        if try isKept(index, saved) { return nil }
        try prepareFolder()
        try prepare(&index, previous)
        guard let head = index.head else { preconditionFailure("continue(from:) sets the head") }
        return try making { made in
            var row = VersionIndex.Row(
                number: index.next, generation: head.generation, saved: head.saved, reason: reason.description,
                flags: .hasBase, size: 0, deltaBytes: 0)
            made.append(row.baseName)
            try copy(head, path(row.baseName))
            let base = try File(path(row.baseName), .readWrite)
            try base.synchronize()
            row.size = try base.status().size
            row.baseBytes = row.size
            row.sum = try DatabaseSum(of: base).sum
            if let sum = head.sum, sum != row.sum { index.giveUpChain() }
            made.append(row.deltaName)
            var writer = try DeltaWriter(path(row.deltaName), size: row.size, newerSize: row.size)
            row.deltaBytes = try writer.finish(references)
            try Disk.synchronizeDirectory(folder)
            index.rows.append(row)
            index.next += 1
            index.head = VersionIndex.Head(saved)
            try index.write(in: folder)
            return row.version
        }
    }

    /// Whether an earlier call has kept the state before this one. Makes the version durable if so.
    private func isKept(_ index: VersionIndex, _ saved: SavedState) throws -> Bool {
        guard let head = index.head, head.isSame(as: saved) else { return false }
        try Disk.synchronizeDirectory(folder)
        return true
    }

    /// Continues the index from `previous`, and removes unused files from the folder.
    func prepare(_ index: inout VersionIndex, _ previous: SavedState) throws {
        let before = index.rows
        index.continue(from: previous)
        // Write the index before the files of removed rows are deleted.
        if index.rows != before { try index.write(in: folder) }
        try removeStrays(index)
    }

    func isBaseDue(_ index: VersionIndex, _ size: Int64) -> Bool {
        guard policy.makesBases else { return false }
        var count = 0
        var bytes: Int64 = 0
        for row in index.rows.reversed() {
            if row.flags.contains(.hasBase) { break }
            count += 1
            bytes += row.deltaBytes
        }
        if count >= policy.interval, size <= policy.cheapSize { return true }
        return count > 0 && bytes > size / policy.share
    }

    /// Writes a state to a new file, and returns the sum over its pages.
    func writeBase(_ state: DatabaseState, to path: String) throws -> StateSum {
        let file = try File(path, .create())
        defer { file.close() }
        return try state.write(to: file)
    }

    private static let pagesAtOnce = 16

    /// Writes the delta from the newer to the older state, or only the references for a row that is
    /// not linked. If `sum` is not nil, it is updated to that of the newer state.
    /// - Parameter pages: Those that may differ, of those that both states have.
    func writeDelta(
        _ row: VersionIndex.Row, _ pages: [Int], _ older: DatabaseState, _ newer: DatabaseState,
        _ references: ContentReferences, _ sum: inout StateSum?
    ) throws -> Int64 {
        let pageSize = older.pageSize
        var writer = try DeltaWriter(path(row.deltaName), size: older.size, newerSize: newer.size)
        let half = Self.pagesAtOnce * pageSize
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * half, alignment: 4096)
        defer { buffer.deallocate() }
        let first = UnsafeMutableRawBufferPointer(rebasing: buffer[..<half]),
            second = UnsafeMutableRawBufferPointer(rebasing: buffer[half...])
        // Pages that only one of the states has are compared even if they were not written.
        let common = min(older.pageCount, newer.pageCount), all = max(older.pageCount, newer.pageCount)
        let written = pages.filter { $0 < common }
        // If the main file ends within a page, the rest of that page is new.
        let last = older.size % Int64(pageSize) == 0 || written.last == common - 1 || common == 0 ? [] : [common - 1]
        func note(_ run: Range<Int>) throws {
            try older.read(pages: run, into: first)
            try newer.read(pages: run, into: second)
            for page in run {
                let start = (page - run.lowerBound) * pageSize
                let old = UnsafeRawBufferPointer(rebasing: first[start..<start + older.byteCount(ofPage: page)])
                let new = UnsafeRawBufferPointer(rebasing: second[start..<start + newer.byteCount(ofPage: page)])
                if sum != nil {
                    if !old.isEmpty { sum?.remove(page, old) }
                    if !new.isEmpty { sum?.add(page, new) }
                }
                guard row.flags.contains(.isLinked) else { continue }
                try PageDifference.forEach(old, new) { range in
                    try writer.add(
                        Int64(page) * Int64(pageSize) + Int64(range.lowerBound),
                        UnsafeRawBufferPointer(rebasing: old[range]))
                }
            }
        }
        for pages in [AnySequence(written), AnySequence(last), AnySequence(common..<all)] {
            var run = 0..<0
            for page in pages {
                if page == run.upperBound, !run.isEmpty, run.count < Self.pagesAtOnce {
                    run = run.lowerBound..<page + 1
                } else {
                    try note(run)
                    run = page..<page + 1
                }
            }
            try note(run)
        }
        return try writer.finish(references)
    }
}

extension VersionIndex {
    /// Continues the index from the saved state of the document.
    ///
    /// Usually this is the head. If the document fell back to the state of the last version,
    /// because a later WAL was lost, that state becomes the head again. If it is neither, another
    /// program has saved without keeping a version; all versions that can't be created from a full
    /// copy are removed.
    mutating func `continue`(from previous: SavedState) {
        guard let head else {
            self.head = Head(previous)
            rows = []
            return
        }
        if head.generation == previous.generation { return }
        if let last = rows.last, last.generation == previous.generation {
            self.head = Head(
                SavedState(generation: last.generation, saved: Date(milliseconds: last.saved)), sum: last.sum)
            rows.removeLast()
            return
        }
        self.head = Head(previous)
        giveUpChain()
    }

    /// Removes the versions that could only be created from a state that is lost.
    mutating func giveUpChain() {
        rows.removeLast(rows.count - (rows.lastIndex { $0.flags.contains(.hasBase) }.map { $0 + 1 } ?? 0))
        if !rows.isEmpty {
            rows[rows.count - 1].flags.remove(.isLinked)
            rows[rows.count - 1].flags.insert(.hasUnknownReferences)
        }
    }
}

extension DatabaseState {
    /// Writes the state to an empty file, and returns the sum over its pages.
    package func write(to file: File) throws -> StateSum {
        var sum = StateSum()
        let pagesAtOnce = max(1, (1 << 18) / pageSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pagesAtOnce * pageSize, alignment: 4096)
        defer { buffer.deallocate() }
        var page = 0
        while page < pageCount {
            var filled = 0
            for next in page..<min(page + pagesAtOnce, pageCount) {
                let place = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + pageSize])
                let count = try read(page: next, into: place)
                sum.add(next, UnsafeRawBufferPointer(rebasing: place[..<count]))
                filled += count
            }
            try file.append(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
            page += pagesAtOnce
        }
        return sum
    }
}
