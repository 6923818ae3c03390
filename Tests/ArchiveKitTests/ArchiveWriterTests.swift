import ArchiveKit
import FileSystem
import Foundation
import TestSupport
import Testing

struct ArchiveWriterTests {
    private static let text = [UInt8](repeating: UInt8(ascii: "a"), count: 300_000)

    /// Bytes that do not compress, the same in every run.
    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt64 = 88_172_645_463_325_252
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }

    private static func parts() -> [ArchivePart] {
        [
            ArchivePart(
                name: "mimetype", content: .bytes(Array("application/vnd.folio.document".utf8)), isStored: true),
            ArchivePart(name: "store/store.sqlite", content: .bytes(text), isStored: true),
            ArchivePart(name: "model/Überblick.xcdatamodel/contents", content: .bytes(text)),
            ArchivePart(name: "content/ab/noise", content: .bytes(noise(200_000))),
            ArchivePart(name: "extra/empty", content: .bytes([])),
        ]
    }

    /// Every bit outside the content is one that opening or `alteredEntries` looks at.
    @Test func noBitOfTheRecordsIsAlteredUnseen() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a.zip"
            try ArchiveFixture.write(
                [
                    ArchivePart(name: "mimetype", content: .bytes(Array("text".utf8)), isStored: true),
                    ArchivePart(name: "model/Überblick", content: .bytes(Array(Self.text.prefix(3000)))),
                    ArchivePart(name: "extra/empty", content: .bytes([])),
                ], to: path)
            let good = try Disk.read(path, limit: 1 << 20), entries = try ArchiveReader(File(path)).directory.entries
            #expect(try ArchiveReader(File(path)).directory.alteredEntries.isEmpty)
            for place in good.indices
            where !entries.contains(where: {
                ($0.dataOffset..<$0.dataOffset + $0.compressedSize).contains(Int64(place))
            }) {
                for bit in UInt8(0)..<8 {
                    var bytes = good
                    bytes[place] ^= 1 << bit
                    try Data(bytes).write(to: URL(fileURLWithPath: path))
                    do {
                        let reader = try ArchiveReader(File(path))
                        if reader.directory.alteredEntries.isEmpty,
                            reader.directory.entries.map(\.name) == entries.map(\.name)
                        {
                            // Sizes and checksums are held against the content.
                            #expect(throws: ArchiveError.self, "byte \(place), bit \(bit)") {
                                try reader.extract(to: folder.path + "/out-\(place)-\(bit)")
                            }
                        }
                    } catch is ArchiveError {}
                }
            }
        }
    }

    @Test func whatAnotherProgramPutIntoAnArchiveIsNotAltered() throws {
        try withTemporaryDirectory { folder in
            var bytes = try ArchiveFixture.bytes([("own", [1]), ("other", [2])], in: folder)
            // Another time in both records, as everybody else writes.
            for (header, offset) in [(ArchiveFixture.localHeader, 12), (ArchiveFixture.centralHeader, 14)] {
                bytes[ArchiveFixture.place(of: header, in: bytes, skipping: 1) + offset] ^= 2
            }
            let directory = try ArchiveFixture.reader(bytes, in: folder).directory
            #expect(directory.entries.map(\.name) == ["own", "other"] && directory.alteredEntries.isEmpty)
            bytes[ArchiveFixture.place(of: ArchiveFixture.localHeader, in: bytes) + 12] ^= 2
            // No entry is as it was written: who made the archive is not known.
            #expect(try ArchiveFixture.reader(bytes, in: folder).directory.alteredEntries.isEmpty)
        }
    }
}

extension ArchiveWriterTests {
    @Test func putsTheMediaTypeAtByte38() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a.zip"
            try ArchiveFixture.write(Self.parts(), to: path)
            let bytes = try Disk.read(path, limit: 1 << 30)
            #expect(String(decoding: bytes[30..<38], as: UTF8.self) == "mimetype")
            #expect(String(decoding: bytes[38..<68], as: UTF8.self) == "application/vnd.folio.document")
        }
    }

    @Test func sameContentGivesSameBytes() throws {
        try withTemporaryDirectory { folder throws in
            try ArchiveFixture.write(Self.parts(), to: folder.path + "/a.zip")
            try Disk.replaceFile(folder.path + "/text", with: Self.text)
            var parts = Self.parts()
            parts[1] = ArchivePart(name: parts[1].name, content: .file(path: folder.path + "/text"), isStored: true)
            parts[2] = ArchivePart(name: parts[2].name, content: .file(path: folder.path + "/text"))
            try ArchiveFixture.write(parts, to: folder.path + "/b.zip")
            #expect(
                try Disk.read(folder.path + "/a.zip", limit: 1 << 30)
                    == Disk.read(folder.path + "/b.zip", limit: 1 << 30))
        }
    }

    @Test func compressesOnlyWhatShrinks() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a.zip"
            try ArchiveFixture.write(Self.parts(), to: path)
            let entries = try ArchiveReader(File(path)).directory.entries
            #expect(entries.map(\.method) == [.stored, .stored, .deflated, .stored, .stored])
            #expect(entries[2].compressedSize < 1000)
        }
    }

    /// What looks like noise is not compressed to find out that it does not shrink; nothing else
    /// may be taken for it.
    @Test func whatShrinksIsNotTakenForNoise() throws {
        try withTemporaryDirectory { folder throws in
            let contents: [(bytes: [UInt8], shrinks: Bool)] = [
                (Self.noise(1 << 20), false), (Self.noise(20_000), false), (Self.noise(8_000), false),
                ((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }, true),
                (Self.noise(16_384) + Self.noise(16_384) + Self.noise(16_384) + Self.noise(16_384), true),
                (Array(Data(Self.noise(60_000)).base64EncodedString().utf8), true),
                (Self.noise(300_000).map { $0 & 0x7F }, true),
            ]
            let parts = contents.enumerated().map {
                ArchivePart(name: "content/\($0.offset)", content: .bytes($0.element.bytes))
            }
            try ArchiveFixture.write(parts, to: folder.path + "/a.zip")
            let reader = try ArchiveReader(File(folder.path + "/a.zip"))
            for (entry, content) in zip(reader.directory.entries, contents) {
                #expect((entry.method == .deflated) == content.shrinks, "\(entry.name)")
                #expect(try reader.read(entry.name, limit: 1 << 24) == content.bytes)
            }
            try reader.extract(to: folder.path + "/out")
            for (entry, content) in zip(reader.directory.entries, contents) {
                #expect(try Disk.read(folder.path + "/out/" + entry.name, limit: 1 << 24) == content.bytes)
            }
        }
    }

    @Test func whatWasWrittenIsReadBack() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a.zip"
            try ArchiveFixture.write(Self.parts(), to: path)
            let reader = try ArchiveReader(File(path))
            try reader.extract(to: folder.path + "/out")
            for part in Self.parts() {
                guard case .bytes(let bytes) = part.content else { continue }
                #expect(try Disk.read(folder.path + "/out/" + part.name, limit: 1 << 30) == bytes)
                #expect(try reader.read(part.name, limit: 1 << 30) == bytes)
            }
            #expect(try Disk.status(of: folder.path + "/out/mimetype")?.mode == 0o600)
        }
    }
}

extension ArchiveWriterTests {
    @Test func anArchiveOfNothingIsReadBack() throws {
        try withTemporaryDirectory { folder throws in
            try ArchiveFixture.write([], to: folder.path + "/a.zip")
            #expect(try ArchiveReader(File(folder.path + "/a.zip")).directory.entries.isEmpty)
        }
    }

    @Test(.enabled(if: runsSweeps)) func manyEntriesNeedZip64AndAreRead() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a.zip"
            try ArchiveFixture.write(
                (0..<70_000).map { ArchivePart(name: "\($0)", content: .bytes([]), isStored: true) }, to: path)
            #expect(try ArchiveReader(File(path)).directory.entries.count == 70_000)
            if let answer = try python("import sys,zipfile;print(len(zipfile.ZipFile(sys.argv[1]).namelist()))", path) {
                #expect(answer == "70000")
            }
        }
    }

    // Some twenty seconds for five gigabytes of zeros.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["FOLIO_SLOW_TESTS"] != nil))
    func aFileOverFourGigabytesIsWrittenAndListed() throws {
        try withTemporaryDirectory { folder throws in
            let big = try File(folder.path + "/big", .create())
            try big.truncate(to: 5 << 30)
            try ArchiveFixture.write(
                [
                    ArchivePart(name: "big", content: .file(path: big.path)),
                    ArchivePart(name: "after", content: .bytes([1, 2, 3])),
                ],
                to: folder.path + "/a.zip")
            // The guard against bombs has to be lifted for so many zeros.
            var limits = ArchiveLimits()
            limits.ratio = 100_000
            let reader = try ArchiveReader(File(folder.path + "/a.zip"), limits: limits)
            #expect(reader.directory["big"]?.size == 5 << 30)
            #expect(try reader.read("after", limit: 10) == [1, 2, 3])
        }
    }

    @Test func otherToolsReadIt() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/a.zip"
            try ArchiveFixture.write(Self.parts(), to: path)
            let script =
                "import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);print(z.testzip(),len(z.namelist()),'model/Überblick.xcdatamodel/contents' in z.namelist())"
            if let answer = try python(script, path) { #expect(answer == "None 5 True") }
            if let status = try run("/usr/bin/unzip", ["-tqq", path])?.status { #expect(status == 0) }
        }
    }

    @Test func archivesOfOtherToolsAreRead() throws {
        try withTemporaryDirectory { folder throws in
            let script = """
                import sys,zipfile,io
                z=zipfile.ZipFile(sys.argv[1],'w',zipfile.ZIP_DEFLATED)
                z.writestr('mimetype','m',zipfile.ZIP_STORED);z.writestr('a/b','b'*1000);z.writestr('a/ü','x');z.close()
                class Stream(io.RawIOBase):
                    def __init__(s,f): s.f=f
                    def writable(s): return True
                    def write(s,b): return s.f.write(b)
                with open(sys.argv[1]+'.stream','wb') as f:
                    z=zipfile.ZipFile(Stream(f),'w',zipfile.ZIP_DEFLATED);z.writestr('a/b','b'*1000);z.writestr('c','c');z.close()
                """
            guard try python(script, folder.path + "/p.zip") != nil else { return }
            let reader = try ArchiveReader(File(folder.path + "/p.zip"))
            try reader.extract(to: folder.path + "/out")
            #expect(
                try Disk.read(folder.path + "/out/a/b", limit: 2000)
                    == [UInt8](repeating: UInt8(ascii: "b"), count: 1000))
            #expect(try reader.read("a/ü", limit: 1) == [UInt8(ascii: "x")])
            try ArchiveReader(File(folder.path + "/p.zip.stream")).extract(to: folder.path + "/streamed")
            #expect(try Disk.read(folder.path + "/streamed/c", limit: 1) == [UInt8(ascii: "c")])
        }
    }
}

extension ArchiveWriterTests {
    @Test func badAndDoubledNamesAreNotWritten() throws {
        try withTemporaryDirectory { folder throws in
            for (index, names) in [["../x"], ["/x"], ["a", "A"], [""], ["a\u{202E}b"]].enumerated() {
                #expect(throws: ArchiveError.self) {
                    try ArchiveFixture.write(
                        names.map { ArchivePart(name: $0, content: .bytes([])) }, to: folder.path + "/\(index)")
                }
            }
        }
    }

    @Test func aFullDiskIsReportedWhereverItIsMet() throws {
        try withTemporaryDirectory { folder throws in
            for nth in 1...4 {
                let counter = Counter()
                #expect(throws: FileSystemError.self) {
                    try FaultInjection.with({ call, _ in call == .write && counter.next() == nth ? .error(28) : nil }) {
                        try ArchiveFixture.write(Self.parts(), to: folder.path + "/\(nth).zip")
                    }
                }
            }
        }
    }

    // MARK: Other tools, where they are there

    private func python(_ script: String, _ argument: String) throws -> String? {
        guard let answer = try run("/usr/bin/env", ["python3", "-c", script, argument]), answer.status != 127 else {
            return nil
        }
        #expect(answer.status == 0)
        return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String)? {
        guard FileManager.default.isExecutableFile(atPath: program) else { return nil }
        let process = Process(), pipe = privatePipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        process.environment = ProcessInfo.processInfo.environment.merging(["PYTHONUTF8": "1"]) { $1 }
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
