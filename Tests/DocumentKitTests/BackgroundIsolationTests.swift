import DocumentKit
import Foundation
import ObjectGraph
import Testing

/// Notes on which thread a save asks it.
private final class ObservedDocument: PersistentDocument {
    var isAskedOnMainThread: [Bool] = []
    var areChangesToldOnMainThread: [Bool] = []

    override func validate() throws { isAskedOnMainThread.append(Thread.isMainThread) }
}

@Suite struct BackgroundIsolationTests {
    /// Edits of an owner on the main actor would otherwise meet a save in the middle.
    @MainActor @Test func whatADocumentDoesByItselfIsDoneInItsOwnersIsolation() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await ObservedDocument.create(at: url, model: Library.model())
            document.outsideChangeHandler = { [weak document] _ in
                document?.areChangesToldOnMainThread.append(Thread.isMainThread)
            }
            document.startBackgroundTasks(
                SavingPolicy(
                    idle: .milliseconds(5), minimumInterval: .zero, maximumDelay: .seconds(1), savesWhenIdle: true))
            try Library.insertBook("A", document)
            for _ in 0..<400 where document.hasUnsavedChanges { try await Task.sleep(for: .milliseconds(10)) }
            #expect(!document.hasUnsavedChanges)
            #expect(document.isAskedOnMainThread == [true])
            try FileManager.default.moveItem(at: url, to: folder.appendingPathComponent("B.folio"))
            for _ in 0..<400 where document.areChangesToldOnMainThread.isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(document.areChangesToldOnMainThread == [true])
            try await document.close()
        }
    }
}
