internal import FileSystem
package import Foundation

extension VersionStore {
    /// Thins out the versions, and returns the numbers of the removed ones.
    /// - Parameter keeping: A generation that is always kept.
    @discardableResult
    package func prune(_ thinning: Thinning, keeping: Int? = nil, now: Date = .now) throws -> [Int] {
        let index = try VersionIndex.read(in: folder)
        let versions = index.rows.map(\.version)
        var doomed = thinning.superfluous(versions, now: now)
        for version in versions where version.generation == keeping { doomed.remove(version.number) }
        if let cap = thinning.maximumBytes {
            // Merging the delta of a removed version into the next older one never increases their
            // total size.
            var total = versions.filter { !doomed.contains($0.number) }.reduce(0) { $0 + $1.bytes }
            for version in versions
            where total > cap && !version.isPinned && version.generation != keeping && !doomed.contains(version.number)
            {
                doomed.insert(version.number)
                total -= version.bytes
            }
        }
        try remove(doomed)
        return doomed.sorted()
    }

    /// Removes versions, including pinned ones: all of them or none. The others can be restored as
    /// before. The disk space is free when the method returns.
    ///
    /// Reads the deltas of the removed versions and their neighbors, and copies the full copy of a
    /// removed version if an older version depends on it.
    /// - Throws: `.notFound` if a version does not exist.
    package func remove(_ numbers: Set<Int>) throws {
        guard !numbers.isEmpty else { return }
        let index = try VersionIndex.read(in: folder)
        for number in numbers.sorted() where index.position(of: number) == nil { throw missing(number) }
        try removeStrays(index)
        var next = index
        next.rows = []
        try making { made in
            var position = 0
            while position < index.rows.count {
                guard !numbers.contains(index.rows[position].number) else {
                    // No older version depends on it, so it can be removed without merging.
                    position += 1
                    continue
                }
                var end = position + 1
                while end < index.rows.count, numbers.contains(index.rows[end].number) { end += 1 }
                next.rows.append(end == position + 1 ? index.rows[position] : try merged(position..<end, index, &made))
                position = end
            }
            if !made.isEmpty { try Disk.synchronizeDirectory(folder) }
            try next.write(in: folder)
        }
        // The index does not contain them any more. Files that can't be deleted now are deleted
        // before the next version is kept.
        try? removeStrays(next)
    }

    /// Merges the rows of a range to the first one, whose delta then leads from the state of the
    /// row after the range.
    private func merged(_ range: Range<Int>, _ index: VersionIndex, _ made: inout [String]) throws -> VersionIndex.Row {
        var row = index.rows[range.lowerBound]
        row.revision += 1
        let parts = try range.map { try delta(of: index.rows[$0]) }
        let references = parts.dropFirst().reduce(parts[0].references) { $0.followed(by: $1.references) }
        if range.contains(where: { index.rows[$0].flags.contains(.hasUnknownReferences) }) {
            row.flags.insert(.hasUnknownReferences)
        }

        made.append(row.deltaName)
        if range.allSatisfy({ index.rows[$0].flags.contains(.isLinked) }) {
            row.deltaBytes = try DeltaMerge.write(parts, references, to: path(row.deltaName))
            return row
        }
        // The chain of deltas is interrupted within the range, and continues from a full copy that
        // will be removed, so the merged row gets a full copy.
        if !row.flags.contains(.hasBase) {
            made.append(row.baseName)
            try restoreFromBase(range.lowerBound, index, to: path(row.baseName))
            row.baseBytes = row.size
            row.flags.insert(.hasBase)
        }
        row.flags.remove(.isLinked)
        var writer = try DeltaWriter(path(row.deltaName), size: row.size, newerSize: row.size)
        row.deltaBytes = try writer.finish(references)
        return row
    }
}
