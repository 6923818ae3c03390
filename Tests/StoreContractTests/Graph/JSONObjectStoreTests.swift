import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// The sample of an incremental store: a folder of JSON files, one for each object.
struct JSONObjectStoreTests {
    private func run(_ body: (URL, ManagedObjectContext) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("objects")
            let context = try open(url)
            try withExtendedLifetime(context) { try body(url, context) }
            try context.persistentStoreCoordinator.removePersistentStores()
        }
    }

    private func open(_ url: URL) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try GraphFixture.makeModel())
        coordinator.registerSamples()
        try coordinator.addPersistentStore(PersistentStoreDescription(url: url, type: JSONObjectStore.storeType))
        return ManagedObjectContext(coordinator)
    }

    private func fields(_ name: String, _ url: URL) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: url.appendingPathComponent(name))) as? [String: Any]
        )
    }

    private func fill(_ context: ManagedObjectContext) throws {
        let person = try context.make("Person", ["name": "Ada", "email": "a@x"])
        let account = try context.make("Account", ["title": "One", "owner": person])
        account["entries"] = try ["z", "y"].map { try context.make("Entry", ["text": $0]) }
        try context.make("Account", ["title": "Two", "owner": person])
        try context.save()
    }

    @Test func eachObjectIsAFileAndASaveWritesThoseThatChanged() throws {
        try run { url, context in
            try fill(context)
            let names = Set(try FileManager.default.contentsOfDirectory(atPath: url.path).filter { !$0.hasPrefix(".") })
            #expect(
                names == [
                    "store.json", "numbers.json", "Person-1.json", "Account-1.json", "Account-2.json", "Entry-1.json",
                    "Entry-2.json",
                ])
            let one = try #require(
                ["Account-1.json", "Account-2.json"].first {
                    try (fields($0, url)["attributes"] as? [String: Any])?["title"] as? String == "One"
                })
            let account = try fields(one, url)
            #expect(
                (account["toOne"] as? [String: String])?["owner"] == "Person-1"
                    && (account["toMany"] as? [String: [String]])?["entries"]?.count == 2)
            #expect(
                Set((try fields("Person-1.json", url)["toMany"] as? [String: [String]])?["accounts"] ?? []) == [
                    "Account-1", "Account-2",
                ])

            func inodes() throws -> [String: UInt64] {
                Dictionary(
                    uniqueKeysWithValues: try names.map { name in
                        (
                            name,
                            try FileManager.default.attributesOfItem(atPath: url.appendingPathComponent(name).path)[
                                .systemFileNumber] as? UInt64 ?? 0
                        )
                    })
            }
            let before = try inodes()
            try context.one("Account", "title == 'One'")["note"] = "changed"
            try context.save()
            let after = try inodes()
            #expect(names.filter { before[$0] != after[$0] } == [one])
            #expect(try fields(one, url)["version"] as? Int == 2)
        }
    }

    @Test func aContainerOpensIt() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("deep/objects")
            for turn in 1...2 {
                let container = PersistentContainer(name: "Objects", managedObjectModel: try GraphFixture.makeModel())
                container.persistentStoreCoordinator.registerSamples()
                container.persistentStoreDescriptions = [
                    PersistentStoreDescription(url: url, type: JSONObjectStore.storeType)
                ]
                try container.loadPersistentStores()
                try container.viewContext.make("Account", ["title": "\(turn)"])
                try container.viewContext.save()
                #expect(try container.viewContext.count("Account") == turn)
                try container.persistentStoreCoordinator.removePersistentStores()
            }
        }
    }
}

extension JSONObjectStoreTests {
    @Test(
        arguments: [
            ("{", "no JSON"), ("[]", "no JSON object"), ("", "no JSON"),
            (#"{"entity":"Account","number":7,"version":1}"#, "another object than its name says"),
            (#"{"entity":"Account","number":1}"#, "no version"),
            (#"{"entity":"Account","number":1,"version":1,"attributes":[]}"#, "attributes is not as it should be"),
            (#"{"entity":"Account","number":1,"version":1,"attributes":{"title":5}}"#, "title is no value of its type"),
            (
                #"{"entity":"Account","number":1,"version":1,"attributes":{"tilte":"x"}}"#,
                "Account has no attribute tilte"
            ),
            (#"{"entity":"Account","number":1,"version":1,"toOne":{"owner":"nobody"}}"#, "nobody names no object"),
        ])
    func aBadFileIsAnErrorThatNamesIt(content: String, what: String) throws {
        try run { url, context in
            try fill(context)
            let file = url.appendingPathComponent("Account-1.json")
            let sound = try Data(contentsOf: file)
            try Data(content.utf8).write(to: file)
            context.reset()
            let error = #expect(throws: StorageError.self) { try context.all("Account") }
            #expect(
                error?.code == .damaged && error?.path == file.path && error?.message.contains(what) == true,
                "\(error?.message ?? "")")
            // The others are there, and it comes back with its file.
            #expect(try context.all("Person").count == 1 && context.all("Entry").count == 2)
            try sound.write(to: file)
            #expect(try context.all("Account").count == 2)
        }
    }

    @Test func filesOfOthersAreLeftAlone() throws {
        try run { url, context in
            try fill(context)
            for name in ["notes.txt", "README.json", "Account-x.json", "Cat-1.json"] {
                try Data("{".utf8).write(to: url.appendingPathComponent(name))
            }
            #expect(try context.all("Account").count == 2)
            try context.make("Account", ["title": "Three"])
            try context.save()
            #expect(try String(contentsOf: url.appendingPathComponent("notes.txt"), encoding: .utf8) == "{")
        }
    }

    @Test func aSaveThatWasInterruptedIsEndedByWhoeverComesNext() throws {
        try run { url, context in
            try fill(context)
            let account = try #require(try context.all("Account").first { $0.text("title") == "One" })
            let name = "Account-\(account.objectID.uriRepresentation().lastPathComponent.dropFirst()).json"
            var one = try fields(name, url)
            one["version"] = 2
            one["attributes"] = ["title": "Uno", "balance": "0"]
            let text = String(decoding: try JSONSerialization.data(withJSONObject: one), as: UTF8.self)
            let journal = url.appendingPathComponent(".save")
            try JSONEncoder().encode(SharedFolder.Changes(files: [name: text], deletedNames: ["Entry-9.json"])).write(
                to: journal)
            // What was still being written counts for nothing.
            try Data("{\"files\"".utf8).write(to: url.appendingPathComponent(".new"))
            let reader = try open(url)
            #expect(try reader.found("Account", nil, by: "title") == ["Two", "Uno"])
            #expect(!FileManager.default.fileExists(atPath: journal.path))
            account["title"] = "Eins"
            let conflict = #expect(throws: GraphError.self) { try context.save() }
            #expect(conflict?.code == .conflict)
            try Data("{".utf8).write(to: journal)
            let error = #expect(throws: StorageError.self) { try open(url) }
            #expect(error?.code == .damaged && error?.path == journal.path)
            try FileManager.default.removeItem(at: journal)
            try reader.persistentStoreCoordinator.removePersistentStores()
        }
    }
}

extension JSONObjectStoreTests {
    @Test func aFolderOfSomethingElseIsNoStore() throws {
        try withTemporaryDirectory { folder in
            try Data("{}".utf8).write(to: folder.appendingPathComponent("Account-1.json"))
            let error = #expect(throws: StorageError.self) { try open(folder) }
            #expect(error?.code == .notAStore)
        }
    }
}
