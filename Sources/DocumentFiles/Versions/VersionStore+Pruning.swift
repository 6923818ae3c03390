internal import FileSystem
package import Foundation

extension VersionStore {
    /// Thins the versions out; answers the numbers of those that went.
    /// - Parameter keeping: A generation that stays in any case.
    @discardableResult
    package func prune(_ thinning: Thinning, keeping: Int? = nil, now: Date = .now) throws -> [Int] {
        let index = try VersionIndex.read(in: folder)
        let versions = index.rows.map(\.version)
        var doomed = thinning.superfluous(versions, now: now)
        for version in versions where version.generation == keeping { doomed.remove(version.number) }
        if let cap = thinning.maximumBytes {
            // Merging a removed version's delta into the next older one never makes more of the
            // two.
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

    /// Removes versions, pinned or not; those that stay can be restored as before. All of them or
    /// none; what they took on the disk is free when it returns.
    ///
    /// Costs the deltas of the removed versions and of those next to them; where the next older
    /// version lives on a removed one's whole copy, that copy too.
    /// - Throws: `.notFound` where one is not there.
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
                    // Nothing older leads over it: it simply goes.
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
        // They count no more; what can't be removed now is a stray, and goes before the next
        // version is kept.
        try? removeStrays(next)
    }

    /// The row at the range's beginning, made to lead from where its last one leads from; the
    /// others go.
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
        // Somewhere in between only a whole copy goes on, and it is about to be removed: this row
        // gets one of its own.
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
