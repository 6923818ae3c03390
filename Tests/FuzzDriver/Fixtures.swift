import ArchiveKit
import FileSystem
import Foundation
import ModelFiles
import SQLiteKit
import TestSupport

/// The documents that are damaged: made by the command from a sample.
struct Fixtures {
    let folder: String
    private let sample: String

    var package: String { folder + "/A.folio" }
    var packageWithWAL: String { folder + "/W.folio" }
    var archive: String { folder + "/A.folioz" }
    var store: String { folder + "/A.sqlite" }
    var storeWithWAL: String { folder + "/W.sqlite" }
    var xml: String { folder + "/A.xml" }
    var binary: String { folder + "/A.storedata" }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private func run(_ arguments: String...) throws {
        let process = Process(), output = privatePipe()
        process.executableURL = builtProgram("folio")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = output
        try process.run()
        let message = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(arguments): \(String(decoding: message, as: UTF8.self))")
        }
    }

    /// - Parameter sample: A package with people.
    init(in folder: String, from sample: String) throws {
        self.folder = folder
        self.sample = sample
        try Disk.makeDirectory(folder, mode: 0o700)
        try Disk.copyTree(sample, to: package)
        let value = folder + "/value", people = folder + "/people.jsonl"
        try Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }).write(to: URL(fileURLWithPath: value))
        try run("set", package, "Person/p1", "portrait=@\(value)")
        let lines = (1...600).map { number in
            "{\"attributes\":{\"name\":\"Somebody called number \(number) \(String(repeating: "x", count: number % 40 == 0 ? 6_000 : number % 90))\"}}"
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: people))
        try run("import", package, people, "--entity", "Person")
        for number in 1...3 { try run("insert", package, "Person", "name=Late \(number)") }
        try run("pack", package, archive)
        for (target, kind) in [(store, "sqlite"), (xml, "xml"), (binary, "binary")] {
            try run("save-as", package, target, "--store", kind)
        }
        try Disk.copyTree(package, to: packageWithWAL)
        try Disk.copyFile(store, to: storeWithWAL)
        try addWAL(to: packageWithWAL + "/store/store.sqlite")
        try addWAL(to: storeWithWAL)
    }

    /// The sample itself as a store of another kind.
    func small(_ kind: String) throws -> String {
        let path = "\(folder)/small.\(kind)"
        try run("save-as", sample, path, "--store", kind)
        return path
    }

    /// Changes rows of a store without the main file taking them up.
    private func addWAL(to path: String) throws {
        let other = path + ".other"
        try Disk.copyFile(path, to: other)
        let connection = try Connection(other, .readWrite)
        try connection.execute("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0")
        for number in 1...5 {
            try connection.execute("UPDATE ZPERSON SET ZNAME = ZNAME || ' again' WHERE Z_PK % 7 = \(number)")
        }
        try Disk.removeFileIfPresent(path)
        try Disk.copyFile(other, to: path)
        try Disk.copyFile(other + "-wal", to: path + "-wal")
        try connection.close()
        for suffix in ["", "-wal", "-shm"] { try Disk.removeFileIfPresent(other + suffix) }
    }

    /// An archive of so many small files beside a document's own.
    func archive(entries: Int) throws -> String {
        let path = folder + "/many.folioz"
        let reader = try ArchiveReader(File(archive, .read))
        var parts = try reader.directory.entries.filter { !$0.isDirectory }.map { entry in
            ArchivePart(
                name: entry.name, content: .bytes(try reader.read(entry.name, limit: 64 << 20)),
                isStored: entry.method == .stored)
        }
        parts += (0..<entries).map { ArchivePart(name: "extra/\($0)", content: .bytes(Array("file \($0)".utf8))) }
        try ArchiveWriter.write(parts, to: File(path, .create(mode: 0o600)))
        return path
    }

    func bytes(_ path: String) throws -> [UInt8] { try Disk.read(path, limit: 64 << 20) }
}
