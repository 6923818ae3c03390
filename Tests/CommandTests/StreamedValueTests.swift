import Foundation
import Testing
import TestSupport

/// Values that are larger than the memory that the command gets. `FOLIO_LARGE_VALUE_MB=2048` makes
/// them two gigabytes.
@Suite(.serialized) struct StreamedValueTests {
    private static let size =
        (ProcessInfo.processInfo.environment["FOLIO_LARGE_VALUE_MB"].flatMap { Int($0) } ?? 192) << 20
    /// Data, heap, stacks of threads and all other memory of a process's own, in KiB.
    private static let memory = 150_000
    private static let limited = runsUnderSanitizer ? [] : ["/bin/sh", "-c", "ulimit -d \(memory); exec \"$@\"", "sh"]

    /// Mostly empty, but for marks that tell every place from every other.
    private func makeFile(at url: URL, size: Int = size) throws {
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        let file = try FileHandle(forWritingTo: url)
        for place in stride(from: 0, to: size - 100, by: 5_000_011) {
            try file.seek(toOffset: UInt64(place))
            try file.write(contentsOf: Data("at \(place)".utf8))
        }
        try file.truncate(atOffset: UInt64(size))
        try file.close()
    }

    private func run(_ words: String...) throws -> FolioCommand.Outcome {
        try FolioCommand.run(words, through: Self.limited)
    }

    private func expectSame(_ left: URL, _ right: URL) throws {
        let a = try FileHandle(forReadingFrom: left), b = try FileHandle(forReadingFrom: right)
        var count = 0
        while let piece = try a.read(upToCount: 1 << 20), !piece.isEmpty {
            guard try b.read(upToCount: 1 << 20) == piece else {
                Issue.record("other bytes after \(count)")
                return
            }
            count += piece.count
        }
        #expect(count == Self.size)
        #expect(try b.read(upToCount: 1)?.isEmpty ?? true)
    }

    @Test(.enabled(if: runsSweeps)) func aValueGoesInAndOutOfEveryFormThroughLittleMemory() throws {
        try withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("in.bin"), result = folder.appendingPathComponent("out.bin")
            try makeFile(at: file)
            let package = try FolioCommand.copyOfDocument(in: folder)
            let archive = folder.appendingPathComponent("A.folioz").path,
                store = folder.appendingPathComponent("S.sqlite").path
            #expect(try run("save-as", package, store).exit == 0)
            for document in [package, store] {
                let attached = try run("attach", document, "Person/p1", "portrait", file.path)
                #expect(attached.exit == 0, "\(attached.messages)")
            }
            let packed = try run("pack", package, archive)
            #expect(packed.exit == 0, "\(packed.messages)")
            for document in [package, store, archive] {
                let extracted = try run("extract", document, "Person/p1", "portrait", "-o", result.path)
                #expect(extracted.exit == 0, "\(extracted.messages)")
                try expectSame(file, result)
                let shown = try run("get", document, "Person/p1")
                #expect(shown.output.contains("<\(Self.size) bytes>"))
                let verified = try run("verify", document, "--deep")
                #expect(verified.exit == 0, "\(document): \(verified.output) \(verified.messages)")
            }
            // The same value again is no second file, and no second one is written to an archive.
            let again = try run("attach", archive, "Person/p2", "portrait", file.path)
            #expect(again.exit == 0, "\(again.messages)")
            let compared = try run("diff", package, archive)
            #expect(compared.exit == 1, "\(compared.messages)")
            #expect(compared.output.contains("<\(Self.size) bytes, SHA-256 "))
        }
    }

    @Test(.enabled(if: runsSweeps)) func whatComesThroughAPipeIsAttachedToo() throws {
        try withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("in.bin"), result = folder.appendingPathComponent("out.bin"),
                pipe = folder.appendingPathComponent("pipe")
            try makeFile(at: file)
            #expect(mkfifo(pipe.path, 0o600) == 0)
            let document = try FolioCommand.copyOfDocument(in: folder)
            let feeder = Process()
            feeder.executableURL = URL(fileURLWithPath: "/bin/sh")
            feeder.arguments = ["-c", "cat \"$0\" > \"$1\"", file.path, pipe.path]
            try feeder.run()
            let attached = try run("attach", document, "Person/p1", "portrait", pipe.path)
            feeder.waitUntilExit()
            #expect(attached.exit == 0, "\(attached.messages)")
            #expect(try run("extract", document, "Person/p1", "portrait", "-o", result.path).exit == 0)
            try expectSame(file, result)
        }
    }

    /// The memory that the others get is not enough for the value: what is kept within a table has
    /// to be in memory once.
    @Test(.disabled(if: runsUnderSanitizer, "its shadow memory goes beyond every limit")) func theLimitOfMemoryIsOne()
        throws
    {
        try withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("in.bin")
            try makeFile(at: file)
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try run("attach", document, "Journey/p1", "route", file.path).exit != 0)
        }
    }
}
