import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import Synchronization
import TestSupport
import Testing

/// Packages on file systems of the network, and in folders that are kept the same elsewhere: their
/// WAL lies in a working set.
@Suite(.serialized) struct SharedPlaceTests {
    private func inSharedPlace(_ volume: Volume = .network, _ body: (URL) async throws -> Void) async throws {
        try await withFolder { folder in
            let path = try Disk.resolve(folder.path)
            try await Volume.$assumed.withValue({ $0.hasPrefix(path) ? volume : nil }) {
                try await body(URL(fileURLWithPath: path))
            }
        }
    }

    private func make(_ url: URL) async throws {
        let document = try await PersistentDocument.create(at: url, model: Library.model())
        try Library.fill(document.context)
        try await document.save()
        try await document.close()
    }

    private func titles(_ url: URL) async throws -> [String] {
        let document = try await PersistentDocument.open(url, mode: .reading)
        let titles = try Library.titles(document)
        try await document.close()
        return titles
    }

    private func workingSets(_ uuid: String) throws -> [String] {
        let path = StateFolder.documents + "/" + uuid
        return try Disk.exists(path) ? Disk.list(path).map(\.name).filter { !$0.hasPrefix(".") } : []
    }

    @Test(arguments: [Volume.network, .userSpace]) func autosavesLeaveThePackageAsItIsAndASaveReplacesItsStore(
        volume: Volume
    ) async throws {
        try await inSharedPlace(volume) { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url)
            let document = try await PersistentDocument.open(url), uuid = document.uuid
            let before = try contents(of: url)
            for number in 0..<20 {
                try Library.insertBook("autosaved \(number)", document)
                try await document.autosave()
            }
            #expect(try contents(of: url) == before)
            #expect(try Disk.list(url.path + "/store").map(\.name) == ["store.sqlite"])
            #expect(try workingSets(uuid).count == 1)
            let seen = Mutex(Set<String>())
            let hook: FaultInjection.Hook = { call, path in
                if call != .stat, call != .unlink, path.hasSuffix("-wal") || path.hasSuffix("-shm") {
                    _ = seen.withLock { $0.insert(path) }
                }
                return nil
            }
            try await FaultInjection.with(hook) { try await document.save() }
            #expect(seen.withLock { $0.filter { $0.hasPrefix(url.path) } }.isEmpty)
            #expect(try Disk.list(url.path + "/store").map(\.name) == ["store.sqlite"])
            #expect(try await titles(url).count == 22)
            // On and on.
            try Library.insertBook("second save", document)
            try await document.save()
            let generations = try document.versions().map(\.generation)
            #expect(generations.count >= 2)
            try await document.close()
            #expect(try workingSets(uuid).isEmpty)
            #expect(try await titles(url).count == 23)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folio"])
            // The same package where a WAL may lie.
            try await Volume.$assumed.withValue(nil) {
                let local = try await PersistentDocument.open(url)
                #expect(try Library.titles(local).count == 23)
                try Library.insertBook("local", local)
                try await local.save()
                try await local.close()
            }
            #expect(try await titles(url).count == 24)
        }
    }
}

extension SharedPlaceTests {
    @Test func whatWasAutosavedIsFoundByReadersAndByTheNextEditor() async throws {
        try await inSharedPlace { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url)
            for recovery in [PersistentDocument.Recovery.keep, .discard] {
                let saved = try await titles(url)
                let document = try await PersistentDocument.open(url)
                try Library.insertBook("left \(recovery)", document)
                try await document.autosave()
                #expect(try await titles(url) == (saved + ["left \(recovery)"]).sorted())
                try await document.close()
                let error = await #expect(throws: DocumentError.self) {
                    try await PersistentDocument.open(url, recovery: .refuse)
                }
                #expect(error?.code == .recoverable)
                await #expect(throws: DocumentError.self) {
                    try await PersistentDocument.pack(url, to: folder.appendingPathComponent("P.folioz"))
                }
                #expect(try DocumentInfo(of: url, countsObjects: true).hasUnsavedChanges)
                let again = try await PersistentDocument.open(url, recovery: recovery)
                #expect(again.hasUnsavedChanges == (recovery == .keep))
                try await again.save()
                try await again.close()
                #expect(try await titles(url) == (recovery == .keep ? saved + ["left \(recovery)"] : saved).sorted())
            }
        }
    }

    @Test func aSaveThatFailsAtTheExchangeLeavesTheOldState() async throws {
        try await inSharedPlace { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url)
            let saved = try await titles(url)
            let document = try await PersistentDocument.open(url)
            let before = try contents(of: url).filter { $0.key.hasPrefix("store/") || $0.key == "manifest.json" }
            try Library.insertBook("new", document)
            let refusing: FaultInjection.Hook = { call, path in
                (call == .exchange || call == .rename) && path.hasSuffix("/store") ? .error(28) : nil
            }
            await #expect(throws: DocumentError.self) {
                try await FaultInjection.with(refusing) { try await document.save() }
            }
            #expect(try contents(of: url).filter { $0.key.hasPrefix("store/") || $0.key == "manifest.json" } == before)
            #expect(document.hasUnsavedChanges)
            try await document.save()
            try await document.close()
            #expect(try await titles(url) == (saved + ["new"]).sorted())
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func aManifestThatACrashLeftBehindIsWrittenByTheNextOpening() async throws {
        try await inSharedPlace { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url)
            let document = try await PersistentDocument.open(url)
            try Library.insertBook("new", document)
            // The last step after the exchange.
            let refusing: FaultInjection.Hook = { call, path in
                call == .rename && path.hasSuffix("manifest.json") ? .error(5) : nil
            }
            try await FaultInjection.with(refusing) { try await document.save() }
            try await document.close()
            #expect(try await titles(url).contains("new"))
            try await PersistentDocument.open(url).close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}

extension SharedPlaceTests {
    @Test func revertAndVersionsWorkAsElsewhere() async throws {
        try await inSharedPlace { folder in
            let url = folder.appendingPathComponent("A.folio")
            try await make(url)
            let saved = try await titles(url)
            let document = try await PersistentDocument.open(url)
            try Library.insertBook("second", document)
            try await document.save()
            try Library.insertBook("third", document)
            try await document.autosave()
            try await document.revert()
            #expect(try Library.titles(document) == (saved + ["second"]).sorted())
            let version = try #require(try document.versions().last)
            try await document.revert(to: version)
            #expect(try Library.titles(document) == saved)
            try Library.insertBook("after", document)
            try await document.save()
            try await document.close()
            #expect(try await titles(url) == (saved + ["after"]).sorted())
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func aWALThatLiesInThePackageIsTakenAlong() async throws {
        try await withFolder { folder in
            let url = URL(fileURLWithPath: try Disk.resolve(folder.path)).appendingPathComponent("A.folio"),
                path = url.path
            try await make(url)
            let saved = try await titles(url)
            let local = try await PersistentDocument.open(url)
            try Library.insertBook("local work", local)
            try await local.autosave()
            try await local.close()
            try await Volume.$assumed.withValue({ $0.hasPrefix(path) ? .network : nil }) {
                await #expect(throws: DocumentError.self) { try await PersistentDocument.open(url, recovery: .refuse) }
                let document = try await PersistentDocument.open(url, recovery: .keep)
                #expect(try Library.titles(document) == (saved + ["local work"]).sorted())
                try await document.save()
                try await document.close()
                #expect(try Disk.list(path + "/store").map(\.name) == ["store.sqlite"])
                #expect(try await titles(url) == (saved + ["local work"]).sorted())
                #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            }
        }
    }

    @Test(arguments: ["Dropbox", "OneDrive - Example", "Nextcloud"])
    func foldersThatAreSynchronizedAreKnownByTheirNames(name: String) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent(name).appendingPathComponent("sub")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try await expectNoJournal(url)
        }
    }

    @Test func aFolderOfSyncthingIsKnownByItsMark() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(".stfolder"), withIntermediateDirectories: true)
            try await expectNoJournal(folder)
        }
    }

    private func expectNoJournal(_ folder: URL) async throws {
        let url = folder.appendingPathComponent("A.folio")
        try await make(url)
        let document = try await PersistentDocument.open(url)
        try Library.insertBook("new", document)
        try await document.autosave()
        #expect(try Disk.list(url.path + "/store").map(\.name) == ["store.sqlite"])
        try await document.save()
        try await document.close()
        #expect(try await titles(url).contains("new"))
    }
}

extension SharedPlaceTests {
    @Test func anOrdinaryFolderIsLocal() throws {
        let path = FileManager.default.temporaryDirectory.path
        #expect(try Volume.of(path) == .local)
        #expect(throws: FileSystemError.self) { try Volume.of(path + "/missing-\(UUID())") }
    }
}
