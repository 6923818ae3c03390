/// The time by which statements must be finished.
final class Deadline {
    let instant: ContinuousClock.Instant
    init(at instant: ContinuousClock.Instant) { self.instant = instant }
    var isOver: Bool { ContinuousClock.now >= instant }
}
