/// The frames of a WAL by the pages that they hold: of several frames with one page, the last
/// counts.
///
/// An array by page number where a good part of the pages has a frame, else a dictionary: making
/// one takes as long as there are frames, whatever the size of the database.
package struct FrameMap: Sendable {
    /// By page number, the index of the frame plus 1; 0 for a page without one.
    private var dense: ContiguousArray<UInt32> = []
    private var sparse: [UInt32: UInt32] = [:]
    /// So many pages for each frame make an array worthwhile.
    private static let pagesPerFrame = 32

    /// A map of no frames.
    package init() {}

    /// - Parameters:
    ///   - frameCount: How many frames are about to be noted.
    ///   - pageCount: The pages of the database; frames of pages beyond are left out.
    init(frameCount: Int, pageCount: Int) {
        if pageCount / Self.pagesPerFrame <= frameCount {
            dense = ContiguousArray(repeating: 0, count: pageCount + 1)
        } else {
            sparse.reserveCapacity(frameCount)
        }
    }

    /// Notes that a frame, counted from 0, holds a page, counted from 1.
    mutating func note(frame: Int, page: UInt32) {
        if dense.isEmpty {
            sparse[page] = UInt32(frame + 1)
        } else if page < dense.count {
            dense[Int(page)] = UInt32(frame + 1)
        }
    }

    /// The frame, counted from 0, that holds a page, counted from 1; nil where the main file has
    /// it.
    subscript(page: Int) -> Int? {
        let frame = dense.isEmpty ? sparse[UInt32(page)] ?? 0 : dense[page]
        return frame > 0 ? Int(frame) - 1 : nil
    }

    package var isEmpty: Bool { dense.isEmpty && sparse.isEmpty }
}
