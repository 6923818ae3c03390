import Foundation
import TestSupport
import Testing

/// Merging documents by `folio serve`.
struct ServeMergeTests {
    /// A document that is open, and a copy of it that somebody else has changed.
    private func withCopies(
        _ body: (_ client: ServeClient, _ document: String, _ person: String, _ theirs: String) throws -> Void
    ) throws {
        try withTemporaryDirectory { folder in
            let client = try ServeClient(in: folder)
            let path = folder.appendingPathComponent("Doc.folio").path, theirs = folder.path + "/Theirs.folio"
            let document = try #require(
                try client.object("document/new", ["path": path, "model": FolioCommand.model])["document"] as? String)
            let objects = [["entity": "Person", "values": ["name": "Base"]]]
            let ids = try client.object("object/insert", ["document": document, "objects": objects])["ids"]
            let person = try #require((ids as? [String])?.first)
            try client.call("document/save", ["document": document])
            try FileManager.default.copyItem(atPath: path, toPath: theirs)
            #expect(try FolioCommand.run("set", theirs, "Person/p1", "name=Theirs").exit == 0)
            #expect(try FolioCommand.run("insert", theirs, "Person", "name=New").exit == 0)
            try body(client, document, person, theirs)
            #expect(try client.end() == 0, "\(client.errorOutput)")
        }
    }

    private func names(_ client: ServeClient, _ document: String) throws -> [String] {
        let rows = try client.call(
            "object/fetch", ["document": document, "entity": "Person", "columns": "name", "sort": "name"])
        return (rows as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }

    private func rename(_ client: ServeClient, _ document: String, _ person: String) throws {
        try client.call("object/set", ["document": document, "edits": [["id": person, "values": ["name": "Ours"]]]])
    }

    @Test func aMergeIsOneStepOfUndo() throws {
        try withCopies { client, document, _, theirs in
            let report = try client.object("merge", ["document": document, "path": theirs])
            #expect(report["applied"] as? Bool == true && (report["conflicts"] as? [Any])?.isEmpty == true)
            #expect(report["inserted"] as? [String: Int] == ["Person": 1])
            #expect(try names(client, document) == ["New", "Theirs"])
            #expect(try client.object("document/info", ["document": document])["hasUnsavedChanges"] as? Bool == true)
            try client.call("undo", ["document": document])
            #expect(try names(client, document) == ["Base"])
            try client.call("redo", ["document": document])
            try client.call("document/save", ["document": document])
            #expect(try names(client, document) == ["New", "Theirs"])
        }
    }

    @Test func conflictsAreToldAndDecided() throws {
        try withCopies { client, document, person, theirs in
            try rename(client, document, person)
            var report = try client.object("merge", ["document": document, "path": theirs])
            let conflicts = try #require(report["conflicts"] as? [[String: Any]])
            #expect(report["applied"] as? Bool == false && conflicts.count == 1)
            #expect(conflicts[0]["object"] as? String == "Person/p1" && conflicts[0]["property"] as? String == "name")
            #expect(try names(client, document) == ["Ours"])
            var decision = conflicts[0]
            decision["value"] = "Both"
            report = try client.object("merge", ["document": document, "path": theirs, "decisions": [decision]])
            #expect(report["applied"] as? Bool == true)
            #expect(try names(client, document) == ["Both", "New"])
            try client.call("undo", ["document": document])
            report = try client.object("merge", ["document": document, "path": theirs, "decide": "theirs"])
            #expect(report["applied"] as? Bool == true)
            #expect(try names(client, document) == ["New", "Theirs"])
        }
    }
}

extension ServeMergeTests {
    @Test func conflictsAreKeptAndResolvedLater() throws {
        try withCopies { client, document, person, theirs in
            try rename(client, document, person)
            let report = try client.object("merge", ["document": document, "path": theirs, "undecided": "keep"])
            #expect(report["applied"] as? Bool == true)
            #expect(try names(client, document) == ["New", "Ours"])
            try client.call("document/save", ["document": document])
            func left() throws -> [[String: Any]] {
                try client.object("merge/conflicts", ["document": document])["conflicts"] as? [[String: Any]] ?? []
            }
            #expect(try left().map { $0["theirs"] as? String } == ["Theirs"])
            let unknown = try client.failure(
                "merge/resolve", ["document": document, "conflict": "Person/p9.name", "choice": "ours"])
            #expect(unknown?.data["code"] as? String == "unknownConflict" && unknown?.data["exit"] as? Int == 66)
            let conflict: [String: Any] = ["document": document, "conflict": "Person/p1.name"]
            #expect(try client.failure("merge/resolve", conflict)?.code == -32602)
            let both = conflict.merging(["choice": "theirs", "value": "X"]) { $1 }
            #expect(try client.failure("merge/resolve", both)?.code == -32602)
            let answer = try client.object("merge/resolve", conflict.merging(["value": "Decided"]) { $1 })
            #expect(answer["left"] as? Int == 0 && answer["resolved"] as? [String] == ["Person/p1.name"])
            #expect(try names(client, document) == ["Decided", "New"] && left().isEmpty)
            // That the conflict is decided is kept by a save alone.
            #expect(try client.failure("shutdown")?.data["code"] as? String == "unsavedChanges")
            try client.call("document/save", ["document": document])
        }
    }

    @Test func whatCannotBeMergedIsRefused() throws {
        try withCopies { client, document, person, theirs in
            try rename(client, document, person)
            let merge: [String: Any] = ["document": document, "path": theirs]
            #expect(
                try client.failure("merge", ["document": document, "path": theirs + "x"])?.data["exit"] as? Int == 66)
            #expect(try client.failure("merge", merge.merging(["decide": "both"]) { $1 })?.code == -32602)
            #expect(try client.failure("merge", merge.merging(["decisions": 7]) { $1 })?.data["exit"] as? Int == 65)
            try client.call("undo/begin", ["document": document])
            #expect(try client.failure("merge", merge)?.data["exit"] as? Int == 64)
            try client.call("undo/end", ["document": document])
            let reader = try client.object("document/open", ["path": theirs, "mode": "read"])["document"] ?? ""
            #expect(try client.failure("merge", ["document": reader, "path": theirs])?.data["exit"] as? Int == 77)
            #expect(try names(client, document) == ["Ours"])
        }
    }
}
