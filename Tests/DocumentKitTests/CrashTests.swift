import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// What other processes see of a document, and what is left of it when they are killed.
///
/// The other process is this test program once more, told by its environment to play a part.
@Suite(.serialized) struct CrashTests {
    private static let part = ProcessInfo.processInfo.environment["FOLIO_TEST_PART"]
    private static let partPath = ProcessInfo.processInfo.environment["FOLIO_TEST_PATH"] ?? ""
    /// Where the editor says how many books it has autosaved: outside the document's folder.
    private static let countPath = ProcessInfo.processInfo.environment["FOLIO_TEST_COUNT"] ?? ""

    /// The part: saves one book, then autosaves one after the other, saying so after each, until it
    /// is killed. A patient editor pauses after each autosave, and leaves time to other processes.
    @Test(.enabled(if: part == "editor" || part == "patient editor")) func playEditor() async throws {
        let document = try await PersistentDocument.open(URL(fileURLWithPath: Self.partPath), recovery: .keep)
        try Library.insertBook("saved", document)
        try await document.save()
        for number in 1... {
            try Library.insertBook("autosaved \(number)", document)
            try await document.autosave()
            try Disk.replaceFile(Self.countPath, with: Array(String(number).utf8))
            if Self.part == "patient editor" { try await Task.sleep(for: .milliseconds(50)) }
        }
    }

    /// Starts an editor and waits until it has autosaved some books.
    private func startEditor(_ url: URL, isPatient: Bool = false, waitingFor count: Int = 3) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--testing-library", "swift-testing", "--filter", "CrashTests/playEditor"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            [
                "FOLIO_TEST_PART": isPatient ? "patient editor" : "editor", "FOLIO_TEST_PATH": url.path,
                "FOLIO_TEST_COUNT": countFile(url), "SWIFT_BACKTRACE": "enable=no",
            ]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = Date(timeIntervalSinceNow: 60)
        while acknowledged(url) < count {
            guard process.isRunning, Date() < deadline else {
                throw DocumentError(.inputOutput, "the editor did not get so far", path: url.path)
            }
            usleep(20_000)
        }
        return process
    }

    /// A new document in a folder where nothing else is.
    private func withDocument(_ form: DocumentForm = .package, _ body: (URL) async throws -> Void) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("documents/A.folio")
            try Disk.makeDirectory(url.deletingLastPathComponent().path)
            try await PersistentDocument.create(at: url, model: Library.model(), form: form).close()
            try await body(url)
        }
    }

    private func countFile(_ url: URL) -> String {
        url.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("count").path
    }

    private func acknowledged(_ url: URL) -> Int {
        (try? Disk.read(countFile(url), limit: 100)).flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    private func kill(_ process: Process) {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    @Test(.enabled(if: part == nil), arguments: [DocumentForm.package, .archive])
    func theLastAutosaveOutlivesAKillAndRevertGivesTheLastSave(_ form: DocumentForm) async throws {
        try await withDocument(form) { url in
            let editor = try startEditor(url)
            kill(editor)
            let count = acknowledged(url)

            let reader = try await PersistentDocument.open(url, mode: .reading)
            let titles = try Library.titles(reader)
            #expect(reader.hasAutosavedWork)
            try await reader.close()
            // One more may have been autosaved and not said.
            #expect(titles.count == count + 1 || titles.count == count + 2, "\(titles.count) of \(count)")
            #expect(titles.last == "saved")

            do {
                _ = try await PersistentDocument.open(url)
                Issue.record("opened as if nothing had been left")
            } catch let error as DocumentError {
                #expect(error.code == .recoverable)
            }
            let document = try await PersistentDocument.open(url, recovery: .keep)
            #expect(document.recovered != nil)
            #expect(try Library.titles(document) == titles)
            try await document.revert()
            #expect(try Library.titles(document) == ["saved"])
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
            #expect(try Disk.list(url.deletingLastPathComponent().path).map(\.name) == ["A.folio"])
        }
    }
}

extension CrashTests {
    @Test(.enabled(if: part == nil)) func recoveredWorkCanBeSaved() async throws {
        try await withDocument { url in
            kill(try startEditor(url))
            let document = try await PersistentDocument.open(url, recovery: .keep)
            let titles = try Library.titles(document)
            try await document.save()
            #expect(document.recovered == nil)
            try await document.close()
            let again = try await PersistentDocument.open(url)
            #expect(try Library.titles(again) == titles)
            try await again.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    @Test(.enabled(if: part == nil)) func anotherProcessHoldsTheLockUntilItDies() async throws {
        try await withDocument { url in
            let editor = try startEditor(url, isPatient: true)
            do {
                _ = try await PersistentDocument.open(url, recovery: .keep)
                Issue.record("two editors")
            } catch let error as DocumentError {
                #expect(error.code == .locked)
                #expect(error.holder?.pid == editor.processIdentifier)
            }
            #expect(try DocumentInfo(of: url).lock?.pid == editor.processIdentifier)
            // Readers see whole states while the editor goes on.
            for _ in 0..<10 {
                let reader = try await PersistentDocument.open(url, mode: .reading)
                let titles = try Library.titles(reader)
                #expect(titles.contains("saved") && titles.contains("autosaved 3"))
                try await reader.close()
            }
            kill(editor)
            let document = try await PersistentDocument.open(url, recovery: .discard)
            #expect(try Library.titles(document) == ["saved"])
            try await document.close()
        }
    }
}
