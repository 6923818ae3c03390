import Folio
import Foundation

/// W10: a document of so many kilobytes packed and unpacked, beside `cp -r` of the package. Half of
/// it is the store, half large values in files of their own, all of bytes that no compression makes
/// smaller. Both sides are durable when they end: what `cp` has written is synchronized, for pack
/// and unpack do that too.
enum PackingWorkload {
    private static let valueSize = 500_000
    private static let pageSize = 50_000

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Picture", attributes: [AttributeDescription("pixels", .binary, allowsExternalBinaryDataStorage: true)]),
            EntityDefinition("Page", attributes: [AttributeDescription("bytes", .binary)]),
        ])
    }

    // MARK: Documents

    /// Makes a package without versions.
    static func makePackage(kilobytes: Int, at url: URL) async throws {
        let edited = url.appendingPathExtension("edited"), archive = url.appendingPathExtension("folioz")
        defer { for leftover in [edited, archive] { try? FileManager.default.removeItem(at: leftover) } }
        try await PersistentDocument.writeEmpty(at: edited, model: model())
        let document = try await PersistentDocument.open(edited)
        var noise = Noise()
        let half = kilobytes * 500
        for count in stride(from: 0, to: half, by: valueSize) {
            try document.context.insert("Picture")["pixels"] = noise.data(min(valueSize, half - count))
            for start in stride(from: 0, to: min(valueSize, half - count), by: pageSize) {
                try document.context.insert("Page")["bytes"] = noise.data(min(pageSize, half - count - start))
            }
            // A document of any size is made in little memory.
            if count % (64 * valueSize) == 63 * valueSize { try await document.save(); document.context.reset() }
        }
        try await document.save()
        try await document.close()
        // What comes out of an archive has no versions.
        try await PersistentDocument.pack(edited, to: archive)
        try await PersistentDocument.unpack(archive, to: url)
    }

    /// Bytes that look like those of a compressed picture.
    private struct Noise {
        private var state: UInt64 = 0x853c_49e6_748f_ea9b

        mutating func data(_ count: Int) -> Data {
            var data = Data(count: count)
            data.withUnsafeMutableBytes { (buffer: UnsafeMutableRawBufferPointer) in
                for place in stride(from: 0, to: count, by: 8) {
                    state ^= state << 13
                    state ^= state >> 7
                    state ^= state << 17
                    withUnsafeBytes(of: state) { bytes in
                        for index in 0..<min(8, count - place) { buffer[place + index] = bytes[index] }
                    }
                }
            }
            return data
        }
    }

    // MARK: Conflicting objects

    static func folio(_ document: URL, unpacks: Bool) async throws -> Measurement {
        let target = document.deletingLastPathComponent().appendingPathComponent(
            unpacks ? "result.folio" : "result.folioz")
        try prepare(target)
        let watch = Stopwatch()
        if unpacks {
            try await PersistentDocument.unpack(document, to: target)
        } else {
            try await PersistentDocument.pack(document, to: target)
        }
        var measured = watch.measurement(checksum: 0)
        if unpacks {
            measured.checksum = try digest(target)
        } else {
            let package = target.appendingPathExtension("folio")
            try prepare(package)
            try await PersistentDocument.unpack(target, to: package)
            measured.checksum = try digest(package)
            try FileManager.default.removeItem(at: package)
        }
        try FileManager.default.removeItem(at: target)
        return measured
    }

    static func hand(_ document: URL) throws -> Measurement {
        let target = document.deletingLastPathComponent().appendingPathComponent("result.folio")
        try prepare(target)
        let watch = Stopwatch()
        try run("/usr/bin/env", ["cp", "-r", document.path, target.path])
        try run(
            "/usr/bin/env",
            ["sync"]
                + FileManager.default.subpathsOfDirectory(atPath: target.path).map {
                    target.appendingPathComponent($0).path
                } + [target.path])
        let measured = try watch.measurement(checksum: digest(target))
        try FileManager.default.removeItem(at: target)
        return measured
    }

    /// Nothing of an earlier round is in the way, and nothing of it is still being written.
    private static func prepare(_ target: URL) throws {
        try? FileManager.default.removeItem(at: target)
        try run("/usr/bin/env", ["sync", "-f", target.deletingLastPathComponent().path])
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("\(arguments.first ?? program) failed") }
    }

    private static func files(_ folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: folder.appendingPathComponent(path).path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }

    /// All names and bytes of a package.
    private static func digest(_ folder: URL) throws -> UInt64 {
        var checksum = Checksum()
        for path in try files(folder) {
            for byte in path.utf8 { checksum.add(UInt64(byte)) }
            let content = try Data(contentsOf: folder.appendingPathComponent(path), options: .alwaysMapped)
            checksum.add(UInt64(content.count))
            content.withUnsafeBytes { bytes in
                for place in stride(from: 0, to: bytes.count - bytes.count % 8, by: 8) {
                    checksum.add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                }
                for place in (bytes.count - bytes.count % 8)..<bytes.count { checksum.add(UInt64(bytes[place])) }
            }
        }
        return checksum.value
    }
}
