import Foundation
import TestSupport
import Testing

/// What goes wrong between an editor and `folio serve`: messages that are none, an end at any
/// moment, somebody else who has the document.
struct ServeEndTests {
    private func create(_ client: ServeClient, in folder: URL) throws -> String {
        let path = folder.appendingPathComponent("Doc.folio").path
        let info = try client.object("document/new", ["path": path, "model": FolioCommand.model])
        return try #require(info["document"] as? String)
    }

    private func insert(_ client: ServeClient, _ document: String, _ name: String) throws -> Int {
        try client.request(
            "object/insert",
            ["document": document, "objects": [["entity": "Person", "values": ["name": name]]]])
    }

    @Test func workIsKeptWhereTheInputEndsAndFoundAgain() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            for number in 0..<5 { _ = try insert(client, document, "Person \(number)") }
            // The answers are not waited for.
            try client.closeInput()
            #expect(client.waitForEnd() == 0, "\(client.errorOutput)")

            let next = try ServeClient(in: folder)
            let path = folder.appendingPathComponent("Doc.folio").path
            let refusal = try #require(try next.failure("document/open", ["path": path]))
            #expect(refusal.data["code"] as? String == "recoverable")
            #expect(try next.notification("document/recoverable")["path"] as? String == path)
            let info = try next.object("document/recover", ["path": path, "action": "keep"])
            #expect(info["isRecovered"] as? Bool == true)
            let count = try next.object("object/count", ["document": info["document"] ?? "", "entity": "Person"])
            #expect(count["count"] as? Int == 5)
            #expect(try next.end() == 0)
        }
    }

    @Test func aDocumentWithUnsavedWorkDoesNotKeepTheServerFromWorking() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            _ = try client.answer(to: insert(client, document, "A"))
            try client.closeInput()
            #expect(client.waitForEnd() == 0)

            let path = folder.appendingPathComponent("Doc.folio").path
            let next = try ServeClient([path], in: folder, initializes: false)
            let result = try next.object("initialize")
            let error = try #require(result["openError"] as? [String: Any])
            #expect((error["data"] as? [String: Any])?["code"] as? String == "recoverable")
            #expect(result["opened"] == nil && result["capabilities"] != nil)
            let info = try next.object("document/recover", ["path": path, "action": "keep"])
            #expect(info["isRecovered"] as? Bool == true)
            let second = try ServeClient([path], in: folder, initializes: false)
            let locked = try second.object("initialize")["openError"] as? [String: Any]
            #expect((locked?["data"] as? [String: Any])?["code"] as? String == "locked")
            #expect(try second.end() == 0)
            #expect(try next.end() == 0)
        }
    }

    /// The policy wants the work saved, and a rule of the model is violated.
    @Test func shutdownTellsWhatIsKeptInsteadOfSaved() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let first = try create(client, in: folder), path = folder.appendingPathComponent("Doc.folio").path
            try client.call("document/close", ["document": first])
            let document = try #require(
                try client.object("document/open", ["path": path, "policy": "saveless"])["document"] as? String)
            try client.call("object/insert", ["document": document, "objects": [["entity": "Journey"]]])
            let told = try client.object("shutdown")["documents"] as? [[String: Any]]
            #expect(told?.count == 1 && told?[0]["path"] as? String == path && told?[0]["isOpen"] as? Bool == false)
            let data = (told?[0]["error"] as? [String: Any])?["data"] as? [String: Any]
            #expect(data?["code"] as? String == "validation")
            try client.notify("exit")
            #expect(client.waitForEnd() == 0)
            #expect(try FolioCommand.run("fetch", path, "Journey", "--count").output == "1\n")
        }
    }
}

extension ServeEndTests {
    /// The last change can't be written any more. The client is told, and what was autosaved before
    /// stays.
    @Test func workThatCannotBeKeptIsToldAndAutosavedWorkStays() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder, fileLimit: 4 << 20)
            let document = try create(client, in: folder), path = folder.appendingPathComponent("Doc.folio").path
            _ = try client.answer(to: insert(client, document, "Saved"))
            try client.call("document/save", ["document": document])
            _ = try client.answer(to: insert(client, document, "Autosaved"))
            try client.call("document/autosave", ["document": document])
            _ = try client.answer(to: insert(client, document, String(repeating: "x", count: 8 << 20)))
            let failure = try #require(try client.failure("shutdown"))
            let told = failure.data["documents"] as? [[String: Any]]
            #expect(failure.code == -32000 && told?.count == 1, "\(failure)")
            #expect(told?.first?["document"] as? String == document && told?.first?["isOpen"] as? Bool == true)
            // The document can still be used.
            let count = try client.object("object/count", ["document": document, "entity": "Person"])
            #expect(count["count"] as? Int == 3)
            try client.notify("exit")
            _ = client.waitForEnd()
            #expect(client.errorOutput.contains(path))
            let next = try ServeClient(in: folder)
            #expect(try next.failure("document/open", ["path": path])?.data["code"] as? String == "recoverable")
            let info = try next.object("document/recover", ["path": path, "action": "keep"])
            let left = try next.object("object/count", ["document": info["document"] ?? "", "entity": "Person"])
            #expect(left["count"] as? Int == 2)
            #expect(try next.end() == 0)
        }
    }

    @Test(arguments: [0, 3, 25, 60, 130, 200]) func theInputMayEndInTheMiddleOfAMessage(_ length: Int) throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            _ = try client.answer(to: insert(client, document, "A"))
            let text =
                #"{"jsonrpc":"2.0","id":9,"method":"object/insert","params":{"document":"\#(document)","objects":[{"entity":"Person","values":{"name":"B"}}]}}"#
            let message = "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
            try client.send(raw: String(message.prefix(length)))
            try client.closeInput()
            #expect(client.waitForEnd() == 0)
            let outcome = try FolioCommand.run("fetch", folder.path + "/Doc.folio", "Person", "--count")
            #expect(outcome.output == (length >= message.count ? "2\n" : "1\n"))
        }
    }

    @Test func aServerThatIsKilledLosesNothingThatWasAutosaved() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            _ = try client.answer(to: insert(client, document, "A"))
            try client.call("document/autosave", ["document": document])
            kill(client.process.processIdentifier, SIGKILL)
            _ = client.waitForEnd()
            let outcome = try FolioCommand.run("fetch", folder.path + "/Doc.folio", "Person", "--count")
            #expect(outcome.output == "1\n")
        }
    }
}

extension ServeEndTests {
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func aSignalEndsTheServerAndTheWorkIsKept(_ signal: Int32) throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            _ = try client.answer(to: insert(client, document, "A"))
            kill(client.process.processIdentifier, signal)
            #expect(client.waitForEnd() == 128 + signal)
            let outcome = try FolioCommand.run("fetch", folder.path + "/Doc.folio", "Person", "--count")
            #expect(outcome.output == "1\n")
        }
    }

    @Test func theSecondEditorIsToldWhoHasTheDocument() throws {
        try withTemporaryDirectory { folder in
            let first = try ServeClient(in: folder), second = try ServeClient(in: folder)
            let document = try create(first, in: folder)
            let path = folder.appendingPathComponent("Doc.folio").path
            let refusal = try #require(try second.failure("document/open", ["path": path]))
            #expect(refusal.data["code"] as? String == "locked" && refusal.data["exit"] as? Int == 75)
            let holder = (refusal.data["detail"] as? [String: Any])?["holder"] as? [String: Any]
            #expect(holder?["pid"] as? Int == Int(first.process.processIdentifier))
            let reader = try second.object("document/open", ["path": path, "mode": "read"])
            #expect(reader["mode"] as? String == "read")
            let refused = try second.failure(
                "object/insert", ["document": reader["document"] ?? "", "objects": [["entity": "Person"]]])
            #expect(refused?.data["exit"] as? Int == 77)
            try first.call("document/close", ["document": document])
            #expect(try second.object("document/open", ["path": path])["mode"] as? String == "edit")
            #expect(try first.end() == 0)
            #expect(try second.end() == 0)
        }
    }

    @Test func aConflictIsToldAndResolved() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            let path = folder.appendingPathComponent("Doc.folio").path, theirs = folder.path + "/Theirs.folio"
            try client.call("document/save", ["document": document])
            try FileManager.default.copyItem(atPath: path, toPath: theirs)
            #expect(try FolioCommand.run("insert", theirs, "Person", "name=Theirs").exit == 0)
            _ = try client.answer(to: insert(client, document, "Mine"))
            #expect(
                try client.failure("conflict/resolve", ["document": document, "resolution": "theirs"])?.code == -32000)
            try FileManager.default.moveItem(atPath: path, toPath: folder.path + "/Gone.folio")
            try FileManager.default.moveItem(atPath: theirs, toPath: path)
            // The server notices it by itself.
            #expect(try client.notification("document/conflict")["document"] as? String == document)
            let report = try client.object("conflict/resolve", ["document": document, "resolution": "mergeMine"])
            #expect((report["clashes"] as? [Any])?.isEmpty == true)
            let count = try client.object("object/count", ["document": document, "entity": "Person"])
            #expect(count["count"] as? Int == 2)
            try client.call("document/save", ["document": document])
            #expect(try client.end() == 0)
        }
    }
}

extension ServeEndTests {
    @Test func requestsAreCancelled() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            let objects = (0..<3000).map { ["entity": "Person", "values": ["name": "Person \($0)"]] as [String: Any] }
            try client.call("object/insert", ["document": document, "objects": objects])
            let first = try client.request("object/fetch", ["document": document, "entity": "Person"])
            let waiting = try client.request("object/fetch", ["document": document, "entity": "Person"])
            try client.notify("$/cancelRequest", ["id": waiting])
            try client.notify("$/cancelRequest", ["id": 4711])
            _ = try? client.answer(to: first)
            let failure = #expect(throws: ServeClient.Failure.self) { try client.answer(to: waiting) }
            #expect(failure?.code == -32800)
            #expect(try client.end() == 0)
        }
    }

    /// While nobody reads, notifications are not made; afterwards the client is told to look anew.
    @Test func aClientThatDoesNotReadIsToldToLookAnew() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            try client.call("result/watch", ["document": document, "entity": "Person", "sort": "name"])
            var last = 0
            // More answers than a pipe and the server hold.
            let long = String(repeating: "x", count: 100_000)
            last = try insert(client, document, long)
            for _ in 0..<30 { last = try client.request("object/fetch", ["document": document, "entity": "Person"]) }
            for number in 0..<20 { last = try insert(client, document, "Person \(number)") }
            client.waitUntilIdle()
            _ = try client.answer(to: last)
            var isReset = false
            for _ in 0..<22 where !isReset {
                isReset = try client.notification("result/changed")["isReset"] as? Bool ?? false
            }
            #expect(isReset)
            #expect(client.notifications.filter { $0.method == "result/changed" }.count < 21)
            #expect(try client.end() == 0)
        }
    }

    @Test func whatIsNoRequestIsAnErrorAndTheServerGoesOn() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let wrong: [(Any, Int)] = [
                ([] as [Any], -32600), ("text", -32600), (7, -32600), (["id": 5, "method": "x"], -32600),
                (["jsonrpc": "2.0", "id": ["a"], "method": "x"], -32600),
                (["jsonrpc": "1.0", "id": 5, "method": "x"], -32600),
                (["jsonrpc": "2.0", "id": 5, "method": 7], -32600),
                (["jsonrpc": "2.0", "id": 5, "method": "document/info", "params": [1]], -32602),
                (["jsonrpc": "2.0", "id": 5, "method": "nothing"], -32601),
            ]
            for (message, code) in wrong {
                try client.send(message)
                #expect((try client.next()["error"] as? [String: Any])?["code"] as? Int == code, "\(message)")
            }
            for text in ["{", "{\"a\":1,\"a\":2}", String(repeating: "[", count: 100_000), "\u{FF}", ""] {
                try client.send(raw: "Content-Type: x\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
                #expect((try client.next()["error"] as? [String: Any])?["code"] as? Int == -32700)
            }
            // Notifications and answers that nobody asked for.
            try client.notify("unknown")
            try client.send(["jsonrpc": "2.0", "id": 99, "result": 1])
            #expect(try client.failure("document/info", ["document": "d9"])?.code == -32602)
            #expect(try client.end() == 0)
        }
    }
}

extension ServeEndTests {
    @Test(arguments: [
        "Content-Length: -5\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n", "\r\n", "nonsense\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", String(repeating: "x", count: 100_000),
    ])
    func afterAHeaderThatIsNoneTheWorkIsKept(_ header: String) throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            _ = try client.answer(to: insert(client, document, "A"))
            try client.send(raw: header)
            while (try client.next()["error"] as? [String: Any])?["code"] as? Int != -32700 {}
            #expect(client.waitForEnd() == 0)
            let outcome = try FolioCommand.run("fetch", folder.path + "/Doc.folio", "Person", "--count")
            #expect(outcome.output == "1\n")
        }
    }

    @Test(.enabled(if: runsSweeps)) func messagesOf64MegabytesAreTaken() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            let name = String(repeating: "x", count: 64 << 20)
            let text =
                #"{"jsonrpc":"2.0","id":77,"method":"object/insert","params":{"document":"\#(document)","objects":[{"entity":"Person","values":{"name":"\#(name)"}}]}}"#
            try client.send(raw: "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
            let answer = try client.answer(to: 77)
            #expect(((answer as? [String: Any])?["ids"] as? [String])?.count == 1)
            #expect(try client.end() == 0)
        }
    }

    /// Valid and invalid messages at random: each request has one answer, and the server goes on.
    @Test(.enabled(if: runsSweeps)) func randomMessagesAreAnswered() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let document = try create(client, in: folder)
            var random = SplitMix(state: 4711)
            let methods = [
                "object/get", "object/fetch", "object/count", "object/insert", "object/set", "object/delete",
                "object/move",
                "undo", "redo", "undo/begin", "undo/end", "result/watch", "result/rows", "result/unwatch",
                "document/info",
                "document/versions", "model/describe", "predicate/check", "predicate/complete", "diff", "nonsense",
                "document/open",
            ]
            let names = [
                "document", "entity", "where", "sort", "limit", "offset", "columns", "ids", "objects", "edits",
                "predicate",
                "index", "id", "key", "member", "watch", "first", "count", "old", "new", "path", "groupBy", "having",
                "distinct",
            ]
            func value(_ depth: Int) -> Any {
                let words = [
                    "Person", "Journey", "name", "Person/p1", "name == 'x'", "x-coredata://", "w1", "", "\u{0}",
                    "-name", "title,",
                    "year > ", "stops", "members.name", "sum(year)", document,
                ]
                switch Int.random(in: 0..<10, using: &random) {
                case 0: return NSNull()
                case 1: return Int.random(in: -3...9, using: &random)
                case 2: return Bool.random(using: &random)
                case 3 where depth < 3: return (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) }
                case 4 where depth < 3:
                    let keys = ["entity", "values", "id", "name", "add", "nonsense"]
                    return Dictionary(
                        (0..<3).map { _ in (keys.randomElement(using: &random) ?? "", value(depth + 1)) },
                        uniquingKeysWith: { $1 })
                default: return words.randomElement(using: &random) ?? ""
                }
            }
            for _ in 0..<400 {
                var pending: [Int] = []
                for _ in 0..<25 {
                    let method = methods.randomElement(using: &random) ?? ""
                    var params: [String: Any] = Bool.random(using: &random) ? ["document": document] : [:]
                    for _ in 0..<Int.random(in: 0...4, using: &random) {
                        params[names.randomElement(using: &random) ?? ""] = value(0)
                    }
                    pending.append(try client.request(method, params))
                }
                for id in pending { _ = try? client.answer(to: id) }
                #expect(client.process.isRunning)
            }
            // Groups that were opened are closed.
            while try client.failure("undo/end", ["document": document]) == nil {}
            #expect(try client.object("document/info", ["document": document])["document"] as? String == document)
            #expect(try client.end() == 0, "\(client.errorOutput)")
        }
    }
}
