import Foundation
import SQLiteKit
import TestSupport
import Testing

/// Values of conditions that a client gives, and what it is told of a document.
struct ServeArgumentTests {
    private func withClient(_ body: (ServeClient, String) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            let client = try ServeClient(in: folder)
            let info = try client.object("document/open", ["path": path])
            try body(client, try #require(info["document"] as? String))
            #expect(try client.end() == 0, "\(client.errorOutput)")
        }
    }

    @Test func conditionsTakeArguments() throws {
        try withClient { client, document in
            func titles(_ parameters: [String: Any]) throws -> [String] {
                let all = parameters.merging(["document": document, "entity": "Journey", "sort": "year"]) { $1 }
                let found = try client.call("object/fetch", all.merging(["columns": "title"]) { $1 })
                return (found as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
            }
            let south = ["The South Pole"]
            #expect(try titles(["where": "title == $NAME", "arguments": ["NAME": "The South Pole"]]) == south)
            #expect(try titles(["where": "title == $NAME", "arguments": ["$NAME": "\" OR \"\" == \""]]) == [])
            #expect(try titles(["where": "year > $Y AND $Y < 1905", "arguments": ["Y": 1900]]) == south)
            #expect(try titles(["where": "title == %@ AND year == %@", "arguments": [south[0], 1911]]) == south)
            #expect(try titles(["where": "year IN %@", "arguments": [[1893, 1895]]]).count == 2)
            #expect(try titles(["where": "year IN $YEARS", "arguments": ["YEARS": [1893, 1911]]]).count == 2)
            #expect(try titles(["where": "startedOn < $DAY", "arguments": ["DAY": "1895-01-01"]]).count == 1)
            #expect(try titles(["where": "leader == %@", "arguments": ["Person/p1"]]).count == 2)
            #expect(try titles(["where": "budget == %@ AND %K > 1900", "arguments": [NSNull(), "year"]]) == south)
            let count = try client.object(
                "object/count",
                ["document": document, "entity": "Person", "where": "name BEGINSWITH $P", "arguments": ["P": "Roald"]])
            #expect(count["count"] as? Int == 1)
            let watch = try client.object(
                "result/watch",
                ["document": document, "entity": "Journey", "where": "year == $Y", "arguments": ["Y": 1911]])
            #expect(watch["count"] as? Int == 1)
            let groups = try client.call(
                "object/fetch",
                [
                    "document": document, "entity": "Stop", "columns": "journey,count", "groupBy": "journey",
                    "having": "count > $N", "arguments": ["N": 2],
                ])
            #expect((groups as? [Any])?.count == 1)
            let check = try client.object(
                "predicate/check",
                ["document": document, "entity": "Journey", "predicate": "year > $Y", "arguments": ["Y": 1900]])
            #expect(check["isValid"] as? Bool == true)
        }
    }

    @Test(arguments: [
        (#"{"where": "year == $Y"}"#, "$Y has no value"),
        (#"{"where": "year == $Y", "arguments": {"X": 1, "Y": 2}}"#, "there is no variable $X"),
        (#"{"where": "year == %@", "arguments": []}"#, "no argument for this placeholder"),
        (#"{"where": "year == %@"}"#, "no argument for this placeholder"),
        (#"{"where": "year == 1", "arguments": [1]}"#, "argument"), (#"{"arguments": [1]}"#, "where"),
        (#"{"where": "year == %@", "arguments": "1"}"#, "the parameter arguments is"),
        (#"{"where": "year == %@", "arguments": [{}]}"#, "a value in arguments is"),
        (#"{"where": "startedOn < %@", "arguments": ["never"]}"#, "never"),
    ]) func argumentsThatDoNotFitAreRefused(parameters: String, message: String) throws {
        try withClient { client, document in
            var all = try #require(try JSONSerialization.jsonObject(with: Data(parameters.utf8)) as? [String: Any])
            all.merge(["document": document, "entity": "Journey"]) { $1 }
            let failure = try #require(try client.failure("object/fetch", all))
            #expect(failure.message.contains(message), "\(failure)")
        }
    }

    @Test func aPathWithNULIsRefusedWhereverOneIsTaken() throws {
        try withClient { client, document in
            let bad = "a\u{0}b"
            for (method, parameters) in [
                ("document/new", ["path": bad, "model": FolioCommand.model]),
                ("document/new", ["path": "/tmp/x.folio", "model": bad]), ("document/open", ["path": bad]),
                ("document/open", ["path": "/tmp/x.folio", "model": bad]),
                ("document/recover", ["path": bad, "action": "keep"]),
                ("document/saveAs", ["document": document, "path": bad]),
                ("conflict/resolve", ["document": document, "resolution": "copy", "path": bad]),
                ("merge", ["document": document, "path": bad]),
                ("merge", ["document": document, "path": "/tmp/x.folio", "base": bad]),
                ("diff", ["old": "/tmp/x.folio", "new": bad]),
            ] {
                let failure = try client.failure(method, parameters)
                #expect(failure?.code == -32602, "\(method) \(parameters)")
            }
        }
    }

    @Test func aReaderFollowsWhatIsAutosavedAndIsTold() throws {
        try withTemporaryDirectory { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            let editor = try ServeClient(in: folder), reader = try ServeClient(in: folder)
            let edited = try #require(try editor.object("document/open", ["path": path])["document"] as? String)
            let read = try #require(
                try reader.object("document/open", ["path": path, "mode": "read"])["document"] as? String)
            func name() throws -> String? {
                let objects =
                    try reader.call("object/get", ["document": read, "ids": ["Person/p1"]]) as? [[String: Any]]
                return (objects?.first?["attributes"] as? [String: Any])?["name"] as? String
            }
            #expect(try name() == "Fridtjof Nansen")
            try editor.call(
                "object/set", ["document": edited, "edits": [["id": "Person/p1", "values": ["name": "Autosaved"]]]])
            try editor.call("document/autosave", ["document": edited])
            // The reader looks by itself, at the latest after some seconds.
            let deadline = ContinuousClock.now + .seconds(60)
            var info: [String: Any] = [:]
            while info["hasAutosavedWork"] as? Bool != true, ContinuousClock.now < deadline {
                info = try reader.object("document/info", ["document": read])
                usleep(50_000)
            }
            #expect(try name() == "Autosaved")
            #expect(reader.notifications.contains { $0.params["change"] as? String == "reloaded" })
            #expect(info["hasAutosavedWork"] as? Bool == true && info["missingParts"] as? [String] == [])
            #expect(try reader.end() == 0)
            try editor.call("document/close", ["document": edited, "unsaved": "discard"])
            #expect(try editor.end() == 0)
        }
    }

    @Test func whatAStoreLacksIsTold() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/Doc.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store).exit == 0)
            let connection = try Connection(store, .readWrite)
            try connection.execute("ALTER TABLE ZPERSON DROP COLUMN ZHOMEPAGE")
            try connection.close()
            let outcome = try FolioCommand.run("info", store, "--json")
            let parts = try #require(outcome.object["missingParts"] as? [String])
            #expect(parts.count == 1, "\(outcome.messages)")
            let client = try ServeClient(in: folder)
            let info = try client.object("document/open", ["path": store])
            #expect(info["missingParts"] as? [String] == parts)
            #expect(try client.end() == 0)
        }
    }
}
