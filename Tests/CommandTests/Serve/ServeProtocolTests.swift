import Foundation
import TestSupport
import Testing

/// Batches, cancelling, and parameters that are refused.
struct ServeProtocolTests {
    private func withClient(form: String = "package", _ body: (ServeClient, String) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let path = folder.appendingPathComponent("Doc.folio").path
            let info = try client.object("document/new", ["path": path, "model": FolioCommand.model, "form": form])
            try body(client, try #require(info["document"] as? String))
            #expect(try client.end() == 0, "\(client.errorOutput)")
        }
    }

    private func insert(_ names: [String], _ client: ServeClient, _ document: String) throws {
        let objects = names.map { ["entity": "Person", "values": ["name": $0]] as [String: Any] }
        try client.call("object/insert", ["document": document, "objects": objects])
    }

    @Test func theRequestsOfABatchAreAnsweredTogether() throws {
        try withClient { client, document in
            func request(_ id: String, _ method: String) -> [String: Any] {
                ["jsonrpc": "2.0", "id": id, "method": method, "params": ["document": document, "entity": "Person"]]
            }
            try client.send([
                request("count", "object/count"), ["jsonrpc": "2.0", "method": "unknown"] as [String: Any], 3,
                request("none", "nothing"),
            ])
            let answers = try #require(try client.next()["batch"] as? [[String: Any]])
            #expect(answers.map { $0["id"] as? String } == ["count", nil, "none"])
            #expect((answers[0]["result"] as? [String: Any])?["count"] as? Int == 0)
            #expect(answers.map { ($0["error"] as? [String: Any])?["code"] as? Int } == [nil, -32600, -32601])
            // A batch of notifications has no answer.
            try client.send([["jsonrpc": "2.0", "method": "unknown"]])
            #expect(
                try client.object("object/count", ["document": document, "entity": "Person"])["count"] as? Int == 0)
        }
    }

    @Test func cancellingAsARequestIsAnsweredAndSoIsWhatIsCancelled() throws {
        try withClient { client, document in
            let count: [String: Any] = [
                "jsonrpc": "2.0", "id": "count", "method": "object/count",
                "params": ["document": document, "entity": "Person"],
            ]
            try client.send([
                count, ["jsonrpc": "2.0", "id": "end", "method": "$/cancelRequest", "params": ["id": "count"]],
            ])
            let answers = try #require(try client.next()["batch"] as? [[String: Any]])
            #expect((answers[0]["error"] as? [String: Any])?["code"] as? Int == -32800)
            #expect(answers[1]["id"] as? String == "end" && answers[1]["result"] is NSNull)
        }
    }

    @Test func parametersThatNameNothingAreRefused() throws {
        try withClient { client, document in
            try insert(["A"], client, document)
            let withoutValues = ["document": document, "edits": [["id": "Person/p1"]]] as [String: Any]
            #expect(try client.failure("object/set", withoutValues)?.code == -32602)
            #expect(try client.failure("object/get", ["document": document, "ids": ["Person/p01"]])?.code == -32000)
            #expect(try client.failure("document/open", ["path": "a\u{0}b"])?.code == -32602)
            #expect(try client.failure("diff", ["old": "a\u{0}b", "new": ""])?.code == -32602)
        }
    }

    @Test func rowsAreMadeOfUnsavedChangesToo() throws {
        try withClient { client, document in
            func rows(_ parameters: [String: Any]) throws -> [[String: Any]] {
                let all = parameters.merging(["document": document, "entity": "Person"]) { $1 }
                return try client.call("object/fetch", all) as? [[String: Any]] ?? []
            }
            try insert(["A", "B"], client, document)
            #expect(try rows(["columns": "name", "distinct": true]).map { $0["name"] as? String } == ["A", "B"])
            #expect(try rows(["columns": "count"]).map { $0["count"] as? Int } == [2])
            try client.call("document/save", ["document": document])
            let edits = [["id": "Person/p1", "values": ["name": "B"]] as [String: Any]]
            try client.call("object/set", ["document": document, "edits": edits])
            let groups = try rows(["groupBy": "name", "having": "count > 1"])
            #expect(groups.map { $0["name"] as? String } == ["B"] && groups.first?["count"] as? Int == 2)
        }
    }

    @Test(arguments: ["package", "archive", "sqlite"]) func aReaderFollowsTheSavesOfAnEditor(_ form: String) throws {
        try withTemporaryDirectory { folder in
            let path = folder.appendingPathComponent("Doc.store").path
            let editor = try ServeClient(in: folder), reader = try ServeClient(in: folder)
            let edited = try editor.object("document/new", ["path": path, "model": FolioCommand.model, "form": form])
            let document = try #require(edited["document"] as? String)
            try insert(["A"], editor, document)
            try editor.call("document/save", ["document": document])
            let read = try reader.object("document/open", ["path": path, "mode": "read"])
            let name = try #require(read["document"] as? String)
            let watch = try reader.object(
                "result/watch", ["document": name, "entity": "Person", "sort": "name", "columns": ["name"]])
            _ = try reader.call("object/get", ["document": name, "ids": ["Person/p1"]])
            let edits = [["id": "Person/p1", "values": ["name": "B"]] as [String: Any]]
            try editor.call("object/set", ["document": document, "edits": edits])
            try editor.call("document/save", ["document": document])
            try insert(["C"], editor, document)
            try editor.call("document/save", ["document": document])
            #expect(try reader.notification("document/outside")["change"] as? String == "reloaded")
            var shown: [String?] = []
            for _ in 0..<200 where shown != ["B", "C"] {
                Thread.sleep(forTimeInterval: 0.05)
                let rows = try reader.object("result/rows", ["watch": watch["watch"] ?? ""])["rows"]
                shown = (rows as? [[String: Any]] ?? []).map { $0["name"] as? String }
            }
            #expect(shown == ["B", "C"])
            let objects = try reader.call("object/get", ["document": name, "ids": ["Person/p1"]]) as? [[String: Any]]
            #expect((objects?.first?["attributes"] as? [String: Any])?["name"] as? String == "B")
            #expect(try reader.end() == 0)
            #expect(try editor.end() == 0)
        }
    }

    @Test(arguments: ["sqlite", "xml", "package"]) func workThatIsLostAtTheEndIsToldByTheExitCode(_ form: String) throws
    {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let path = folder.appendingPathComponent("Doc.store").path
            let info = try client.object("document/new", ["path": path, "model": FolioCommand.model, "form": form])
            try insert(["A"], client, try #require(info["document"] as? String))
            try client.closeInput()
            #expect(client.waitForEnd() == (form == "package" ? 0 : 1))
            #expect(client.errorOutput.contains(path) == (form != "package"))
        }
    }
}
