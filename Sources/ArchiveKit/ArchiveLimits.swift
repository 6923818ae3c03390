/// The limits for reading an archive. If possible, exceeded limits are found in the central
/// directory before extraction.
package struct ArchiveLimits: Sendable, Hashable {
    package var entries = 100_000
    /// The total decompressed size of all entries.
    package var total: Int64 = 64 << 30
    /// The maximum ratio of decompressed to compressed size of an entry, for entries of more than
    /// `ratioFloor` bytes.
    package var ratio: Int64 = 200
    package var ratioFloor: Int64 = 1 << 20
    package var nameBytes = 1024
    package var componentBytes = 255
    package var depth = 16

    package init() {}
}
