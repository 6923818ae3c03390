import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import SQLiteKit
import Schema
import TestSupport
import Testing

/// The journal that autosaved work stays in: how far it grows, and that no other is ever taken for
/// it.
struct JournalTests {
    private func journal(_ url: URL) -> String { url.path + "/store/store.sqlite-wal" }
    private func store(_ url: URL) -> String { url.path + "/store/store.sqlite" }
    private func size(_ path: String) throws -> Int64 { try Disk.status(of: path)?.size ?? 0 }

    private func saved(_ url: URL, _ form: DocumentForm = .package) async throws -> PersistentDocument {
        let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
        try Library.insertBook("saved", document)
        try await document.save()
        return document
    }

    private func titles(_ url: URL, _ state: DocumentState = .newest) async throws -> [String] {
        let reader = try await PersistentDocument.open(url, mode: .reading, state: state, fitting: .own)
        let titles = try Library.titles(reader)
        try await reader.close()
        return titles
    }

    private func expect(
        _ url: URL, _ state: DocumentState = .newest, shows expected: [String],
        _ place: SourceLocation = #_sourceLocation
    ) async throws {
        let shown = try await titles(url, state)
        #expect(shown == expected, sourceLocation: place)
    }
}

extension JournalTests {
    // MARK: The limit

    @Test func aFullJournalGoesIntoTheStoreAndRevertGivesTheLastSave() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await saved(url)
            let lastSave = try #require(document.saved)
            try Library.insertBook("small", document)
            try await document.autosave()
            #expect(try size(journal(url)) > 0, "far below the limit")
            #expect(try document.versions().count == 1)

            document.autosavedBytesLimit = 0
            try Library.insertBook("first", document)
            try await document.autosave()
            #expect(try size(journal(url)) == 0)
            #expect(try document.versions().map(\.reason) == [.save, .autosave])
            #expect(document.hasUnsavedChanges && document.hasAutosavedWork)
            #expect(document.saved == lastSave && document.autosaved != nil)
            #expect(document.manifest?.lastSave?.generation == 1)
            #expect(try DocumentInfo(of: url).hasUnsavedChanges)
            try await expect(url, shows: ["first", "saved", "small"])
            try await expect(url, .saved, shows: ["saved"])

            // The version that unsaved work goes back to is no more to be removed than to be
            // thinned out.
            #expect(throws: DocumentError.self) { try document.removeVersions(document.versions()) }
            try Library.insertBook("second", document)
            try await document.autosave()
            document.autosavedBytesLimit = nil
            try Library.insertBook("in the journal", document)
            try await document.autosave()
            #expect(document.manifest?.lastSave?.generation == 1)
            try await expect(url, shows: ["first", "in the journal", "saved", "second", "small"])

            try await document.revert()
            #expect(try Library.titles(document) == ["saved"])
            #expect(!document.hasUnsavedChanges && !document.hasAutosavedWork && document.autosaved == nil)
            #expect(document.manifest?.lastSave == nil)
            // What was given up is a version.
            let given = try #require(try document.versions().last)
            #expect(given.reason == .restore)
            try await expect(
                url, .version(given.generation), shows: ["first", "in the journal", "saved", "second", "small"])
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func workThatTheStoreTookUpIsRecoveredSavedOrDiscarded() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await saved(url)
            document.autosavedBytesLimit = 0
            try Library.insertBook("unsaved", document)
            try await document.close(.keep)
            #expect(try size(journal(url)) == 0)

            await #expect(throws: DocumentError.self) { try await PersistentDocument.open(url) }
            await #expect(throws: DocumentError.self) {
                try await PersistentDocument.pack(url, to: folder.appendingPathComponent("A.folioz"))
            }
            #expect(try DocumentInfo(of: url).hasUnsavedChanges)
            let copy = folder.appendingPathComponent("B.folio")
            try Disk.copyTree(url.path, to: copy.path)

            let kept = try await PersistentDocument.open(url, recovery: .keep)
            #expect(kept.recovered != nil && kept.hasUnsavedChanges)
            try await kept.save()
            #expect(!kept.hasUnsavedChanges && kept.manifest?.lastSave == nil)
            try await kept.close()
            try await expect(url, shows: ["saved", "unsaved"])
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)

            let discarded = try await PersistentDocument.open(copy, recovery: .discard)
            #expect(discarded.recovered == nil && !discarded.hasUnsavedChanges)
            #expect(try Library.titles(discarded) == ["saved"])
            try await discarded.close()
            #expect(try DocumentVerifier.verify(copy, isThorough: true).isEmpty)
        }
    }
}

extension JournalTests {
    @Test func undoingWhatTheStoreTookUpClosesAsItWasSaved() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await saved(url)
            document.context.undoManager = UndoManager()
            document.autosavedBytesLimit = 0
            try Library.insertBook("unsaved", document)
            document.context.processPendingChanges()
            try await document.autosave()
            document.context.undo()
            #expect(!document.hasUnsavedChanges)
            try await document.close()
            let again = try await PersistentDocument.open(url)
            #expect(try Library.titles(again) == ["saved"])
            try await again.close()
        }
    }

    @Test func aReaderKeepsAFullJournalFromTheStoreAndRevertIsRightMeanwhile() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await saved(url)
            let outside = try Connection.openForReading(store(url))
            try outside.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
            _ = try outside.value("SELECT count(*) FROM ZBOOK")
            document.autosavedBytesLimit = 0
            try Library.insertBook("unsaved", document)
            try await document.autosave()
            #expect(document.postCommitError == nil)
            #expect(try size(journal(url)) > 0)
            try Library.insertBook("more", document)
            try await document.autosave()
            try await document.revert()
            #expect(try Library.titles(document) == ["saved"])
            #expect(try outside.value("SELECT count(*) FROM ZBOOK")?.integer == 1)
            try outside.close()
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test(arguments: [false, true]) func theWorkingSetOfAnArchiveTakesUpAFullJournalAndTheArchiveStaysAsItWasSaved(
        _ carriesVersions: Bool
    ) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), package = folder.appendingPathComponent("A.folio")
            try await saved(package).close()
            _ = try await PersistentDocument.pack(package, to: url, withVersions: carriesVersions)
            let document = try await PersistentDocument.open(url)
            let before = try Disk.read(url.path, limit: 1 << 30)
            document.autosavedBytesLimit = 0
            let book = try #require(try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            for title in ["first", "second", "third"] {
                book["title"] = title
                try await document.autosave()
                try await expect(url, shows: [title])
            }
            #expect(try Disk.read(url.path, limit: 1 << 30) == before)
            try await expect(url, .saved, shows: ["saved"])
            try await document.revert()
            #expect(book["title"] as? String == "saved")
            #expect(!document.hasUnsavedChanges)

            book["title"] = "kept"
            try await document.autosave()
            try await document.close()
            await #expect(throws: DocumentError.self) { try await PersistentDocument.open(url) }
            let again = try await PersistentDocument.open(url, recovery: .keep)
            #expect(try Library.titles(again) == ["kept"])
            try await again.save()
            try await again.close()
            try await expect(url, shows: ["kept"])
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            let versions = try await PersistentDocument.open(url, mode: .reading)
            #expect(try versions.versions().map(\.generation) == (carriesVersions ? [0, 1] : []))
            try await versions.close()
            if carriesVersions { try await expect(url, .version(1), shows: ["saved"]) }
        }
    }
}

extension JournalTests {
    // MARK: Whose journal it is

    /// A package at rest with autosaved work in its journal.
    private func withWork(_ url: URL, _ title: String) async throws {
        let document = try await PersistentDocument.open(url, recovery: .keep)
        try Library.insertBook(title, document)
        try await document.close(.keep)
    }

    private func expectQuarantine(_ url: URL, _ expected: [String]) async throws {
        let wal = try Disk.read(journal(url), limit: 1 << 30), before = try committed(url)
        #expect(try DocumentVerifier.verify(url).contains { $0.message.contains("journal") })
        try await expect(url, shows: expected)
        #expect(try committed(url) == before, "a reader touches nothing")
        let document = try await PersistentDocument.open(url)
        #expect(try Library.titles(document) == expected)
        let aside = try #require(document.quarantinedWAL)
        #expect(try Disk.read(aside.path, limit: 1 << 30) == wal)
        try Library.insertBook("later", document)
        try await document.save()
        try await document.close()
        try await expect(url, shows: (expected + ["later"]).sorted())
        #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
    }

    @Test func theJournalOfAnotherDocumentIsNeverApplied() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), other = folder.appendingPathComponent("B.folio")
            try await saved(url).close()
            try await saved(other).close()
            try await withWork(other, "foreign")
            try Disk.copyFile(journal(other), to: journal(url))
            try await expectQuarantine(url, ["saved"])
        }
    }

    @Test func aJournalThatIsOlderThanTheStoreIsNeverApplied() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), stale = folder.appendingPathComponent("stale").path
            try await saved(url).close()
            try await withWork(url, "stale")
            try Disk.copyFile(journal(url), to: stale)
            let document = try await PersistentDocument.open(url, recovery: .discard)
            try Library.insertBook("newer", document)
            try await document.save()
            try await document.close()
            try Disk.removeFileIfPresent(journal(url))
            try Disk.rename(stale, to: journal(url))
            try await expectQuarantine(url, ["newer", "saved"])
        }
    }

    /// As when somebody puts an older copy of the store back, and its journal stays: the counter
    /// alone would let it pass.
    @Test func aJournalThatWasBegunOnAnotherStateOfTheStoreIsNeverApplied() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), old = folder.appendingPathComponent("old").path
            try await saved(url).close()
            try Disk.copyTree(url.path, to: old)
            let document = try await PersistentDocument.open(url)
            try Library.insertBook("second save", document)
            try await document.save()
            try await document.close()
            try await withWork(url, "on the second save")
            let wal = try Disk.read(journal(url), limit: 1 << 30)
            try Disk.removeTree(url.path)
            try Disk.rename(old, to: url.path)
            try Disk.replaceFile(journal(url), with: wal)
            try await expectQuarantine(url, ["saved"])
        }
    }
}

extension JournalTests {
    @Test func theJournalOfACopyThatWentOnByItselfIsNeverApplied() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), copy = folder.appendingPathComponent("copy.folio")
            try await saved(url).close()
            try Disk.copyTree(url.path, to: copy.path)
            try await withWork(copy, "one")
            try await withWork(copy, "two")
            let document = try await PersistentDocument.open(url)
            try Library.insertBook("own", document)
            try await document.save()
            try await document.close()
            try Disk.copyFile(journal(copy), to: journal(url))
            try await expectQuarantine(url, ["own", "saved"])
        }
    }

    /// A checkpoint brings page after page; a crash leaves a store of old and new ones, which its
    /// own journal makes whole.
    @Test func theOwnJournalIsAppliedHoweverFarACheckpointCame() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), with = folder.appendingPathComponent("with.folio")
            let document = try await saved(url)
            for number in 0..<200 {
                try Library.insertBook("\(number) " + String(repeating: "x", count: 300), document)
            }
            try await document.save()
            for book in try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")) {
                book["pages"] = 7
            }
            let outside = try Connection.openForReading(store(url))
            try outside.execute("BEGIN")
            _ = try outside.value("SELECT count(*) FROM ZBOOK")
            try await document.save()
            #expect(try size(journal(url)) > 0)
            try Disk.copyTree(url.path, to: with.path)
            try outside.close()
            try await document.close()
            let old = try Disk.read(store(with), limit: 1 << 30), new = try Disk.read(store(url), limit: 1 << 30)
            #expect(old != new)
            let page = 4096
            let places = stride(from: 0, to: new.count, by: page).filter {
                $0 >= old.count || old[$0..<min($0 + page, old.count)] != new[$0..<$0 + page]
            }
            #expect(places.count > 5)
            for count in 0...places.count {
                var mixed = old
                for place in places.prefix(count) {
                    if place >= mixed.count { mixed += [UInt8](repeating: 0, count: place + page - mixed.count) }
                    mixed.replaceSubrange(place..<place + page, with: new[place..<place + page])
                }
                let crashed = folder.appendingPathComponent("\(count).folio")
                try Disk.copyTree(with.path, to: crashed.path)
                try Disk.removeFile(store(crashed))
                try Disk.replaceFile(store(crashed), with: mixed)
                let reader = try await PersistentDocument.open(crashed, mode: .reading)
                #expect(
                    try reader.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).allSatisfy {
                        $0["pages"] as? Int == 7
                    }, "after \(count) pages")
                try await reader.close()
                let opened = try await PersistentDocument.open(crashed)
                #expect(opened.quarantinedWAL == nil, "after \(count) pages")
                #expect(try Library.titles(opened).count == 201)
                try await opened.close()
                #expect(try DocumentVerifier.verify(crashed).isEmpty, "after \(count) pages")
                try Disk.removeTree(crashed.path)
            }
        }
    }
}

extension JournalTests {
    // MARK: Archives that come back

    @Test func autosavedWorkIsFoundForAnArchiveThatIsTheSameAtItsPlaceThoughAnotherFile() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), away = folder.appendingPathComponent("B.folioz")
            let document = try await saved(url, .archive)
            try Library.insertBook("unsaved", document)
            try await document.close(.keep)
            // As a backup brings it back, or a file system that came up under another number.
            try Disk.copyFile(url.path, to: away.path)
            try Disk.removeFile(url.path)
            // A copy at another place is another document's.
            try await expect(away, shows: ["saved"])
            try Disk.copyFile(away.path, to: url.path)
            try await expect(url, shows: ["saved", "unsaved"])
            let again = try await PersistentDocument.open(url, recovery: .discard)
            #expect(try Library.titles(again) == ["saved"])
            try await again.close()
        }
    }
}
