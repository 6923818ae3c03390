import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import TestSupport
import Testing

/// What processes that were killed left in the folder for temporary files.
struct TemporaryFolderTests {
    private static func makeFolder(_ name: String, in folder: URL, ageInSeconds age: TimeInterval) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.appendingPathComponent("inner"), withIntermediateDirectories: true)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: url.path)
        return url
    }

    @Test func aLaterRunRemovesThemAndNothingElse() throws {
        try withTemporaryDirectory { folder in
            let id = "0123abcd-0123-4567-89ab-0123456789ab"
            // No process has such a number: the kernel's greatest is 2²².
            let abandoned = try Self.makeFolder("folio-9999999-\(id)", in: folder, ageInSeconds: 3_600)
            let recent = try Self.makeFolder("folio-9999998-\(id)", in: folder, ageInSeconds: 0)
            let ofLiving = try Self.makeFolder(
                "folio-\(ProcessInfo.processInfo.processIdentifier)-\(id)", in: folder, ageInSeconds: 3_600)
            let ofOthers = try Self.makeFolder("folio-notes", in: folder, ageInSeconds: 3_600)
            let locked = try Self.makeFolder("folio-9999997-\(id)", in: folder, ageInSeconds: 3_600)
            let lock = try Directory(locked.path)
            #expect(lock.lock())
            let process = Process()
            process.executableURL = builtProgram("folio")
            let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("DocumentSamples/Expeditions.folio")
            process.arguments = ["pack", sample.path, folder.path + "/Packed.folioz"]
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(
                try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
                    == Set([recent, ofLiving, ofOthers, locked].map(\.lastPathComponent) + ["Packed.folioz"]),
                "\(abandoned.path) is to be gone")
            withExtendedLifetime(lock) {}
        }
    }
}
