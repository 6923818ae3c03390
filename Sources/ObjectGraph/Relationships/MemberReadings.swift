/// For how many objects of each fetch the members of a relationship were read so far.
struct MemberReadings {
    private struct Reading: Hashable {
        let source: UInt64
        let relation: ObjectIdentifier
    }

    /// How many times as many are read at the next trip, and how many at most.
    private static let growth = 128, most = 16_384
    /// So many fetches and relationships are remembered.
    private static let mostKept = 256

    private var counts: [Reading: Int] = [:]

    /// For how many objects the next trip is to read members; nil where none was made. Source 0 is
    /// no fetch.
    func nextCount(source: UInt64, _ relation: EntityShape.Relation) -> Int? {
        guard source != 0, let count = counts[Reading(source: source, relation: ObjectIdentifier(relation))] else {
            return nil
        }
        return min(count * Self.growth, Self.most)
    }

    /// Notes a trip.
    mutating func note(_ count: Int, source: UInt64, _ relation: EntityShape.Relation) {
        guard source != 0 else { return }
        let reading = Reading(source: source, relation: ObjectIdentifier(relation)), before = counts[reading] ?? 0
        if counts.count >= Self.mostKept { counts.removeAll() }
        counts[reading] = before + count
    }
}
