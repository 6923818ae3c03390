import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import SQLiteKit
import Schema
import Storage
import TestSupport
import Testing

/// Commits that another program left in the WAL beside a document's store.
struct OutsideCommitTests {
    private func makePackage(_ url: URL, autosaves: Int = 0) async throws {
        let document = try await PersistentDocument.create(at: url, model: Library.model())
        try Library.insertBook("saved", document)
        try await document.save()
        for number in 0..<autosaves {
            try Library.insertBook("autosaved \(number)", document)
            try await document.autosave()
        }
        try await document.close()
    }

    /// Commits as another program does, and leaves a copy of the package as it is while that
    /// program has it open.
    private func commitOutside(_ url: URL, copy: URL, _ titles: [String]) throws {
        let outside = try Connection(url.path + "/store/store.sqlite", .readWrite)
        for title in titles {
            try outside.run(
                "UPDATE ZBOOK SET ZTITLE = ? WHERE ZTITLE = 'saved' OR ZTITLE LIKE 'outside%'", [.text(title)])
        }
        try Disk.copyTree(url.path, to: copy.path)
        try outside.close()
        try Disk.removeFileIfPresent(copy.path + "/store/store.sqlite-shm")
        #expect(try #require(try Disk.status(of: copy.path + "/store/store.sqlite-wal")).size > 0)
    }

    @Test func theyAreTakenUpAsASaveAndTheStateBeforeIsAVersion() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), left = folder.appendingPathComponent("B.folio")
            try await makePackage(url)
            try commitOutside(url, copy: left, ["outside 1", "outside 2"])
            #expect(try DocumentInfo(of: left).outsideCommits == 2)
            let reader = try await PersistentDocument.open(left, mode: .reading)
            #expect(try reader.outsideCommits == 2 && Library.titles(reader) == ["outside 2"])
            let generation = try #require(reader.manifest).generation
            try await reader.close()
            let document = try await PersistentDocument.open(left)
            #expect(try document.outsideCommits == 2 && Library.titles(document) == ["outside 2"])
            let version = try #require(try document.versions().last)
            #expect(version.generation == generation && version.reason == .other)
            try await document.close()
            #expect(try DocumentInfo(of: left).outsideCommits == 0)
            #expect(try DocumentVerifier.verify(left, isThorough: true).isEmpty)
            try await PersistentDocument.restore(left, to: generation)
            let restored = try await PersistentDocument.open(left, mode: .reading)
            #expect(try Library.titles(restored) == ["saved"])
            try await restored.close()
        }
    }

    @Test func theyAreCountedAmongAutosavesToo() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), left = folder.appendingPathComponent("B.folio")
            try await makePackage(url, autosaves: 3)
            #expect(try DocumentInfo(of: url).outsideCommits == 0)
            try commitOutside(url, copy: left, ["outside"])
            #expect(try DocumentInfo(of: left).outsideCommits == 1)
            let document = try await PersistentDocument.open(left, recovery: .keep)
            #expect(
                try document.outsideCommits == 1
                    && Library.titles(document) == ["autosaved 0", "autosaved 1", "autosaved 2", "outside"])
            try await document.save()
            try await document.close()
            #expect(try DocumentVerifier.verify(left, isThorough: true).isEmpty)
        }
    }

    @Test func oneThatACheckpointBroughtIntoTheMainFileDoesNotCount() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), left = folder.appendingPathComponent("B.folio")
            try await makePackage(url)
            let outside = try Connection(url.path + "/store/store.sqlite", .readWrite)
            try outside.run("UPDATE ZBOOK SET ZTITLE = 'outside'")
            #expect(try outside.checkpoint(.passive).isComplete)
            try Disk.copyTree(url.path, to: left.path)
            try outside.close()
            try Disk.removeFileIfPresent(left.path + "/store/store.sqlite-shm")
            // The last step of a checkpoint, which empties the WAL, is missing.
            #expect(try #require(try Disk.status(of: left.path + "/store/store.sqlite-wal")).size > 0)
            #expect(try DocumentInfo(of: left).outsideCommits == 0)
            let document = try await PersistentDocument.open(left)
            #expect(try document.outsideCommits == 0 && Library.titles(document) == ["outside"])
            try await document.close()
            #expect(try DocumentInfo(of: left).outsideCommits == 0)
        }
    }
}
