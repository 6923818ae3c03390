internal import CZlib

/// Compresses data in pieces to a raw DEFLATE stream, in constant memory.
///
///     let deflate = try DeflateStream()
///     try deflate.compress(piece, isLast: false) { try file.append($0) }
package final class DeflateStream {
    // The stream is allocated on the heap, because zlib requires that its address does not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

    private var level: Int

    /// - Parameter level: zlib's compression level, 1 to 9.
    package init(level: Int = 6) throws(CodingError) {
        self.level = level
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(stream, Int32(level), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else {
            throw CodingError(.unsupported, "zlib can't compress with level \(level)")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        chunk.deallocate()
    }

    /// Changes the compression level of the following data; 0 stores them uncompressed. Calls
    /// `sink` with pending output.
    package func setLevel(_ level: Int, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard level != self.level else { return }
        stream.pointee.avail_in = 0
        var status: Int32
        repeat {
            stream.pointee.next_out = chunk.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(chunk.count)
            status = deflateParams(stream, Int32(level), Z_DEFAULT_STRATEGY)
            guard status == Z_OK || status == Z_BUF_ERROR else {
                throw CodingError(.malformed, "zlib refused to compress (\(status))")
            }
            let produced = chunk.count - Int(stream.pointee.avail_out)
            if produced > 0 { try sink(UnsafeRawBufferPointer(rebasing: chunk[..<produced])) }
        } while status == Z_BUF_ERROR
        self.level = level
    }

    /// Compresses at most 4 GiB of input and calls `sink` with the output, in pieces that are valid
    /// only during the call.
    package func compress(
        _ input: UnsafeRawBufferPointer, isLast: Bool, _ sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard input.count <= Int(UInt32.max) else { throw CodingError(.tooLarge, "more than 4 GiB in one piece") }
        // zlib only reads through this pointer and does not retain it.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        var status: Int32
        repeat {
            stream.pointee.next_out = chunk.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(chunk.count)
            status = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                throw CodingError(.malformed, "zlib refused to compress (\(status))")
            }
            let produced = chunk.count - Int(stream.pointee.avail_out)
            if produced > 0 { try sink(UnsafeRawBufferPointer(rebasing: chunk[..<produced])) }
        } while isLast ? status != Z_STREAM_END : stream.pointee.avail_out == 0
    }
}
