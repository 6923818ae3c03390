/// One state of a database, page by page. Pages in its WAL replace those in its main file.
///
/// The files must not change where pages are read as long as this is used, which the locks of a
/// read transaction ensure.
package struct DatabaseState {
    /// The size in bytes.
    package let size: Int64
    package let pageSize: Int
    private let main: any RandomAccessFile
    private let log: (any RandomAccessFile)?
    private let frames: FrameMap

    /// A state with the pages in `frames` in the WAL.
    package init(
        size: Int64, pageSize: Int, main: any RandomAccessFile, log: any RandomAccessFile, frames: FrameMap
    ) {
        self.size = size
        self.pageSize = pageSize
        self.main = main
        self.log = log
        self.frames = frames
    }

    /// A state that is completely in the main file.
    package init(size: Int64, pageSize: Int, main: any RandomAccessFile) {
        self.size = size
        self.pageSize = pageSize
        self.main = main
        log = nil
        frames = FrameMap()
    }

    /// The greatest possible number of pages: each is in the main file or in a frame, except the
    /// page with SQLite's locking bytes.
    package static func mostPages(mainSize: Int64, pageSize: Int, frames: Int) -> Int64 {
        (mainSize + Int64(pageSize) - 1) / Int64(pageSize) + Int64(frames) + 1
    }

    package var pageCount: Int { Int((size + Int64(pageSize) - 1) / Int64(pageSize)) }

    /// Whether this state uses only the main file.
    package var isMainFile: Bool { frames.isEmpty }

    /// Reads a page, counted from 0, into a buffer of the size of a page. Returns the number of its
    /// bytes that belong to the database.
    package func read(page: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard Int64(page) * Int64(pageSize) < size else { return 0 }
        // A page that has not been written yet is zero.
        try read(pages: page..<page + 1, into: buffer)
        return byteCount(ofPage: page)
    }

    /// The number of bytes of a page, counted from 0, that belong to the database.
    package func byteCount(ofPage page: Int) -> Int {
        Int(max(0, min(Int64(pageSize), size - Int64(page) * Int64(pageSize))))
    }

    /// Reads consecutive pages into a buffer with room for all of them. Pages that are adjacent in
    /// a file are read with one call. Bytes for pages outside the database are not changed.
    package func read(pages: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) throws {
        var page = pages.lowerBound
        let end = min(pages.upperBound, pageCount)
        while page < end {
            let frame = frames[page + 1]
            var next = page + 1
            while next < end, frames[next + 1] == frame.map({ $0 + next - page }) { next += 1 }
            let target = UnsafeMutableRawBufferPointer(
                rebasing: buffer[(page - pages.lowerBound) * pageSize..<(next - pages.lowerBound) * pageSize])
            if let log, let frame {
                try read(frames: frame..<frame + next - page, of: log, into: target)
            } else {
                try main.read(into: target, at: Int64(page) * Int64(pageSize))
            }
            page = next
        }
    }

    private func read(
        frames: Range<Int>, of log: any RandomAccessFile, into target: UnsafeMutableRawBufferPointer
    ) throws {
        let offset = WALFrameHeader.pageOffset(ofFrame: frames.lowerBound, pageSize: pageSize)
        guard frames.count > 1 else { return try log.read(into: target, at: offset) }
        let frameSize = WALFrameHeader.size + pageSize
        let all = UnsafeMutableRawBufferPointer.allocate(
            byteCount: frames.count * frameSize - WALFrameHeader.size, alignment: 8)
        defer { all.deallocate() }
        try log.read(into: all, at: offset)
        for index in 0..<frames.count {
            UnsafeMutableRawBufferPointer(rebasing: target[index * pageSize..<(index + 1) * pageSize])
                .copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: all[index * frameSize..<index * frameSize + pageSize]))
        }
    }
}
