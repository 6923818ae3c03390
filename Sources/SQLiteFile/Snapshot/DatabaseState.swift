/// A database as it was at one moment, page by page: those of its main file, and those of its WAL
/// in their place.
///
/// The files must stay as they are where pages are read from as long as this is used: that is what
/// the locks of a read transaction are for.
package struct DatabaseState {
    /// In bytes.
    package let size: Int64
    package let pageSize: Int
    private let main: any RandomAccessFile
    private let log: (any RandomAccessFile)?
    private let frames: FrameMap

    /// A database whose WAL holds the pages in `frames`.
    package init(
        size: Int64, pageSize: Int, main: any RandomAccessFile, log: any RandomAccessFile, frames: FrameMap
    ) {
        self.size = size
        self.pageSize = pageSize
        self.main = main
        self.log = log
        self.frames = frames
    }

    /// A database that the main file has whole.
    package init(size: Int64, pageSize: Int, main: any RandomAccessFile) {
        self.size = size
        self.pageSize = pageSize
        self.main = main
        log = nil
        frames = FrameMap()
    }

    /// How many pages a database can have at most: each is in the main file or in a frame, but for
    /// the one that holds SQLite's locks.
    package static func mostPages(mainSize: Int64, pageSize: Int, frames: Int) -> Int64 {
        (mainSize + Int64(pageSize) - 1) / Int64(pageSize) + Int64(frames) + 1
    }

    package var pageCount: Int { Int((size + Int64(pageSize) - 1) / Int64(pageSize)) }

    /// Whether this is the main file as it stands.
    package var isMainFile: Bool { frames.isEmpty }

    /// Reads a page, counted from 0, into a buffer as long as a page; answers how many of its bytes
    /// belong to the database.
    package func read(page: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard Int64(page) * Int64(pageSize) < size else { return 0 }
        // A page that nobody has written yet is zero.
        try read(pages: page..<page + 1, into: buffer)
        return byteCount(ofPage: page)
    }

    /// How many bytes of a page, counted from 0, belong to the database.
    package func byteCount(ofPage page: Int) -> Int {
        Int(max(0, min(Int64(pageSize), size - Int64(page) * Int64(pageSize))))
    }

    /// Reads pages that follow one another into a buffer with room for each; those that stand side
    /// by side in a file with one call. What does not belong to the database is left as it was.
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
