import Foundation
import TestSupport
import Testing

/// What an editor does with `folio serve`.
struct ServeTests {
    private func withClient(_ body: (ServeClient, String, URL) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let path = folder.appendingPathComponent("Doc.folio").path
            let info = try client.object("document/new", ["path": path, "model": FolioCommand.model])
            try body(client, try #require(info["document"] as? String), folder)
            #expect(try client.end() == 0, "\(client.errorOutput)")
        }
    }

    private func insert(_ client: ServeClient, _ document: String, _ entity: String, _ values: [[String: Any]]) throws
        -> [String]
    {
        let objects = values.map { ["entity": entity, "values": $0] as [String: Any] }
        return try client.object("object/insert", ["document": document, "objects": objects])["ids"] as? [String] ?? []
    }

    @Test func everyMethodThatItNamesIsThereAndTellsWhatIsMissing() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder, initializes: false)
            #expect(try client.failure("document/info", ["document": "d1"])?.code == -32002)
            #expect(try client.failure("nonsense")?.code == -32002)
            let result = try client.object("initialize", ["processId": 1, "capabilities": [:] as [String: Any]])
            #expect((result["serverInfo"] as? [String: Any])?["name"] as? String == "folio")
            let methods = (result["capabilities"] as? [String: Any])?["methods"] as? [String] ?? []
            #expect(methods.count == 33)
            for method in methods {
                #expect(try client.failure(method)?.code == -32602, "\(method)")
                #expect(try client.failure(method, ["document": "d1", "nonsense": 1])?.code == -32602, "\(method)")
                #expect(try client.failure(method, ["document": 7, "path": 7, "watch": 7, "old": 7])?.code == -32602)
            }
            #expect(try client.failure("initialize")?.code == -32600)
            let unknown = try #require(try client.failure("object/gte"))
            #expect(unknown.code == -32601 && unknown.message.contains("object/get"))
            try client.call("shutdown")
            #expect(try client.failure("document/open", ["path": "x"])?.code == -32600)
            try client.notify("exit")
            #expect(client.waitForEnd() == 0)
        }
    }

    @Test func objectsAreInsertedReadChangedAndDeleted() throws {
        try withClient { client, document, _ in
            let people = try insert(
                client, document, "Person",
                [["name": "Fridtjof", "born": "1861-10-10T00:00:00Z"], ["name": "Hjalmar"]])
            let journey = try insert(
                client, document, "Journey",
                [["title": "Fram", "leader": people[0], "members": people, "budget": "1.5"]])[0]
            let read = try #require(
                try client.call("object/get", ["document": document, "ids": [journey]]) as? [[String: Any]])
            let attributes = try #require(read[0]["attributes"] as? [String: Any])
            #expect(attributes["title"] as? String == "Fram" && attributes["year"] as? Int == 1900)
            #expect(attributes["budget"] as? String == "1.5" && attributes["route"] is NSNull)
            let relationships = try #require(read[0]["relationships"] as? [String: Any])
            #expect(relationships["leader"] as? String == people[0] && relationships["members"] as? [String] == people)
            try client.call(
                "object/set",
                [
                    "document": document, "name": "Change",
                    "edits": [
                        ["id": journey, "values": ["members": ["remove": [people[1]]], "year": 1893]],
                        ["id": people[1], "values": ["name": "Hjalmar Johansen"]],
                    ],
                ])
            let rows = try #require(
                try client.call(
                    "object/fetch",
                    [
                        "document": document, "entity": "Journey", "where": "year < 1900",
                        "columns": ["title", "leader.name", "members.name"], "sort": "title",
                    ]) as? [[String: Any]])
            #expect(
                rows[0]["leader.name"] as? String == "Fridtjof" && rows[0]["members.name"] as? [String] == ["Fridtjof"])
            #expect(
                try client.object("object/count", ["document": document, "entity": "Person"])["count"] as? Int == 2)
            // Rows of groups are made of what is committed.
            try client.call("document/autosave", ["document": document])
            let groups = try #require(
                try client.call(
                    "object/fetch",
                    ["document": document, "entity": "Person", "columns": "count() AS number", "groupBy": "born"])
                    as? [[String: Any]])
            #expect(groups.count == 2)
            // One step, with its name.
            var state = try client.object("undo", ["document": document])
            #expect(state["redoName"] as? String == "Change")
            #expect(
                try (client.call("object/get", ["document": document, "ids": [people[1]]]) as? [[String: Any]])?[0][
                    "attributes"
                ].map { "\($0)" }?.contains("Johansen") == false)
            state = try client.object("redo", ["document": document])
            #expect(state["undoName"] as? String == "Change" && state["canRedo"] as? Bool == false)
            try client.call("object/delete", ["document": document, "ids": [journey]])
            #expect(
                try client.failure("object/get", ["document": document, "ids": [journey]])?.data["exit"] as? Int == 66)
            // The names stay when they are saved.
            try client.call("document/save", ["document": document])
            try client.call("object/get", ["document": document, "ids": people])
        }
    }
}

extension ServeTests {
    @Test func stopsAreMovedAndGroupsAreOneStep() throws {
        try withClient { client, document, _ in
            try client.call("undo/begin", ["document": document, "name": "Plan"])
            #expect(try client.failure("undo", ["document": document])?.data["code"] as? String == "usage")
            let stops = try insert(client, document, "Stop", [["nights": 1], ["nights": 2], ["nights": 3]])
            let journey = try insert(client, document, "Journey", [["title": "T", "stops": stops]])[0]
            try client.call(
                "object/move", ["document": document, "id": journey, "key": "stops", "member": stops[2], "index": 0])
            #expect(try client.object("undo/end", ["document": document])["undoName"] as? String == "Plan")
            let rows = try #require(
                try client.call(
                    "object/fetch", ["document": document, "entity": "Journey", "columns": "stops.nights"])
                    as? [[String: Any]])
            #expect(rows[0]["stops.nights"] as? [Int] == [3, 1, 2])
            #expect(
                try client.failure(
                    "object/move",
                    ["document": document, "id": journey, "key": "stops", "member": stops[2], "index": 9])?
                    .code == -32000)
            try client.call("undo", ["document": document])
            #expect(try client.object("object/count", ["document": document, "entity": "Stop"])["count"] as? Int == 0)
            #expect(try client.failure("undo/end", ["document": document])?.code == -32000)
        }
    }

    @Test func anEditThatFailsChangesNothing() throws {
        try withClient { client, document, _ in
            let person = try insert(client, document, "Person", [["name": "A"]])[0]
            let failure = try #require(
                try client.failure(
                    "object/set",
                    [
                        "document": document,
                        "edits": [["id": person, "values": ["name": "B"]], ["id": person, "values": ["age": 3]]],
                    ]))
            #expect(failure.data["code"] as? String == "unknownKey" && failure.data["exit"] as? Int == 64)
            #expect(
                try client.failure(
                    "object/insert", ["document": document, "objects": [["entity": "Person", "values": ["name": 3]]]])
                    != nil)
            let rows = try client.call("object/fetch", ["document": document, "entity": "Person", "columns": "name"])
            #expect((rows as? [[String: Any]])?.map { $0["name"] as? String } == ["A"])
            let state = try client.object("document/info", ["document": document])
            #expect(state["canRedo"] as? Bool == false)
            // A rule of the model.
            _ = try insert(client, document, "Journey", [["title": "T"]])
            let violated = try #require(try client.failure("document/save", ["document": document]))
            #expect(violated.data["code"] as? String == "validation" && violated.data["exit"] as? Int == 65)
        }
    }

    /// In a group that is open, the edits before stay.
    @Test func anEditThatFailsInAGroupChangesNothing() throws {
        try withClient { client, document, _ in
            func names() throws -> [String] {
                let rows = try client.call(
                    "object/fetch", ["document": document, "entity": "Person", "columns": "name", "sort": "name"])
                return (rows as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            }
            let person = try insert(client, document, "Person", [["name": "A"]])[0]
            try client.call("undo/begin", ["document": document, "name": "Group"])
            _ = try insert(client, document, "Person", [["name": "B"]])
            let edits = [["id": person, "values": ["name": "C"]], ["id": person, "values": ["age": 3]]]
            #expect(try client.failure("object/set", ["document": document, "edits": edits]) != nil)
            let objects: [[String: Any]] = [["entity": "Person"], ["entity": "Person", "values": ["name": 3]]]
            #expect(try client.failure("object/insert", ["document": document, "objects": objects]) != nil)
            #expect(try names() == ["A", "B"])
            #expect(try client.object("undo/end", ["document": document])["undoName"] as? String == "Group")
            try client.call("undo", ["document": document])
            #expect(try names() == ["A"])
            // What could be redone still can.
            #expect(try client.failure("object/set", ["document": document, "edits": edits]) != nil)
            try client.call("redo", ["document": document])
            #expect(try names() == ["A", "B"])
        }
    }
}

extension ServeTests {
    @Test func aVersionIsOpenedForReadingAndNotMigrated() throws {
        try withClient { client, document, folder in
            _ = try insert(client, document, "Person", [["name": "A"]])
            try client.call("document/save", ["document": document])
            _ = try insert(client, document, "Person", [["name": "B"]])
            try client.call("document/save", ["document": document])
            let path = folder.appendingPathComponent("Doc.folio").path
            for (name, value) in [
                ("mode", "edit"), ("recovery", "keep"), ("recovery", "discard"), ("migration", "automatic"),
            ] {
                let failure = try client.failure(
                    "document/open", ["path": path, "version": 1, "model": FolioCommand.model, name: value])
                #expect(failure?.code == -32602, "\(name) \(value)")
            }
            let old = try client.object("document/open", ["path": path, "version": 1, "mode": "read"])
            #expect(old["mode"] as? String == "read")
            let count = try client.object("object/count", ["document": old["document"] ?? "", "entity": "Person"])
            #expect(count["count"] as? Int == 1)
        }
    }

    @Test func documentsAreMigratedAsTheClientSays() throws {
        try withClient { client, document, folder in
            try client.call("document/close", ["document": document])
            let path = folder.appendingPathComponent("Doc.folio").path
            let newer = FolioCommand.model.components(separatedBy: "#")[0]
            func open(_ migration: String) -> [String: Any] {
                ["path": path, "model": newer, "migration": migration]
            }
            #expect(try client.failure("document/open", open("fail"))?.code == -32602)
            #expect(try client.failure("document/open", open("refuse"))?.data["exit"] as? Int == 78)
            #expect(try client.failure("document/open", ["path": path, "migration": "refuse"])?.code == -32602)
            let copy = try client.object("document/open", open("readingCopy"))
            #expect(copy["mode"] as? String == "read")
            #expect(try client.object("document/open", open("automatic"))["mode"] as? String == "edit")
        }
    }

    @Test func liveResultsTellWhatChanged() throws {
        try withClient { client, document, _ in
            let people = try insert(client, document, "Person", [["name": "B"], ["name": "D"]])
            let watch = try client.object(
                "result/watch",
                ["document": document, "entity": "Person", "where": "name < 'M'", "sort": "name", "columns": ["name"]])
            let name = try #require(watch["watch"] as? String)
            #expect(watch["count"] as? Int == 2)
            _ = try insert(client, document, "Person", [["name": "C"], ["name": "Z"]])
            var changed = try client.notification("result/changed")
            var changes = try #require(changed["changes"] as? [[String: Any]])
            #expect(changes.count == 1 && changes[0]["kind"] as? String == "insert" && changes[0]["to"] as? Int == 1)
            #expect(changed["count"] as? Int == 3 && changed["watch"] as? String == name)
            try client.call(
                "object/set", ["document": document, "edits": [["id": people[0], "values": ["name": "Y"]]]])
            changed = try client.notification("result/changed")
            changes = try #require(changed["changes"] as? [[String: Any]])
            #expect(changes[0]["kind"] as? String == "delete" && changes[0]["from"] as? Int == 0)
            let window = try client.object("result/rows", ["watch": name, "first": 1, "count": 5])
            #expect((window["rows"] as? [[String: Any]])?.map { $0["name"] as? String } == ["D"])
            try client.call("undo", ["document": document])
            #expect(try client.notification("result/changed")["count"] as? Int == 3)
            try client.call("result/unwatch", ["watch": name])
            #expect(try client.failure("result/rows", ["watch": name])?.code == -32602)
            let told = try client.notification("document/changed")
            #expect(told["document"] as? String == document && told["hasUnsavedChanges"] as? Bool == true)
        }
    }
}

extension ServeTests {
    @Test func documentsAreSavedRevertedAndGoBackToVersions() throws {
        try withClient { client, document, folder in
            for name in ["A", "B", "C"] {
                _ = try insert(client, document, "Person", [["name": name]])
                let info = try client.object("document/save", ["document": document, "progressToken": name])
                #expect(info["hasUnsavedChanges"] as? Bool == false)
                while try client.notification("$/progress")["token"] as? String != name {}
            }
            let versions = try #require(
                try client.call("document/versions", ["document": document]) as? [[String: Any]])
            #expect(versions.last?["version"] as? Int == 2)
            _ = try insert(client, document, "Person", [["name": "D"]])
            #expect(try client.object("document/autosave", ["document": document])["hasAutosavedWork"] as? Bool == true)
            try client.call("document/revert", ["document": document])
            func count() throws -> Int? {
                try client.object("object/count", ["document": document, "entity": "Person"])["count"] as? Int
            }
            #expect(try count() == 3)
            try client.call("document/restore", ["document": document, "version": 1])
            #expect(try count() == 1)
            #expect(
                try client.failure("document/restore", ["document": document, "version": 99])?.data["exit"] as? Int
                    == 66)
            let copy = folder.appendingPathComponent("Copy.folioz").path
            let info = try client.object("document/saveAs", ["document": document, "path": copy])
            #expect(info["kind"] as? String == "archive" && info["path"] as? String == copy)
            let difference = try client.object(
                "diff", ["old": folder.appendingPathComponent("Doc.folio").path, "new": copy])
            #expect(difference["isDifferent"] as? Bool == false)
            try client.call("document/close", ["document": document, "unsaved": "save"])
            #expect(try client.failure("document/info", ["document": document])?.code == -32602)
        }
    }

    @Test func modelsAreDescribedAndPredicatesCheckedAndCompleted() throws {
        try withClient { client, document, _ in
            let entities = try client.object("model/describe", ["document": document])["entities"] as? [[String: Any]]
            #expect(entities?.count == 6)
            func check(_ text: String) throws -> [String: Any] {
                try client.object("predicate/check", ["document": document, "entity": "Journey", "predicate": text])
            }
            #expect(try check("ANY members.name CONTAINS 'x'")["isValid"] as? Bool == true)
            let wrong = try check("title == ==")
            #expect(wrong["isValid"] as? Bool == false && wrong["offset"] as? Int == 9)
            #expect(try (check("titel == 'x'")["suggestions"] as? [String])?.contains("title") == true)
            func complete(_ text: String) throws -> [String] {
                let result = try client.object(
                    "predicate/complete", ["document": document, "entity": "Journey", "predicate": text])
                return (result["items"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
            }
            #expect(try complete("ti") == ["title"])
            #expect(try complete("leader.na") == ["name"])
            #expect(try complete("year > 3 AND stops.@c") == ["@count"])
            #expect(try complete("year > 3 AN").contains("AND"))
            #expect(try complete("nothing.x").isEmpty)
        }
    }
}

extension ServeTests {
    @Test(arguments: [
        ["Doc.folio"], ["--stdio", "--model", "m"], ["--stdio", "-o", "x"], ["--stdio", "Doc.folio@1"],
    ])
    func aCommandLineThatDoesNotFitIsRefused(_ words: [String]) throws {
        let outcome = try FolioCommand.run(["serve"] + words)
        #expect(outcome.exit == 64 && outcome.output.isEmpty && outcome.errors.count == 1, "\(outcome.messages)")
    }

    @Test func linesAreAFramingToo() throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient([FolioCommand.document], framing: .lines, in: folder, initializes: false)
            let result = try client.object("initialize")
            let opened = try #require((result["opened"] as? [String: Any])?["document"] as? String)
            #expect(try client.object("object/count", ["document": opened, "entity": "Person"])["count"] as? Int == 5)
            try client.send(raw: "no JSON\n")
            #expect((try client.next()["error"] as? [String: Any])?["code"] as? Int == -32700)
            #expect(try client.end() == 0)
        }
    }
}
