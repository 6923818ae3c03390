/// Has the disk begin with what was written while the rest is still being made, for whoever will
/// wait for all of it at the end.
package struct EarlyWriting {
    private var waiting = 0

    /// So much is begun at once: enough for long runs on the disk, and little beside what is waited
    /// for.
    private static let pieceSize = 8 << 20

    package init() {}

    /// Notes that so many bytes more were written to a file.
    package mutating func wrote(_ count: Int, to file: File) {
        waiting += count
        guard waiting >= Self.pieceSize else { return }
        file.startSynchronizing()
        waiting = 0
    }
}
