internal import FileSystem

/// Merges several consecutive deltas to one that leads from the newest state to the oldest.
enum DeltaMerge {
    /// A run of the merged delta, and the index of the delta that contains its bytes.
    private struct Segment {
        let run: DeltaRun
        let part: Int
    }

    /// Writes the merged delta to a new file, and returns its size. The first of `parts` is the one
    /// that creates the oldest state.
    static func write(_ parts: [DeltaFile], _ references: ContentReferences, to path: String) throws -> Int64 {
        guard let oldest = parts.first, let newest = parts.last else { preconditionFailure("Give one part at least") }
        for part in parts { try part.checkData() }
        var writer = try DeltaWriter(path, size: oldest.size, newerSize: newest.newerSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: DeltaFile.pieceSize, alignment: 4096)
        defer { buffer.deallocate() }
        for segment in segments(parts) { try parts[segment.part].read(segment.run, buffer) { try writer.add($0, $1) } }
        return try writer.finish(references)
    }

    /// The effective parts of all runs in ascending order. If several runs contain the same byte,
    /// that of the oldest delta is used.
    private static func segments(_ parts: [DeltaFile]) -> [Segment] {
        var segments: [Segment] = []
        // A shorter state in between has no bytes beyond its end; the next older delta contains all
        // of these.
        var limit = Int64.max
        for (index, part) in parts.enumerated() {
            limit = min(limit, part.size)
            segments = overlaid(segments, part.runs, part: index, limit: limit)
        }
        return segments
    }

    /// Adds the parts of `runs` below `limit` that `segments` does not cover.
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
