package import Foundation

/// Which versions stay when there are many: all for an hour, one an hour for a day, one a day for a
/// month, then one a week; the newest of each.
///
///     try versions.prune(.standard, now: .now)
package struct Thinning: Sendable, Hashable {
    /// Up to which age how many seconds share one version, youngest first; the last goes on for
    /// ever.
    private let steps: [(age: Double, bucket: Double)]
    /// What all versions together may take, in bytes; the oldest go first. Pinned ones count and
    /// stay. Nil for no cap.
    package var maximumBytes: Int64?

    package static let standard = Thinning()
    /// Thins nothing out.
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

    /// The numbers of versions that go, by age alone. Pinned ones stay, the newest of all, and for
    /// a month what gave way in a conflict.
    package func superfluous(_ versions: [DocumentVersion], now: Date) -> Set<Int> {
        var result = Set<Int>()
        var taken = Set<[Double]>()
        for version in versions.sorted(by: { ($0.saved, $0.number) > ($1.saved, $1.number) }) {
            let age = now.timeIntervalSince(version.saved)
            // A date in the future is a clock that was set: young enough.
            guard let step = steps.first(where: { age < $0.age }), step.bucket > 0 else { continue }
            // Buckets of the calendar and not of age, so that what stays today stays tomorrow:
            // weeks hold whole days, days whole hours.
            let bucket = (version.saved.timeIntervalSince1970 / step.bucket).rounded(.down)
            let isFirst = taken.insert([step.bucket, bucket]).inserted
            // Work that nobody has decided to give up: a month to come back for it.
            if version.reason == .conflict, age < 30 * 86_400 { continue }
            if !isFirst, !version.isPinned, version.number != versions.last?.number { result.insert(version.number) }
        }
        return result
    }
}
