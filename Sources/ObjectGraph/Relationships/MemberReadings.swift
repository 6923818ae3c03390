/// Counts, for each fetch and relationship, the objects whose members were read so far.
struct MemberReadings {
    private struct Reading: Hashable {
        let source: UInt64
        let relation: ObjectIdentifier
    }

    /// The factor by which the next query reads more, and the maximum number of owners in a query.
    private static let growth = 128, most = 16_384
    /// The maximum number of fetches and relationships to remember.
    private static let mostKept = 256

    private var counts: [Reading: Int] = [:]

    /// The number of objects whose members the next query reads; nil if there was no query yet.
    /// Source 0 means that the objects come from no fetch.
    func nextCount(source: UInt64, _ relation: EntityShape.Relation) -> Int? {
        guard source != 0, let count = counts[Reading(source: source, relation: ObjectIdentifier(relation))] else {
            return nil
        }
        return min(count * Self.growth, Self.most)
    }

    /// Records a query.
    mutating func note(_ count: Int, source: UInt64, _ relation: EntityShape.Relation) {
        guard source != 0 else { return }
        let reading = Reading(source: source, relation: ObjectIdentifier(relation)), before = counts[reading] ?? 0
        if counts.count >= Self.mostKept { counts.removeAll() }
        counts[reading] = before + count
    }
}
