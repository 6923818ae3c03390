internal import FileSystem

/// Several deltas, one leading to the next, made into one: from the newest state of all to the
/// oldest.
enum DeltaMerge {
    /// Bytes of the merged delta and the part that has them.
    private struct Segment {
        let run: DeltaRun
        let part: Int
    }

    /// Writes the merged delta into a new file and answers its size. `parts` begin with the oldest,
    /// the one that makes the state that counts.
    static func write(_ parts: [DeltaFile], _ references: ContentReferences, to path: String) throws -> Int64 {
        guard let oldest = parts.first, let newest = parts.last else { preconditionFailure("Give one part at least") }
        for part in parts { try part.checkData() }
        var writer = try DeltaWriter(path, size: oldest.size, newerSize: newest.newerSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: DeltaFile.pieceSize, alignment: 4096)
        defer { buffer.deallocate() }
        for segment in segments(parts) { try parts[segment.part].read(segment.run, buffer) { try writer.add($0, $1) } }
        return try writer.finish(references)
    }

    /// What counts of all runs, ascending: of two that have the same byte, the older part's.
    private static func segments(_ parts: [DeltaFile]) -> [Segment] {
        var segments: [Segment] = []
        // A state between that was shorter has no bytes beyond its end, and the part that makes the
        // next older one has them all.
        var limit = Int64.max
        for (index, part) in parts.enumerated() {
            limit = min(limit, part.size)
            segments = overlaid(segments, part.runs, part: index, limit: limit)
        }
        return segments
    }

    /// Adds those bytes of `runs` below `limit` that `segments` don't have.
    private static func overlaid(_ segments: [Segment], _ runs: [DeltaRun], part: Int, limit: Int64) -> [Segment] {
        var result: [Segment] = []
        result.reserveCapacity(segments.count + runs.count)
        var next = 0
        for run in runs {
            var offset = run.offset
            let end = min(run.end, limit)
            while next < segments.count, segments[next].run.end <= offset {
                result.append(segments[next])
                next += 1
            }
            while offset < end {
                let covered = next < segments.count ? segments[next].run : nil
                let stop = min(end, covered?.offset ?? end)
                if offset < stop {
                    let free = DeltaRun(offset: offset, length: stop - offset, place: run.place + offset - run.offset)
                    result.append(Segment(run: free, part: part))
                    offset = stop
                }
                if let covered, covered.offset <= offset, offset < end {
                    offset = covered.end
                    // The run may reach beyond this segment, and the next run may begin within it.
                    if covered.end <= end {
                        result.append(segments[next])
                        next += 1
                    }
                }
            }
        }
        result.append(contentsOf: segments[next...])
        return result
    }
}
