import Dispatch
import DocumentKit
import Foundation
import ObjectGraph
import TestSupport
import Testing

/// An actor whose jobs tell whether they run in it.
private final class WatchedExecutor: SerialExecutor, @unchecked Sendable {
    // Sendable by proof: the queue is, and nothing else is stored.
    private let queue = DispatchQueue(label: "owner")
    private static let key = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: Self.key, value: true) }

    static var isInside: Bool { DispatchQueue.getSpecific(key: key) ?? false }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// Notes whether a save asks it in its owner's isolation.
private final class ObservedDocument: PersistentDocument {
    var isAskedInside: [Bool] = []
    var isToldInside: [Bool] = []

    override func validate() throws { isAskedInside.append(WatchedExecutor.isInside) }
}

private actor Owner {
    private let executor = WatchedExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Has a document save itself, and follow where another program moves it.
    func work(in folder: URL) async throws {
        let url = folder.appendingPathComponent("A.folio")
        let document = try await ObservedDocument.create(at: url, model: Library.model())
        document.outsideChangeHandler = { [weak document] _ in
            document?.isToldInside.append(WatchedExecutor.isInside)
        }
        #expect(WatchedExecutor.isInside)
        document.startBackgroundTasks(
            SavingPolicy(
                idle: .milliseconds(5), minimumInterval: .zero, maximumDelay: .seconds(1), savesWhenIdle: true))
        try Library.insertBook("A", document)
        for _ in 0..<400 where document.hasUnsavedChanges { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!document.hasUnsavedChanges)
        #expect(!document.isAskedInside.isEmpty && !document.isAskedInside.contains(false))
        try FileManager.default.moveItem(at: url, to: folder.appendingPathComponent("B.folio"))
        for _ in 0..<400 where document.isToldInside.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(!document.isToldInside.isEmpty && !document.isToldInside.contains(false))
        try await document.close()
    }
}

struct BackgroundIsolationTests {
    /// Edits of an owner would otherwise meet a save in the middle.
    @Test func whatADocumentDoesByItselfIsDoneInItsOwnersIsolation() async throws {
        try await withFolder { folder in try await Owner().work(in: folder) }
    }
}
