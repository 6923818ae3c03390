import Foundation

/// A file that is read piece by piece: its text is looked at while the processor still has it, and the memory serves for the next piece.
///
/// It helps those who know what to expect. What they don't, and every fault, is for a reader of the whole file.
struct XMLPieces {
    let reading: StoreReading

    private static let size = 1 << 18
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(_ reading: StoreReading) { self.reading = reading }

    /// What stands before the first `mark`; nil where that is not near, or where a reader of the whole would count bytes otherwise.
    func head(before mark: String) throws -> [UInt8]? {
        let piece = try [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
            count = try reading.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        guard !piece.starts(with: Self.byteOrderMark), let place = piece.firstRange(of: mark.utf8)?.lowerBound else { return nil }
        return Array(piece[..<place])
    }

    /// Gives pieces of the file to `body`, all of them valid UTF-8, from a place on that is no place within a character. `body` moves the number that it is given with a piece behind
    /// what it has read of it; the next piece begins there. Ends where it reads nothing, and answers that place of the file.
    func forEach(from start: Int, _ body: (UnsafeRawBufferPointer, inout Int) -> Void) throws -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.size, alignment: 16)
        defer { buffer.deallocate() }
        var place = start, filled = 0
        while true {
            filled += try reading.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: place + filled)
            let isWhole = filled < buffer.count
            let text = Self.text(UnsafeRawBufferPointer(rebasing: buffer[..<filled]), isWhole: isWhole)
            var read = 0
            if let text { body(text, &read) }
            precondition(read >= 0 && read <= text?.count ?? 0, "What is there is read, and no more")
            guard read > 0 else { return place }
            place += read
            filled -= read
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[read..<read + filled]))
        }
    }

    /// The beginning of a piece, up to the last tag where more follows; nil where it is no valid text.
    private static func text(_ piece: UnsafeRawBufferPointer, isWhole: Bool) -> UnsafeRawBufferPointer? {
        guard let end = isWhole ? piece.count : piece.lastIndex(of: UInt8(ascii: "<")) else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: piece[..<end])
        let isValid = text.withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
        return isValid ? text : nil
    }

    /// Whether nothing but `last` stands at a place and behind it, and space.
    func isEnd(at place: Int, _ last: StaticString) throws -> Bool {
        // More than some space is nothing usual.
        try withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = try reading.read(into: buffer, at: place)
            guard count < buffer.count else { return false }
            let text = XMLPlainText(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            guard let end = text.after(last, at: text.afterSpace(at: 0)) else { return false }
            return text.afterSpace(at: end) == count
        }
    }
}
