/// Starts writing data to the disk while more data are being produced, to shorten the final fsync.
package struct EarlyWriting {
    private var waiting = 0

    /// The number of bytes after which writing starts: enough for long sequential writes, and
    /// little compared to the amount that the fsync waits for.
    private static let pieceSize = 8 << 20

    package init() {}

    /// Records that `count` bytes were written to a file.
    package mutating func wrote(_ count: Int, to file: File) {
        waiting += count
        guard waiting >= Self.pieceSize else { return }
        file.startSynchronizing()
        waiting = 0
    }
}
