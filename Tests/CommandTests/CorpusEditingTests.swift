import Foundation
import Testing
import TestSupport

/// Stores that Apple's framework wrote, saved as documents and edited.
@Suite(.enabled(if: corpus != nil)) struct CorpusEditingTests {
    private func expectDone(_ arguments: [String]) throws -> FolioCommand.Outcome {
        let outcome = try FolioCommand.run(arguments)
        #expect(outcome.exit == 0, "\(arguments): \(outcome.messages)")
        return outcome
    }

    private func expected(_ store: Corpus.Store) throws -> (text: String, uuid: String) {
        let text = try String(contentsOf: store.expected, encoding: .utf8)
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return (text, try #require((json?["store"] as? [String: Any])?["uuid"] as? String))
    }

    /// The one thing that a document saved from a store has of its own is the UUID; the hashes are
    /// those that Folio computes, which for entities with derived attributes (SampleModel2) are not
    /// Core Data's.
    @Test(arguments: Corpus.stores) func aStoreSavedAsADocumentExportsTheSameButForItsUUID(store: Corpus.Store) throws {
        let (text, uuid) = try expected(store)
        try withTemporaryDirectory { folder in
            for (form, name) in [
                (["--package"], "Doc.folio"), (["--archive"], "Doc.folioz"), (["--store", "sqlite"], "Doc.sqlite"),
            ] {
                let path = folder.appendingPathComponent(name).path
                _ = try expectDone(["save-as", store.url.path, path] + form + store.modelArguments)
                let export = try expectDone(
                    ["export", path] + (form == ["--store", "sqlite"] ? store.modelArguments : []))
                let own = try #require((export.object["store"] as? [String: Any])?["uuid"] as? String)
                #expect(own != uuid)
                var found = export.output.replacingOccurrences(of: own, with: uuid)
                if store.url.lastPathComponent.hasPrefix("SampleModel2") { found = withoutHashes(found) }
                let isEqual =
                    found == (store.url.lastPathComponent.hasPrefix("SampleModel2") ? withoutHashes(text) : text)
                #expect(isEqual, "\(name)")
            }
        }
    }

    /// From SQLite to XML to binary and back; where nothing but the type and the UUID of the store
    /// may differ.
    @Test(arguments: Corpus.stores) func aStoreThatGoesThroughEveryTypeStaysTheSame(store: Corpus.Store) throws {
        let (text, uuid) = try expected(store)
        let model = store.modelArguments.isEmpty ? ["--model", store.url.path] : store.modelArguments
        try withTemporaryDirectory { folder in
            var source = store.url.path
            for (kind, type) in [("xml", "XML"), ("binary", "Binary"), ("xml", "XML"), ("sqlite", "SQLite")] {
                let path = folder.appendingPathComponent("\(source.count).\(kind)").path
                _ = try expectDone(["save-as", source, path, "--store", kind] + model)
                let export = try expectDone(["export", path] + model)
                let own = try #require((export.object["store"] as? [String: Any])?["uuid"] as? String)
                #expect(own != uuid)
                #expect((export.object["store"] as? [String: Any])?["type"] as? String == type)
                let found = export.output.replacingOccurrences(of: own, with: uuid)
                #expect(objectsAlone(found) == objectsAlone(text), "\(kind)")
                source = path
            }
        }
    }

    /// All but what describes model and store.
    private func objectsAlone(_ text: String) -> Substring {
        text.prefix(upTo: text.range(of: "\n  \"format\":")?.lowerBound ?? text.endIndex)
    }

    private func withoutHashes(_ text: String) -> String {
        text.replacingOccurrences(of: "\"[0-9a-f]{64}\"", with: "\"…\"", options: .regularExpression)
    }

    // MARK: Edits

    /// The same three edits, of one document after the other: a new bookmark in a folder, another
    /// title for one, and one deleted.
    private func edit(_ document: String) throws {
        _ = try expectDone([
            "insert", document, "BookmarkEntity", "title=New", "url=https://example.org", "uuid=new", "isFolder=false",
            "parent=BookmarkEntity/p8",
        ])
        _ = try expectDone(["set", document, "BookmarkEntity/p2", "title=Changed"])
        _ = try expectDone(["delete", document, "BookmarkEntity/p1"])
    }

    /// Objects of an export by their short names, URIs without the store's UUID.
    private func objects(_ document: String) throws -> [String: NSDictionary] {
        let export = try expectDone(["export", document])
        let uuid = try #require((export.object["store"] as? [String: Any])?["uuid"] as? String)
        let text = export.output.replacingOccurrences(of: "x-coredata://\(uuid)/", with: "")
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        var objects: [String: NSDictionary] = [:]
        for (_, list) in json?["entities"] as? [String: [[String: Any]]] ?? [:] {
            for object in list { objects[object["id"] as? String ?? ""] = object as NSDictionary }
        }
        return objects
    }

    /// `isFolder` has no default in that model, while `isPendingDeletion` has.
    @Test func whatTheStoresOwnModelRequiresIsDemanded() throws {
        try withTemporaryDirectory { folder in
            let store = try Corpus.copy(try Corpus.store(named: "Bookmarks_V5.sqlite"), to: folder)
            let words = ["insert", store.path, "BookmarkEntity", "title=New", "uuid=new"]
            let outcome = try FolioCommand.run(words)
            #expect(outcome.exit == 65)
            #expect(
                outcome.errors.count == 1
                    && outcome.messages.contains(": a rule is violated: BookmarkEntity.isFolder is required\n"))
            _ = try expectDone(words + ["isFolder=false"])
            let new = try expectDone([
                "fetch", store.path, "BookmarkEntity", "--where", "uuid == 'new'", "--columns", "isPendingDeletion",
                "--format", "json",
            ])
            #expect((new.json as? [[String: Any]])?.first?["isPendingDeletion"] as? Bool == false)
        }
    }

    @Test(arguments: ["package", "archive", "store"]) func editsShowExactlyTheirChanges(form: String) throws {
        try withTemporaryDirectory { folder in
            let store = try Corpus.store(named: "Bookmarks_V5.sqlite")
            let path = folder.appendingPathComponent("Doc").path
            if form == "store" {
                try FileManager.default.moveItem(
                    at: try Corpus.copy(store, to: folder), to: URL(fileURLWithPath: folder.path + "/x"))
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.moveItem(
                        atPath: folder.path + "/Bookmarks_V5.sqlite" + suffix, toPath: path + suffix)
                }
                try FileManager.default.moveItem(atPath: folder.path + "/x", toPath: path)
            } else {
                _ = try expectDone(["save-as", store.url.path, path, "--" + form])
            }
            let before = try objects(path)
            try edit(path)
            let after = try objects(path)
            let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            // The new one and its folder; the changed one; the deleted one with its folder and the
            // favourites that it was among.
            #expect(
                changed == [
                    "BookmarkEntity/p11", "BookmarkEntity/p8", "BookmarkEntity/p2", "BookmarkEntity/p1",
                    "BookmarkEntity/p6",
                ])
            #expect(after["BookmarkEntity/p1"] == nil)
            #expect((after["BookmarkEntity/p2"]?["attributes"] as? [String: Any])?["title"] as? String == "Changed")
            func members(_ objects: [String: NSDictionary], _ name: String, _ key: String) -> [String] {
                (objects[name]?["relationships"] as? [String: Any])?[key] as? [String] ?? []
            }
            let children =
                members(before, "BookmarkEntity/p8", "children").filter { $0 != "BookmarkEntity/p1" } + [
                    "BookmarkEntity/p11"
                ]
            #expect(members(after, "BookmarkEntity/p8", "children") == children)
            #expect(
                members(after, "BookmarkEntity/p6", "favorites")
                    == members(before, "BookmarkEntity/p6", "favorites").filter { $0 != "BookmarkEntity/p1" })
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
    func editingAStoreTouchesNothingButItsRows() throws {
        try withTemporaryDirectory { folder in
            let store = try Corpus.copy(try Corpus.store(named: "Bookmarks_V5.sqlite"), to: folder)
            let before = try dump(store)
            try edit(store.path)
            let after = try dump(store)
            let lines = Set(before).symmetricDifference(after)
            let tables = Set(lines.map { String($0.prefix { $0 != "(" }) })
            #expect(
                tables == [
                    "INSERT INTO ZBOOKMARKENTITY VALUES", "INSERT INTO Z_PRIMARYKEY VALUES",
                    "INSERT INTO Z_1FAVORITES VALUES",
                ], "\(tables)")
            // One row more and one less, one changed title, folders and favourites with a new
            // version; and the greatest number.
            let rows = lines.filter { $0.hasPrefix("INSERT INTO ZBOOKMARKENTITY") }.compactMap {
                $0.split(separator: "(").dropFirst().first?.split(separator: ",").first
            }
            #expect(Set(rows) == ["1", "2", "6", "8", "11"])
            #expect(lines.filter { $0.hasPrefix("INSERT INTO Z_PRIMARYKEY") }.count == 2)
            #expect(lines.filter { $0.hasPrefix("INSERT INTO Z_1FAVORITES") }.count == 1)
        }
    }

    private func dump(_ store: URL) throws -> [String] {
        try withTemporaryDirectory { scratch in
            let output = scratch.appendingPathComponent("dump")
            try Data().write(to: output)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
            process.arguments = [store.path, ".dump"]
            process.standardOutput = try FileHandle(forWritingTo: output)
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }
}
