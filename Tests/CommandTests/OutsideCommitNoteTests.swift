import Foundation
import SQLiteKit
import TestSupport
import Testing

/// Commits that another program left in the journal of a package: every command that reads or
/// writes the package says on standard error that they are part of it.
struct OutsideCommitNoteTests {
    /// A copy of the sample as it is while another program, which has committed, has its store
    /// open.
    private static func makeDocument(in folder: URL) throws -> String {
        let original = try FolioCommand.copyOfDocument(in: folder),
            copy = folder.appendingPathComponent("Doc.folio").path
        let connection = try Connection(original + "/store/store.sqlite", .readWrite)
        try connection.setJournalMode(.wal)
        try connection.run("UPDATE ZPERSON SET ZNAME = 'Outside' WHERE Z_PK = 1")
        try FileManager.default.copyContents(of: URL(fileURLWithPath: original), to: URL(fileURLWithPath: copy))
        try connection.close()
        try? FileManager.default.removeItem(atPath: copy + "/store/store.sqlite-shm")
        try FileManager.default.removeItem(atPath: original)
        return copy
    }

    @Test(arguments: [
        ["pack", "DOC", "NEW.folioz"], ["pack", "DOC", "NEW.folioz", "--dry-run"],
        ["migrate", "DOC", "--model", "MODELS"], ["migrate", "DOC", "--model", "MODELS", "--dry-run"],
        ["migrate", "DOC", "--model", "MODELS", "-o", "NEW.folio"], ["repair", "DOC", "-o", "NEW.folio"],
        ["verify", "DOC"], ["recover", "DOC", "--list"], ["save-as", "DOC", "NEW.folio"],
        ["fetch", "DOC", "Person"], ["insert", "DOC", "Person", "name=A"], ["versions", "DOC"],
    ]) func theyAreToldOfOnce(words: [String]) throws {
        try withTemporaryDirectory { folder in
            let document = try Self.makeDocument(in: folder),
                places = ["DOC": document, "MODELS": FolioCommand.samples.path + "/Expeditions.xcdatamodeld"]
            let outcome = try FolioCommand.run(
                words.map { word in places[word] ?? word.replacing("NEW", with: folder.path + "/New") })
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(outcome.messages.ranges(of: "has a commit of another program").count == 1, "\(outcome.messages)")
        }
    }
}
