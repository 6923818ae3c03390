internal import Glibc

/// Room for the many small pieces of memory that objects are about to take, asked of the system at once.
///
/// Outside the main thread glibc's heap grows by one page whenever it is full, with a call of the system's for each page, and each page costs a fault besides when it is
/// first written to. Where objects are made by the hundred these take a tenth of the whole.
package enum HeapRoom {
    /// Giving back more would make the allocator trim its heap, which undoes what is done here.
    private static let most = 60 << 10
    private static let pageSize = 4_096
    /// `MADV_POPULATE_WRITE`, of Linux 5.14; older systems refuse it, and the pages come as they always do.
    private static let populateAdvice: CInt = 23

    /// Costs a microsecond or two: worth it for some hundred objects. It is a hint, and changes nothing else.
    package static func prepare(_ bytes: Int) {
        let size = min(bytes, most)
        guard size > 2 * pageSize, let memory = malloc(size) else { return }
        // What is free at the heap's end stays there when it is given back, and small pieces are cut from it.
        populate(memory, size)
        free(memory)
    }

    /// Asks for the whole pages in a piece of memory at once, before they are written to.
    static func populate(_ memory: UnsafeMutableRawPointer, _ size: Int) {
        let first = (UInt(bitPattern: memory) + UInt(pageSize - 1)) & ~UInt(pageSize - 1)
        let end = (UInt(bitPattern: memory) + UInt(size)) & ~UInt(pageSize - 1)
        if first < end { madvise(UnsafeMutableRawPointer(bitPattern: first), Int(end - first), populateAdvice) }
    }
}
