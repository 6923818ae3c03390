internal import FileSystem
internal import SQLiteFile
package import SQLiteKit

extension VersionStore {
    /// Writes a version's store to a new file, with exactly the saved bytes.
    ///
    /// `files` are those of the document, which is open for reading or editing. If others edit the
    /// document meanwhile, the result is the requested state or an error; the operation is repeated
    /// if the versions changed while they were read. Costs reading the store and the deltas in
    /// between, and writing the store.
    /// - Parameter isDurable: Whether the file is durable afterwards, but not its directory entry;
    ///   false for a file that is read and removed.
    /// - Throws: `DocumentError`: `.notFound` if there is no such version, `.malformed` if it can't
    ///   be restored exactly. There is no file after an error.
    package func restore(_ number: Int, from files: DatabaseFiles, to target: String, isDurable: Bool = true) throws {
        var left = Self.attempts
        while true {
            left -= 1
            let index = try VersionIndex.read(in: folder)
            guard try !Disk.exists(target) else {
                throw DocumentError(.cannotCreate, "something is there already", path: target)
            }
            do {
                return try removing(target) { try restore(number, index, files, to: target, isDurable: isDurable) }
            } catch {
                guard left > 0, let now = try? VersionIndex.read(in: folder), !now.agrees(with: index) else {
                    throw error
                }
            }
        }
    }

    private static let attempts = 5

    private func restore(
        _ number: Int, _ index: VersionIndex, _ files: DatabaseFiles?, to target: String, isDurable: Bool
    ) throws {
        guard let position = index.position(of: number) else { throw missing(number) }
        var failure: (any Error)?
        // Try the nearest copy first. If one is damaged, another may be intact.
        for start in index.starts(position) {
            do {
                return try removing(target) {
                    try restore(position, index, start, files, to: target, isDurable: isDurable)
                }
            } catch let error as DocumentError where error.code == .malformed {
                failure = failure ?? error
            }
        }
        throw failure
            ?? DocumentError(
                .malformed, "nothing is left to make version \(index.rows[position].generation) of", path: folder)
    }

    /// Creates the state of a row from a full copy, without the document's own files.
    func restoreFromBase(_ position: Int, _ index: VersionIndex, to target: String) throws {
        try restore(index.rows[position].number, index, nil, to: target, isDurable: true)
    }

    private func restore(
        _ position: Int, _ index: VersionIndex, _ start: Int, _ files: DatabaseFiles?, to target: String,
        isDurable: Bool
    ) throws {
        let row = index.rows[position]
        if start == index.rows.count {
            guard let files else {
                throw DocumentError(
                    .malformed, "version \(row.generation) can't be made without the document's own state", path: folder
                )
            }
            _ = try files.state(at: index.head?.wal).write(to: File(target, .create()))
        } else {
            try Disk.copyFile(path(index.rows[start].baseName), to: target)
        }
        let file = try File(target, .readWrite)
        for newer in (position..<start).reversed() { try delta(of: index.rows[newer]).apply(to: file) }
        guard try file.status().size == row.size else { throw different(row) }
        if let sum = row.sum, try DatabaseSum(of: file).sum != sum { throw different(row) }
        if isDurable { try file.synchronize() }
    }

    private func removing(_ target: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            _ = try? Disk.removeFileIfPresent(target)
            throw error
        }
    }

    private func different(_ row: VersionIndex.Row) -> DocumentError {
        DocumentError(
            .malformed,
            "version \(row.generation) can't be restored as it was: it is damaged, or the document was changed by a program that kept no version",
            path: folder)
    }

}

extension VersionStore {
    /// The files that are in the index but not in the folder.
    struct MissingFiles {
        /// The missing files, with the generation of the version.
        package var files: [(generation: Int, name: String)] = []
        /// The numbers of the versions that can't be restored without them.
        var unmakeable: Set<Int> = []
    }

    /// Finds the missing files. Lists the folder, and reads only the index.
    func missingFiles() throws -> MissingFiles {
        let index = try VersionIndex.read(in: folder),
            names = try Set(Disk.list(folder).filter { $0.kind == .file }.map(\.name))
        var missing = MissingFiles()
        for row in index.rows {
            for name in row.flags.contains(.hasBase) ? [row.deltaName, row.baseName] : [row.deltaName]
            where !names.contains(name) { missing.files.append((row.generation, name)) }
        }
        guard !missing.files.isEmpty else { return missing }
        for (position, row) in index.rows.enumerated() {
            let isMakeable = index.starts(position).contains { start in
                (start == index.rows.count || names.contains(index.rows[start].baseName))
                    && index.rows[position..<start].allSatisfy { names.contains($0.deltaName) }
            }
            if !isMakeable { missing.unmakeable.insert(row.number) }
        }
        return missing
    }
}

extension VersionIndex {
    /// The rows with a full copy from which the state of a row can be created, the nearest first;
    /// `rows.count` is the document's own state.
    func starts(_ position: Int) -> [Int] {
        var starts: [Int] = []
        var row = position
        while row < rows.count {
            if rows[row].flags.contains(.hasBase) { starts.append(row) }
            guard rows[row].flags.contains(.isLinked) else { return starts }
            row += 1
        }
        return starts + [rows.count]
    }

    fileprivate func agrees(with other: VersionIndex) -> Bool {
        next == other.next && rows == other.rows && head == other.head
    }
}
