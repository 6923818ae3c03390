import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import TestSupport
import Testing

/// Autosaves of objects that have unique values twice: nothing is lost, nothing fails, and the save
/// says what is wrong.
struct PendingUniqueValueTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Person",
                    attributes: [
                        .init("name", .string), .init("code", .string), .init("number", .integer64),
                        .init("born", .date),
                    ],
                    relationships: [
                        .init("friends", to: "Person", inverse: "friends", maxCount: 0),
                        .init("boss", to: "Person", inverse: "staff"),
                        .init("staff", to: "Person", inverse: "boss", maxCount: 0),
                    ], uniquenessConstraints: [["code"], ["number", "born"]])
            ], versionIdentifiers: ["1"])
    }

    @discardableResult
    private func insert(_ name: String, _ code: String?, _ document: PersistentDocument) throws -> ManagedObject {
        let person = try document.context.insert("Person")
        person["name"] = name
        person["code"] = code
        return person
    }

    private func codes(_ document: PersistentDocument) throws -> [String: String] {
        let people = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
        return Dictionary(
            uniqueKeysWithValues: people.map { ($0["name"] as? String ?? "", $0["code"] as? String ?? "-") })
    }

    @Test(arguments: [DocumentForm.package, .archive]) func anAutosaveKeepsWhatTwoObjectsHaveAndTheNextOpeningFindsIt(
        _ form: DocumentForm
    ) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A")
            let document = try await PersistentDocument.create(at: url, model: model(), form: form)
            let ada = try insert("Ada", "A", document), bob = try insert("Bob", "B", document)
            try await document.save()
            document.context.undoManager = UndoManager()

            bob["code"] = "A"
            let eve = try insert("Eve", "A", document)
            eve["friends"] = Set([ada, bob])
            document.context.processPendingChanges()
            try await document.autosave()
            #expect(document.pendingUniqueValues.map(\.value) == [.string("A"), .string("A")])
            #expect(Set(document.pendingUniqueValues.map(\.objectID)) == [bob.objectID, eve.objectID])
            #expect(try codes(document) == ["Ada": "A", "Bob": "A", "Eve": "A"])
            #expect(document.hasUnsavedChanges && document.hasAutosavedWork)
            // Nothing more to do while nothing is edited.
            let autosaved = document.autosaved
            try await document.autosave()
            #expect(document.autosaved == autosaved)
            await #expect(throws: GraphError.self) { try await document.save() }
            #expect(try codes(document) == ["Ada": "A", "Bob": "A", "Eve": "A"])
            // One of them gives way: the next autosave has only what is left.
            bob["code"] = "C"
            document.context.processPendingChanges()
            try await document.autosave()
            #expect(document.pendingUniqueValues.map(\.objectID) == [eve.objectID])
            document.context.undo()
            #expect(bob["code"] as? String == "A")
            document.context.redo()
            try await document.close(.keep)

            let reader = try await PersistentDocument.open(url, mode: .reading)
            #expect(reader.pendingUniqueValues.count == 1)
            #expect(try codes(reader) == ["Ada": "A", "Bob": "C", "Eve": "-"])
            try await reader.close()
            let again = try await PersistentDocument.open(url, recovery: .keep)
            #expect(try codes(again) == ["Ada": "A", "Bob": "C", "Eve": "A"])
            #expect(again.pendingUniqueValues.count == 1)
            await #expect(throws: GraphError.self) { try await again.save() }
            let found = try #require(
                try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first {
                    $0["name"] as? String == "Eve"
                })
            #expect((found["friends"] as? Set<ManagedObject>)?.count == 2)
            found["code"] = "E"
            try await again.save()
            #expect(again.pendingUniqueValues.isEmpty && !again.hasUnsavedChanges)
            try await again.close()
            let last = try await PersistentDocument.open(url)
            #expect(try codes(last) == ["Ada": "A", "Bob": "C", "Eve": "E"])
            try await last.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}

extension PendingUniqueValueTests {
    @Test func valuesThatStandInTheWayOfOthersWaitWithThem() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: model())
            let ada = try insert("Ada", "A", document), bob = try insert("Bob", "B", document),
                cid = try insert("Cid", "C", document)
            let day = Date(timeIntervalSinceReferenceDate: 0)
            for person in [ada, bob, cid] { person["born"] = day }
            ada["number"] = 1
            bob["number"] = 2
            try await document.save()
            // Ada can't have C, so A stays hers in the store, and Bob can't have that.
            ada["code"] = "C"
            bob["code"] = "A"
            cid["number"] = 2
            cid["born"] = day
            try await document.autosave()
            #expect(try codes(document) == ["Ada": "C", "Bob": "A", "Cid": "C"])
            #expect(document.pendingUniqueValues.count >= 3)
            // What is edited while values wait is autosaved too.
            ada["name"] = "Ada B."
            try await document.autosave()
            try await document.close()
            let again = try await PersistentDocument.open(url, recovery: .keep)
            #expect(try codes(again) == ["Ada B.": "C", "Bob": "A", "Cid": "C"])
            let people = try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
            let third = try #require(people.first { $0["name"] as? String == "Cid" })
            #expect(third["number"] as? Int == 2)
            try await again.revert()
            #expect(try codes(again) == ["Ada": "A", "Bob": "B", "Cid": "C"])
            #expect(again.pendingUniqueValues.isEmpty && !again.context.hasChanges)
            try await again.close()
        }
    }

    @Test func aMergePolicyIsAskedFirst() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: model())
            document.context.mergePolicy = .mergeByPropertyObjectTrump
            try insert("Ada", "A", document)
            try await document.save()
            try insert("Eve", "A", document)
            try await document.autosave()
            // A new object with the unique values of a stored one becomes that object.
            #expect(document.pendingUniqueValues.isEmpty)
            #expect(try codes(document) == ["Eve": "A"])
            // Two stored ones never become one.
            try insert("Bob", "B", document)
            try await document.save()
            let bob = try #require(
                try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first {
                    $0["name"] as? String == "Bob"
                })
            bob["code"] = "A"
            try await document.autosave()
            #expect(document.pendingUniqueValues.map(\.objectID) == [bob.objectID])
            await #expect(throws: GraphError.self) { try await document.save() }
            bob["code"] = "C"
            try await document.save()
            try await document.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }

    /// The new object had its number already, as all have that a document saves.
    @Test func aNewObjectThatBecomesAStoredOneIsFoundByWhoeverLeadsToIt() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: model())
            document.context.mergePolicy = .mergeByPropertyObjectTrump
            document.context.undoManager = UndoManager()
            let ada = try insert("Ada", "A", document)
            try await document.save()
            let stored = ada.objectID
            let eve = try insert("Eve", "A", document), dan = try insert("Dan", "D", document),
                old = try insert("Old", "O", document)
            dan["boss"] = eve
            document.context.processPendingChanges()
            dan["boss"] = old
            document.context.processPendingChanges()
            try await document.save()
            #expect(eve.objectID == stored)
            document.context.undo()
            #expect(dan["boss"] as? ManagedObject === eve)
            let bob = try insert("Bob", "O", document), place = old.objectID
            bob["boss"] = dan
            try await document.save()
            #expect(bob.objectID == place)
            try await document.close()
            let again = try await PersistentDocument.open(url)
            let people = try again.context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
            let bosses = people.map {
                "\($0["name"] as? String ?? "") \(($0["boss"] as? ManagedObject)?["name"] as? String ?? "-")"
            }.sorted()
            #expect(bosses == ["Bob Dan", "Dan Eve", "Eve -"])
            try await again.close()
            #expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty)
        }
    }
}

extension PendingUniqueValueTests {
    /// What waits goes along where the store takes up what was autosaved, and into the version that
    /// a restoring keeps.
    @Test func valuesThatWaitOutliveTheJournalAndVersions() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: model())
            try insert("Ada", "A", document)
            try await document.save()
            document.autosavedBytesLimit = 0
            try insert("Eve", "A", document)
            try await document.autosave()
            #expect(document.pendingUniqueValues.count == 1)
            try await document.revert(to: try #require(try document.versions().last))
            #expect(try codes(document) == ["Ada": "A"])
            #expect(document.pendingUniqueValues.isEmpty)
            try await document.revert(to: try #require(try document.versions().last))
            #expect(try codes(document) == ["Ada": "A", "Eve": "A"])
            #expect(document.pendingUniqueValues.count == 1)
            await #expect(throws: GraphError.self) { try await document.save() }
            try await document.close()
        }
    }
}
