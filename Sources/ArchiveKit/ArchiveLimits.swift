/// How much an archive may hold. A bound that is passed is an error, found before anything is
/// extracted wherever the directory tells.
package struct ArchiveLimits: Sendable, Hashable {
    package var entries = 100_000
    /// All entries together, unpacked.
    package var total: Int64 = 64 << 30
    /// Times that an entry may grow when unpacked, once past `ratioFloor` bytes.
    package var ratio: Int64 = 200
    package var ratioFloor: Int64 = 1 << 20
    package var nameBytes = 1024
    package var componentBytes = 255
    package var depth = 16

    package init() {}
}
