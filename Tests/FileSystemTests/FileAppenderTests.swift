import FileSystem
import Foundation
import Synchronization
import TestSupport
import Testing

struct FileAppenderTests {
    /// More than the caller's thread writes.
    private static let pieceCount = 100
    private static let pieceSize = 200_000

    /// Appends pieces through the buffers and by copies, and overwrites the beginning of each.
    private static func write(to file: File, before body: (Int) throws -> Void = { _ in }) throws {
        let appender = FileAppender(file)
        defer { appender.stop() }
        for index in 0..<pieceCount {
            try body(index)
            let place = appender.offset
            if index.isMultiple(of: 3) {
                try appender.append([UInt8](repeating: UInt8(index), count: pieceSize))
            } else {
                for byte in appender.space[..<pieceSize].indices { appender.space[byte] = UInt8(index) }
                try appender.append(first: pieceSize)
            }
            try appender.overwrite([0xff, UInt8(index)], at: place)
        }
        try appender.finish()
    }

    @Test func piecesAndWhatIsOverwrittenStandInTheirOrder() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            try Self.write(to: File(path, .create(mode: 0o600)))
            let bytes = try Disk.read(path, limit: 1 << 26)
            #expect(bytes.count == Self.pieceCount * Self.pieceSize)
            for index in 0..<Self.pieceCount {
                let piece = bytes[(index * Self.pieceSize)..<((index + 1) * Self.pieceSize)]
                #expect(piece.first == 0xff && piece.dropFirst().allSatisfy { $0 == UInt8(index) })
            }
        }
    }

    /// Each piece is two writes; the 168th is the first of the appender's own thread.
    @Test(arguments: [3, 168, 180, 200]) func nothingIsWrittenAfterAnError(nth: Int) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a", count = Mutex(0)
            let error = #expect(throws: FileSystemError.self) {
                try FaultInjection.with({ call, _ in
                    guard call == .write else { return nil }
                    return count.withLock {
                        $0 += 1
                        return $0 == nth ? .error(ENOSPC) : nil
                    }
                }) {
                    try Self.write(to: File(path, .create(mode: 0o600)))
                }
            }
            #expect(error?.errno == ENOSPC)
            #expect(count.withLock { $0 } == nth)
        }
    }

    @Test func whoCancelsWaitsForWhatIsBeingWritten() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a", file = try File(path, .create(mode: 0o600))
            #expect(throws: CancellationError.self) {
                try Self.write(to: file) { if $0 == 95 { throw CancellationError() } }
            }
            file.close()
            #expect(try Disk.status(of: path)?.size == Int64(95 * Self.pieceSize))
        }
    }
}
