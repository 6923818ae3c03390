/// The moment by which statements must be done.
final class Deadline {
    let instant: ContinuousClock.Instant
    init(at instant: ContinuousClock.Instant) { self.instant = instant }
    var isOver: Bool { ContinuousClock.now >= instant }
}
