import ArchiveKit
import FileSystem
import Foundation
import TestSupport
import Testing

struct StoredRangeTests {
    @Test func aStoredEntryIsFoundWhereItLiesAndACompressedOneIsNot() throws {
        try withTemporaryDirectory { folder in
            let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 100) }
            let file = try File(folder.path + "/a.zip", .create())
            try ArchiveWriter.write(
                [
                    ArchivePart(name: "mimetype", content: .bytes([1, 2, 3]), isStored: true),
                    ArchivePart(name: "packed", content: .bytes(content)),
                    ArchivePart(name: "store/store.sqlite", content: .bytes(content), isStored: true),
                ], to: file)
            let directory = try ZipDirectory(file)
            let range = try #require(try directory.storedRange(of: "store/store.sqlite"))
            let bytes = try Disk.read(file.path, limit: 1 << 20)
            #expect(Array(bytes[Int(range.offset)..<Int(range.offset + range.length)]) == content)
            #expect(try directory.storedRange(of: "mimetype")?.offset == 38)
            #expect(try directory.storedRange(of: "packed") == nil)
            let error = #expect(throws: ArchiveError.self) { _ = try directory.storedRange(of: "store") }
            #expect(error?.code == .missingEntry)
        }
    }
}
