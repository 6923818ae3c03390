import FileSystem
import Foundation
import Glibc
import SQLiteKit
import Synchronization
import TestSupport
import Testing

/// A frame of the WAL is written in one call, and whatever hinders that leaves no commit behind that was refused.
@Suite struct FrameWriterTests {
    private struct Call: Equatable {
        let bytes: [UInt8]
        let offset: Int64
        init(_ bytes: [UInt8], _ offset: Int64) { (self.bytes, self.offset) = (bytes, offset) }
    }

    private static let header = [UInt8](repeating: 1, count: 24), page = [UInt8](repeating: 2, count: 512), start = [UInt8](repeating: 3, count: 32)

    /// A writer and what it has written.
    private struct Log {
        var writer = FrameWriter()
        var calls: [Call] = []
        var result: Int32 = 0

        mutating func write(_ bytes: [UInt8], _ offset: Int64) -> Int32 {
            var made: [Call] = []
            let answer = result
            let result = bytes.withUnsafeBytes { writer.write($0.baseAddress!, bytes.count, at: offset) { made.append(Call(Array(UnsafeRawBufferPointer(start: $0, count: $1)), $2)); return answer } }
            calls += made
            return result
        }

        mutating func settle() -> Int32 {
            var made: [Call] = []
            let answer = result
            let result = writer.settle { made.append(Call(Array(UnsafeRawBufferPointer(start: $0, count: $1)), $2)); return answer }
            calls += made
            return result
        }
    }

    @Test func aHeaderAndItsPageAreOneWrite() {
        var log = Log()
        defer { log.writer.close() }
        #expect(log.write(Self.start, 0) == 0)
        for frame in 0..<3 {
            let offset = Int64(32 + frame * 536)
            #expect(log.write(Self.header, offset) == 0 && log.write(Self.page, offset + 24) == 0)
        }
        let frames = (0..<3).map { Call(Self.header + Self.page, Int64(32 + $0 * 536)) }
        #expect(log.calls == [Call(Self.start, 0)] + frames)
        // A page that is written again in its frame, and the headers that follow from it, as SQLite does at the end of a transaction.
        log.calls = []
        #expect(log.write(Self.page, 56) == 0 && log.write(Self.header, 32) == 0 && log.write(Self.header, 568) == 0)
        #expect(log.calls == [Call(Self.page, 56), Call(Self.header, 32), Call(Self.header, 568)])
        // The log begins anew.
        log.calls = []
        #expect(log.write(Self.start, 0) == 0 && log.write(Self.header, 32) == 0)
        let large = [UInt8](repeating: 4, count: 65_536)
        #expect(log.write(large, 56) == 0)
        #expect(log.calls == [Call(Self.start, 0), Call(Self.header + large, 32)])
    }

    @Test func aHeaderWithoutItsPageGoesOutBeforeAllElse() {
        var log = Log()
        defer { log.writer.close() }
        #expect(log.write(Self.header, 32) == 0 && log.calls.isEmpty)
        #expect(log.settle() == 0 && log.settle() == 0)
        #expect(log.calls == [Call(Self.header, 32)])
        #expect(log.write(Self.header, 568) == 0 && log.write(Self.page, 5_000) == 0)
        #expect(log.calls.dropFirst() == [Call(Self.header, 568), Call(Self.page, 5_000)])
        // One that is given up does not.
        log.calls = []
        #expect(log.write(Self.header, 6_000) == 0)
        log.writer.forget()
        #expect(log.settle() == 0 && log.calls.isEmpty)
        // What the system refuses is refused at the page, and the next frame in its place is written as a whole.
        log.result = 10
        #expect(log.write(Self.header, 6_000) == 0 && log.write(Self.page, 6_024) == 10)
        log.result = 0
        log.calls = []
        #expect(log.write(Self.header, 6_000) == 0 && log.write(Self.page, 6_024) == 0)
        #expect(log.calls == [Call(Self.header + Self.page, 6_000)])
    }

    // MARK: Under SQLite

    @Test(arguments: [0, 100]) func everyWriteThatFailsLeavesTheStateBefore(short: Int) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try editing(path)
            var sum: Int64 = 1, number = 0, isRefused = true
            while isRefused {
                let count = Mutex(0), failing = number + 1
                number += 1
                do {
                    try FaultInjection.with({ call, name in
                        guard call == .write, name.hasSuffix("-wal"), count.withLock({ $0 += 1; return $0 }) == failing else { return nil }
                        return short == 0 ? .error(EIO) : .short(short)
                    }) { try connection.transaction { for _ in 0..<6 { try connection.run("INSERT INTO t VALUES (10, hex(randomblob(1500)))") } } }
                    isRefused = false
                    sum += 60
                } catch is SQLiteError {}
                #expect(try valuesAfterKill(path).reduce(0, +) == sum, "write \(number)")
                // The next commit takes the place of the refused one.
                try connection.run("INSERT INTO t VALUES (100, '')")
                sum += 100
                #expect(try valuesAfterKill(path).reduce(0, +) == sum, "after write \(number)")
            }
            #expect(number > 8)
        }
    }

    /// More than the cache holds, several times over: frames are written again, and their checksums with them, and nothing is synchronised that would bring out what was held.
    @Test func pagesThatATransactionWritesSeveralTimesAreThereForOthersAtOnce() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try editing(path)
            try connection.setSynchronous(.normal)
            try connection.execute("PRAGMA cache_size=4")
            try connection.transaction {
                for row in 2...100 { try connection.run("INSERT INTO t VALUES (?, hex(randomblob(900)))", [.integer(Int64(row))]) }
                for _ in 0..<3 { try connection.run("UPDATE t SET a = a + 1, b = hex(randomblob(900))") }
            }
            #expect(try valuesAfterKill(path).reduce(0, +) == 5_050 + 300)
            let reader = try Connection.openForReading(path)
            #expect(try reader.value("SELECT sum(a) FROM t")?.integer == 5_350)
            #expect(try connection.checkpoint(.truncate).isComplete)
            #expect(try reader.value("SELECT sum(a) FROM t")?.integer == 5_350)
        }
    }
}
