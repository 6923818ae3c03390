import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import TestSupport
import Testing

struct DocumentLockTests {
    /// Programs of other hands read it too.
    @Test(
        arguments: [nil, "A9D4C1F2-0000-4000-8000-000000000001", "quoted \" and back\\slash, ümlaut,\nline, /path"]
            as [String?])
    func theLockFileIsTheJSONOfItsHolder(document: String?) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/A.folio", file = folder.path + "/.A.folio.lock"
            let lock = try DocumentLock.acquire(path, document: document)
            defer { lock.release() }
            let decoder = JSONDecoder(), encoder = JSONEncoder()
            decoder.dateDecodingStrategy = .iso8601
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file)),
                holder = try decoder.decode(LockHolder.self, from: bytes)
            #expect(holder.document == document && holder.pid == ProcessInfo.processInfo.processIdentifier)
            #expect(holder.bootID.count == 36 && UUID(uuidString: holder.bootID) != nil)
            #expect(try encoder.encode(holder) == bytes)
        }
    }

    @Test func theSecondIsToldWhoHoldsIt() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/Name.folio"
            let lock = try DocumentLock.acquire(path, document: "U")
            do {
                _ = try DocumentLock.acquire(path, document: nil)
                Issue.record("two locks")
            } catch let error as DocumentError {
                #expect(error.code == .locked)
                #expect(error.holder?.pid == ProcessInfo.processInfo.processIdentifier)
                #expect(error.holder?.document == "U")
                #expect(error.message.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
            }
            #expect(DocumentLock.holder(of: path) != nil)
            lock.release()
            #expect(DocumentLock.holder(of: path) == nil)
            #expect(try Disk.list(folder.path).isEmpty)
        }
    }

    @Test func whatTheHolderWritesIsReadBackWhateverIsInIt() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/Name.folio"
            let document = "a \"name\" with \\ and é/\n"
            let lock = try DocumentLock.acquire(path, document: document)
            #expect(DocumentLock.holder(of: path)?.document == document)
            lock.release()
        }
    }

    @Test func aLockFileOfADeadProcessIsTakenOver() throws {
        try withTemporaryDirectory { folder throws in
            let path = folder.path + "/Name.folio"
            try Disk.replaceFile(folder.path + "/.Name.folio.lock", with: Array("rubbish".utf8))
            #expect(DocumentLock.holder(of: path) == nil)
            try DocumentLock.acquire(path, document: nil).release()
        }
    }

    @Test func aLockFileOfAnotherMachineIsRespected() throws {
        try withTemporaryDirectory { folder throws in
            let text =
                #"{"bootID":"other","host":"elsewhere.invalid","pid":7,"program":"editor","since":"2026-01-01T00:00:00Z","user":"somebody"}"#
            try Disk.replaceFile(folder.path + "/.Name.folio.lock", with: Array(text.utf8))
            do {
                _ = try DocumentLock.acquire(folder.path + "/Name.folio", document: nil)
                Issue.record("taken over")
            } catch let error as DocumentError {
                #expect(error.holder?.host == "elsewhere.invalid")
            }
        }
    }
}
