/// For how many objects of one fetch the members of one relationship were read, is kept by this.
struct MemberReading: Hashable {
    let source: UInt64
    let relation: ObjectIdentifier

    /// How many times as many are read at the next trip, and how many at most.
    static let growth = 128, most = 16_384
    /// So many fetches are remembered.
    static let mostKept = 256
}
