/// The wal-index, by which the connections to a database find the frame of a page. It consists of
/// blocks of shared memory; the fields are those of SQLite's file format, "The WAL-Index File
/// Format", in native byte order.
package struct WALIndex {
    /// The values that identify a state of the WAL.
    package struct Header: Equatable {
        private let change: UInt32
        package let pageSize: Int
        package let frames: Int
        private let salt: UInt64

        private static let size = 48

        /// Nil while another connection is writing the header, or if it was not initialized yet.
        init?(_ block: UnsafeRawPointer) {
            // The header is stored twice.
            let copy = (0..<Self.size / 4).map {
                (WALIndex.number(block, $0 * 4), WALIndex.number(block, Self.size + $0 * 4))
            }
            guard copy.allSatisfy({ $0.0 == $0.1 }), block.load(fromByteOffset: 12, as: UInt8.self) != 0 else {
                return nil
            }
            change = copy[2].0
            let size = Int(UInt16(truncatingIfNeeded: copy[3].0 >> 16))
            pageSize = size == 1 ? 65_536 : size
            frames = Int(copy[4].0)
            salt = UInt64(copy[8].0) << 32 | UInt64(copy[9].0)
        }
    }

    /// The size of a block in bytes. The first block also contains the index's header.
    package static let blockSize: Int32 = 32_768
    private static let headerSize = 136
    private static let framesOfFirstBlock = 4_062, framesPerBlock = 4_096

    /// The block with the entry of a frame, both counted from 0.
    package static func block(ofFrame frame: Int64) -> Int32 {
        Int32(clamping: (frame + Int64(framesPerBlock - framesOfFirstBlock)) / Int64(framesPerBlock))
    }

    private let first: UnsafeRawPointer
    private let block: (Int32) -> UnsafeRawPointer?

    /// Nil if there is no first block.
    /// - Parameter block: Maps a block, counted from 0; nil if there is none. The memory must stay
    ///   mapped as long as the index is used.
    package init?(block: @escaping (Int32) -> UnsafeRawPointer?) {
        guard let first = block(0) else { return nil }
        self.first = first
        self.block = block
    }

    package var header: Header? { Header(first) }

    /// The number of frames that have been copied into the main file.
    package var copiedFrames: Int { Int(Self.number(first, 96)) }

    private static func number(_ block: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        block.load(fromByteOffset: offset, as: UInt32.self)
    }

    /// The frames of the pages of a database; nil if blocks are missing.
    package func frameMap(upTo count: Int, pageCount: Int) -> FrameMap? {
        var map = FrameMap(frameCount: count, pageCount: pageCount)
        var frame = 0, number: Int32 = 0
        while frame < count {
            guard let block = number == 0 ? first : block(number) else { return nil }
            let size = number == 0 ? Self.framesOfFirstBlock : Self.framesPerBlock
            let start = number == 0 ? Self.headerSize : 0
            for index in 0..<min(size, count - frame) {
                map.note(frame: frame + index, page: Self.number(block, start + index * 4))
            }
            frame += size
            number += 1
        }
        return map
    }
}
