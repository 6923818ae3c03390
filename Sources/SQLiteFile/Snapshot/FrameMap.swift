/// The frames of a WAL by page number. If several frames have the same page, the last one is used.
///
/// It is an array by page number if a considerable part of the pages have frames, else a
/// dictionary: the cost of creating it depends on the number of frames, not on the size of the
/// database.
package struct FrameMap: Sendable {
    /// By page number, the index of the frame plus 1; 0 for a page without a frame.
    private var dense: ContiguousArray<UInt32> = []
    private var sparse: [UInt32: UInt32] = [:]
    /// The greatest number of pages per frame for which an array is used.
    private static let pagesPerFrame = 32

    /// A map without frames.
    package init() {}

    /// - Parameters:
    ///   - frameCount: The number of frames that will be added.
    ///   - pageCount: The pages of the database; frames of pages beyond it are ignored.
    init(frameCount: Int, pageCount: Int) {
        if pageCount / Self.pagesPerFrame <= frameCount {
            dense = ContiguousArray(repeating: 0, count: pageCount + 1)
        } else {
            sparse.reserveCapacity(frameCount)
        }
    }

    /// Records that a frame, counted from 0, has a page, counted from 1.
    mutating func note(frame: Int, page: UInt32) {
        if dense.isEmpty {
            sparse[page] = UInt32(frame + 1)
        } else if page < dense.count {
            dense[Int(page)] = UInt32(frame + 1)
        }
    }

    /// The frame, counted from 0, with a page, counted from 1; nil if the page is in the main file.
    subscript(page: Int) -> Int? {
        let frame = dense.isEmpty ? sparse[UInt32(page)] ?? 0 : dense[page]
        return frame > 0 ? Int(frame) - 1 : nil
    }

    package var isEmpty: Bool { dense.isEmpty && sparse.isEmpty }
}
