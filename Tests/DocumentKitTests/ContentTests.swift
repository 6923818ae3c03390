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

/// Large values in `content/`: written in pieces, one file for equal ones, on the disk before a row
/// refers to them.
struct ContentTests {
    private func values(_ package: URL) throws -> [String] {
        try contents(of: package).keys.filter { $0.hasPrefix("content/") }.sorted()
    }

    private func makeFile(in folder: URL) throws -> URL {
        let url = folder.appendingPathComponent("in.bin")
        try Library.cover.write(to: url)
        return url
    }

    @Test(arguments: [DocumentForm.package, .archive, .store])
    func aFileIsAValueUntilItIsSavedAndTheDocumentsAfterwards(form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A"), file = try makeFile(in: folder)
            let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
            let book = try document.context.insert("Book")
            let value = try LargeValue(contentsOf: file)
            book["cover"] = value
            try await document.save()
            try FileManager.default.removeItem(at: file)
            #expect(try value.data() == Library.cover)
            #expect((book["cover"] as? LargeValue) == value)
            // It is the value that others read, so that looking again changes nothing.
            document.context.refreshAllObjects()
            #expect((book["cover"] as? LargeValue) == value)
            #expect(!document.context.hasChanges)
            // Undo brings it back from the document.
            document.context.undoManager = UndoManager()
            book["cover"] = nil
            try await document.save()
            document.context.undoManager?.undo()
            try await document.save()
            try await document.close()
            let again = try await PersistentDocument.open(url)
            let read = try #require(
                try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first?["cover"] as? LargeValue)
            #expect(try read.data() == Library.cover)
            let reader = try read.reader()
            #expect(try reader.read(upTo: 3) == Library.cover.prefix(3))
            try await again.close()
        }
    }

    @Test func aChangedFileFailsTheSaveAndLeavesNothing() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), file = try makeFile(in: folder)
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            let book = try document.context.insert("Book")
            book["cover"] = try LargeValue(contentsOf: file)
            try Data([1]).write(to: file)
            await #expect(throws: DocumentError.self) { try await document.save() }
            #expect(document.context.hasChanges)
            #expect(try values(url).isEmpty)
            book["cover"] = try LargeValue(contentsOf: file)
            try await document.save()
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test func aFileThatIsThereIsPutOnTheDiskBeforeARowRefersToIt() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), file = try makeFile(in: folder)
            let first = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.fill(first.context)
            try await first.save()
            try await first.close()
            let name = try #require(try values(url).first)
            for isFile in [true, false] {
                let document = try await PersistentDocument.open(url)
                let book = try #require(
                    try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first {
                        $0["cover"] == nil
                    })
                book["cover"] = isFile ? try LargeValue(contentsOf: file) : LargeValue(Library.cover)
                // Whoever wrote it may have failed to: a file that can't be synchronized is not
                // referred to.
                let refusing: FaultInjection.Hook = { call, path in
                    call == .fsync && path.hasSuffix(name) ? .error(5) : nil
                }
                await #expect(throws: DocumentError.self) {
                    try await FaultInjection.with(refusing) { try await document.save() }
                }
                let synchronized = Mutex<[String]>([])
                let noting: FaultInjection.Hook = { call, path in
                    if call == .fsync { synchronized.withLock { $0.append(path) } }
                    return nil
                }
                try await FaultInjection.with(noting) { try await document.save() }
                let package = LinkFree.path(url)
                let group = FilePath.parent(FilePath.join(package, name))
                #expect(
                    synchronized.withLock { Array($0.prefix(4)) } == [
                        FilePath.join(package, name), group, FilePath.join(package, "content"), package,
                    ])
                book["cover"] = nil
                try await document.save()
                try await document.close()
            }
            #expect(try values(url) == [name])
        }
    }
}

extension ContentTests {
    @Test func aSaveCanBeCancelledWhileAValueIsWritten() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), file = folder.appendingPathComponent("in.bin")
            try Data(count: 3 << 20).write(to: file)
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            let book = try document.context.insert("Book")
            book["cover"] = try LargeValue(contentsOf: file)
            let progress = Progress(totalUnitCount: 1)
            let hook: FaultInjection.Hook = { call, path in
                if call == .write, path.contains("/content/") { progress.cancel() }
                return nil
            }
            await #expect(throws: CancellationError.self) {
                try await FaultInjection.with(hook) { try await document.save(progress: progress) }
            }
            #expect(try values(url).isEmpty)
            try await document.save()
            try await document.close()
            #expect(try values(url).count == 1)
        }
    }
}

/// Paths as the document sees them.
private enum LinkFree {
    static func path(_ url: URL) -> String { (try? Disk.resolve(url.path)) ?? url.path }
}
