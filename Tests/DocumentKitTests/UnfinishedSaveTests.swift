import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Schema
import TestSupport
import Testing

/// A document with one file of its own.
private final class Noted: PersistentDocument {
    var note: Data?

    override func extraContent() throws -> [ExtraFile] { note.map { note in [ExtraFile("sub/note") { note }] } ?? [] }
}

/// What is left undone where the system fails after, or shortly before, the commit of a save, and
/// how it is told.
struct UnfinishedSaveTests {
    private static let inputOutput: Int32 = 5
    private static let first = Data("first".utf8), second = Data("second".utf8)

    private func made(_ url: URL, _ form: DocumentForm) async throws -> Noted {
        let document = try await Noted.create(at: url, model: Library.model(), form: form)
        document.note = Self.first
        try Library.insertBook("saved", document)
        try await document.save()
        document.note = Self.second
        try Library.insertBook("new", document)
        return document
    }

    private func failingToPlaceTheNote<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await FaultInjection.with(
            { call, path in call == .rename && path.hasSuffix("/note") ? .error(Self.inputOutput) : nil }, body)
    }

    @Test func rowsOfAPackageAreSavedThoughItsFileCannotBePlacedAndTheNextSaveWritesTheFile() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), document = try await made(url, .package)
            try await failingToPlaceTheNote { try await document.save() }
            #expect((document.postCommitError as? DocumentError)?.code == .inputOutput)
            #expect(document.hasUnsavedChanges)
            #expect(try await document.extraFile("sub/note") == Self.first)
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            try await document.save()
            #expect(document.postCommitError == nil && !document.hasUnsavedChanges)
            #expect(try await document.extraFile("sub/note") == Self.second)
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func anArchiveIsNotReplacedByOneThatLacksItsFile() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz"), document = try await made(url, .archive)
            let before = try Disk.read(url.path, limit: 1 << 24)
            await #expect(throws: DocumentError.self) { try await failingToPlaceTheNote { try await document.save() } }
            #expect(try Disk.read(url.path, limit: 1 << 24) == before)
            #expect(document.hasUnsavedChanges)
            try await document.save()
            #expect(try await document.extraFile("sub/note") == Self.second)
            try await document.close()
            let again = try await PersistentDocument.open(url, mode: .reading)
            #expect(try Library.titles(again) == ["new", "saved"])
            #expect(try await again.extraFile("sub/note") == Self.second)
            try await again.close()
        }
    }

    /// Neither the archive can be replaced nor what was committed for it be taken back: the work is
    /// autosaved, and is there for whoever keeps it.
    @Test func workThatALastingFaultKeepsFromAnArchiveIsAutosavedUntilItIsKept() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folioz")
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: .archive)
            try Library.insertBook("saved", document)
            try await document.save()
            try Library.insertBook("new", document)
            let hasFailed: Bool = await FaultInjection.with({ call, path in
                call == .rename && path.contains("/folio/documents/") || call == .exchange && path.hasSuffix("A.folioz")
                    ? .error(Self.inputOutput) : nil
            }) {
                await #expect(throws: DocumentError.self) { try await document.save() }
                do { try await document.close(.discard) } catch { return true }
                return false
            }
            #expect(hasFailed)
            #expect(try DocumentInfo(of: url).hasUnsavedChanges)
            await #expect(
                performing: { _ = try await PersistentDocument.open(url) },
                throws: { ($0 as? DocumentError)?.code == .recoverable })
            let kept = try await PersistentDocument.open(url, recovery: .keep)
            #expect(try Library.titles(kept) == ["new", "saved"])
            try await kept.save()
            try await kept.close()
            let next = try await PersistentDocument.open(url)
            #expect(try Library.titles(next) == ["new", "saved"])
            try await next.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}

extension UnfinishedSaveTests {
    @Test func aDocumentThatWasWrittenAndCannotBeOpenedIsSaidToBeThere() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), copy = folder.appendingPathComponent("B.folio"),
                document = try await made(url, .package)
            let error = await #expect(throws: DocumentError.self) {
                try await FaultInjection.with({ call, path in
                    call == .open && path.hasSuffix("B.folio") ? .error(Self.inputOutput) : nil
                }) { try await document.save(as: copy) }
            }
            #expect(
                error?.stage == .opening && error?.path == copy.path
                    && error?.message.hasPrefix("it was written") == true, "\(error.map { "\($0)" } ?? "")")
            #expect(document.url.path == url.path && document.hasUnsavedChanges)
            #expect(try DocumentVerifier.verify(copy, isThorough: true).isEmpty)
            try await document.close(.discard)
        }
    }
}
