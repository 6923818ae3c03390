package import Foundation

/// Determines which versions are kept: all of the last hour, one an hour for a day, one a day for a
/// month, and one a week after that; the newest of each period.
///
///     try versions.prune(.standard, now: .now)
package struct Thinning: Sendable, Hashable {
    /// The periods in seconds in which one version is kept, with the age up to which each applies,
    /// the youngest first. The last one applies to all older versions.
    private let steps: [(age: Double, bucket: Double)]
    /// The maximum size of all versions in bytes; the oldest are removed first. Pinned versions
    /// count, but are kept. Nil for no maximum.
    package var maximumBytes: Int64?

    package static let standard = Thinning()
    /// A policy that removes versions by their total size only.
    package static func cap(_ bytes: Int64) -> Thinning { Thinning(steps: [(.infinity, 0)], maximumBytes: bytes) }

    package init(maximumBytes: Int64? = nil) {
        let hour = 3600.0, day = 24 * hour
        self.init(steps: [(hour, 0), (day, hour), (30 * day, day), (.infinity, 7 * day)], maximumBytes: maximumBytes)
    }

    private init(steps: [(age: Double, bucket: Double)], maximumBytes: Int64?) {
        self.steps = steps
        self.maximumBytes = maximumBytes
    }

    package static func == (first: Thinning, second: Thinning) -> Bool {
        first.maximumBytes == second.maximumBytes && first.steps.elementsEqual(second.steps) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(maximumBytes)
        for step in steps {
            hasher.combine(step.age)
            hasher.combine(step.bucket)
        }
    }

    /// The numbers of the versions to remove by age. Pinned versions, the newest one, and versions
    /// of conflicts in the last month are kept.
    package func superfluous(_ versions: [DocumentVersion], now: Date) -> Set<Int> {
        var result = Set<Int>()
        var taken = Set<[Double]>()
        for version in versions.sorted(by: { ($0.saved, $0.number) > ($1.saved, $1.number) }) {
            let age = now.timeIntervalSince(version.saved)
            // A date in the future results from a changed clock, and counts as recent.
            guard let step = steps.first(where: { age < $0.age }), step.bucket > 0 else { continue }
            // Periods of the calendar instead of ages, so that the same versions are kept on the
            // next day. Weeks consist of whole days, days of whole hours.
            let bucket = (version.saved.timeIntervalSince1970 / step.bucket).rounded(.down)
            let isFirst = taken.insert([step.bucket, bucket]).inserted
            // The user has not decided to discard this work, so keep it for a month.
            if version.reason == .conflict, age < 30 * 86_400 { continue }
            if !isFirst, !version.isPinned, version.number != versions.last?.number { result.insert(version.number) }
        }
        return result
    }
}
