internal import CZlib
package import Foundation

/// Compresses and decompresses raw DEFLATE streams, without zlib or gzip header.
package enum RawDeflate {
    /// Compresses `data`. `level` is zlib's compression level, 1 to 9.
    package static func compress(_ data: Data, level: Int = 6) throws(CodingError) -> Data {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard deflateInit2_(&stream, Int32(level), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else {
            throw CodingError(.unsupported, "zlib can't compress with level \(level)")
        }
        defer { deflateEnd(&stream) }
        var input = [UInt8](data)
        return try run(&stream, &input, limit: .max, step: { deflate($0, Z_FINISH) })
    }

    /// Decompresses `data`. Throws as soon as the output exceeds `limit` bytes, or both 1 MiB and
    /// `ratio` times the input. Bytes after the end of the stream are an error.
    package static func decompress(_ data: Data, limit: Int, ratio: Int = 200) throws(CodingError) -> Data {
        var stream = z_stream()
        guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw CodingError(.unsupported, "zlib can't decompress")
        }
        defer { inflateEnd(&stream) }
        var input = [UInt8](data)
        let (allowed, overflow) = input.count.multipliedReportingOverflow(by: ratio)
        return try run(
            &stream, &input, limit: overflow ? limit : min(limit, max(allowed, 1 << 20)),
            step: { inflate($0, Z_NO_FLUSH) })
    }

    /// Runs `step` over all of `input` until the stream ends.
    ///
    /// zlib keeps pointers into `input` and `chunk`. Both stay valid because the stream is used
    /// only inside the closures that provide them.
    private static func run(
        _ stream: inout z_stream, _ input: inout [UInt8], limit: Int, step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) throws(CodingError) -> Data {
        guard input.count <= Int(UInt32.max) else { throw CodingError(.tooLarge, "more than 4 GiB in one piece") }
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        var failure: CodingError?
        input.withUnsafeMutableBufferPointer { source in
            stream.next_in = source.baseAddress
            stream.avail_in = UInt32(source.count)
            chunk.withUnsafeMutableBufferPointer { target in
                while true {
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    let status = step(&stream)
                    let produced = target.count - Int(stream.avail_out), offset = source.count - Int(stream.avail_in)
                    guard produced <= limit - output.count else {
                        failure = CodingError(.tooLarge, "decompresses to more than \(limit) bytes", offset: offset)
                        return
                    }
                    output.append(contentsOf: target[..<produced])
                    if status == Z_STREAM_END {
                        if stream.avail_in > 0 {
                            failure = CodingError(.malformed, "bytes after the end of the stream", offset: offset)
                        }
                        return
                    }
                    guard status == Z_OK || (status == Z_BUF_ERROR && produced > 0) else {
                        failure =
                            status == Z_BUF_ERROR
                            ? CodingError(.truncated, "the compressed stream ends too early", offset: offset)
                            : CodingError(.malformed, "no valid compressed stream", offset: offset)
                        return
                    }
                }
            }
        }
        if let failure { throw failure }
        return output
    }
}
