internal import CZlib

/// Decompresses a raw DEFLATE stream in pieces, in constant memory.
///
///     let inflate = try InflateStream()
///     while !inflate.isAtEnd, let piece = next() { try inflate.decompress(piece) { try file.append($0) } }
package final class InflateStream {
    // The stream is allocated on the heap, because zlib requires that its address does not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    /// Whether the end of the stream has been reached.
    package private(set) var isAtEnd = false

    package init() throws(CodingError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw CodingError(.unsupported, "zlib can't decompress")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        chunk.deallocate()
    }

    /// Decompresses at most 4 GiB of input and calls `sink` with the output, in pieces that are
    /// valid only during the call.
    /// - Returns: The number of input bytes that belong to the stream.
    /// - Throws: `CodingError.malformed` if the input is not a DEFLATE stream; any error that
    ///   `sink` throws.
    package func decompress(_ input: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws
        -> Int
    {
        guard input.count <= Int(UInt32.max) else { throw CodingError(.tooLarge, "more than 4 GiB in one piece") }
        // zlib only reads through this pointer and does not retain it.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(input.count)
        while !isAtEnd {
            stream.pointee.next_out = chunk.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(chunk.count)
            let status = inflate(stream, Z_NO_FLUSH)
            let produced = chunk.count - Int(stream.pointee.avail_out)
            if produced > 0 { try sink(UnsafeRawBufferPointer(rebasing: chunk[..<produced])) }
            isAtEnd = status == Z_STREAM_END
            if status == Z_BUF_ERROR || status == Z_OK && stream.pointee.avail_in == 0 && produced < chunk.count {
                break
            }
            guard status == Z_OK || isAtEnd else { throw CodingError(.malformed, "no valid compressed stream") }
        }
        return input.count - Int(stream.pointee.avail_in)
    }
}
