import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import TestSupport
import Testing

/// The last step of a repair is the only one that writes where the new document is to be, so that
/// whoever ends the work before it leaves nothing.
struct RepairPlacingTests {
    @Test(arguments: ["folio", "folioz"]) func nothingIsWrittenBesideTheDocumentBeforeTheLastStep(form: String)
        async throws
    {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.\(form)"), target = folder.appendingPathComponent("B.\(form)")
            let document = try await PersistentDocument.create(
                at: url, model: Library.model(), form: form == "folio" ? .package : .archive)
            try Library.insertBook("saved", document)
            try await document.save()
            try await document.close()
            func names() throws -> [String] { try Disk.list(folder.path).map(\.name).filter { $0 != "state" }.sorted() }
            let before = try names()
            var listed: [[String]] = []
            #expect(throws: CancellationError.self) {
                try DocumentRepairer.repair(url, to: target, replacing: false, isDryRun: false, fitting: .own) {
                    _ in
                    listed.append(try names())
                    throw CancellationError()
                }
            }
            #expect(listed == [(before + [".A.\(form).lock"]).sorted()])
            #expect(try names() == before)
            _ = try DocumentRepairer.repair(url, to: target, replacing: false, isDryRun: false, fitting: .own) {
                step in
                try step()
                listed.append(try names())
            }
            #expect(listed.last?.contains("B.\(form)") == true)
        }
    }
}
