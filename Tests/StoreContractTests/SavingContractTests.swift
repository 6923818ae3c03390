import Foundation
import RowMemory
import Schema
import Storage
import Testing

struct SavingContractTests {
    // C23
    @Test(arguments: StoreKind.allCases) func anUpdateChangesWhatItNamesAndRaisesTheVersion(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let disc = try fixture.insert("Disc", ["title": .string("a"), "code": .string("c")])
            try fixture.apply { changes in
                let update = try fixture.update("Disc", disc, ["title": .string("b")])
                // What is not said to have changed is not written, whatever the row says.
                _ = update.rows[0].setValue(
                    .string("other"), update.rows[0].layout.slots[fixture.property("Disc", "code")])
                changes.updates = [update]
            }
            #expect(try fixture.value("Disc", disc, "title") == .string("b"))
            #expect(try fixture.value("Disc", disc, "code") == .string("c"))
            #expect(try fixture.row("Disc", disc).version == 2)
            try fixture.apply { $0.updates = [try fixture.update("Disc", disc)] }
            #expect(try fixture.row("Disc", disc).version == 3)
            try fixture.apply { $0.updates = [try fixture.update("Disc", disc, ["title": .null])] }
            try fixture.reopen()
            #expect(try fixture.value("Disc", disc, "title") == .null)
            #expect(try fixture.value("Disc", disc, "code") == .string("c"))
        }
    }

    @Test(arguments: StoreKind.allCases) func allConflictsAreFoundAndNothingIsWritten(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let tags = try (0..<4).map { try fixture.insert("Tag", ["word": .string("\($0)")]) }
            let error = #expect(throws: StorageError.self) {
                try fixture.apply { changes in
                    changes.insertions = [fixture.insertion("Tag", -1, ["word": .string("new")])]
                    changes.updates = [
                        try fixture.update("Tag", tags[0], ["word": .string("x")]),
                        try fixture.update("Tag", tags[1], version: 9, ["word": .string("y")]),
                    ]
                    changes.deletions = [
                        fixture.deletion("Tag", tags[2]), fixture.deletion("Tag", 9_999_999),
                        fixture.deletion("Tag", tags[3], version: 2),
                    ]
                    changes.metadata = ["left": .string("behind")]
                }
            }
            #expect(error?.code == .conflict)
            #expect(Set(error?.conflicts.map(\.object.key) ?? []) == [tags[1], 9_999_999, tags[3]])
            #expect(error?.conflicts.first { $0.object.key == tags[1] }?.expectedVersion == 9)
            #expect(error?.conflicts.first { $0.object.key == tags[1] }?.storedVersion == 1)
            #expect(error?.conflicts.first { $0.object.key == 9_999_999 }?.storedVersion == 0)
            for _ in 0..<2 {
                #expect(try fixture.keys(fixture.request("Tag")) == tags)
                for (index, tag) in tags.enumerated() {
                    #expect(try fixture.value("Tag", tag, "word") == .string("\(index)"))
                }
                #expect(try fixture.store.metadata()["left"] == nil)
                try fixture.reopen()
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func deletedObjectsAreGoneAndTheirNumbersNotUsedAgain(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let tags = try (0..<3).map { _ in try fixture.insert("Tag") }
            try fixture.apply { $0.deletions = [fixture.deletion("Tag", tags[0]), fixture.deletion("Tag", tags[2])] }
            try fixture.reopen()
            #expect(try fixture.keys(fixture.request("Tag")) == [tags[1]])
            let next = try fixture.insert("Tag")
            #expect(next > tags[2])
        }
    }
}

extension SavingContractTests {
    @Test(arguments: StoreKind.allCases) func aViolatedConstraintNamesTheObjectAndLeavesNothing(kind: StoreKind) throws
    {
        try ContractFixture.run(kind) { fixture in
            let first = try fixture.insert("Shelf", ["name": .string("a")])
            var changes = ChangeSet()
            changes.insertions = [
                fixture.insertion("Shelf", -1, ["name": .string("b")]),
                fixture.insertion("Shelf", -2, ["name": .string("a")]),
            ]
            let error = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(error?.code == .constraint)
            #expect(error?.entities == ["Shelf"])
            #expect(error?.conflicts.map(\.object.key) == [-2])
            #expect(error?.keys == ["name"] && error?.holder?.key == first)
            #expect(
                error?.message == "Shelf.name must be unique, but a new object and Shelf/p\(first) have the same value")
            #expect(try fixture.keys(fixture.request("Shelf")) == [first])
            let twins = #expect(throws: StorageError.self) {
                try fixture.apply {
                    $0.insertions = [
                        fixture.insertion("Shelf", -1, ["name": .string("c")]),
                        fixture.insertion("Shelf", -2, ["name": .string("c")]),
                    ]
                }
            }
            #expect(twins?.conflicts.map(\.object.key) == [-2] && twins?.holder?.key == -1)
            #expect(twins?.message == "Shelf.name must be unique, but two new objects have the same value")
            // What is deleted makes room.
            changes.deletions = [fixture.deletion("Shelf", first)]
            _ = try fixture.store.apply(changes)
            try fixture.reopen()
            #expect(try fixture.store.count(fixture.request("Shelf")) == 2)
            let second = #expect(throws: StorageError.self) { try fixture.insert("Shelf", ["name": .string("b")]) }
            #expect(second?.code == .constraint)
        }
    }

    @Test(arguments: StoreKind.allCases) func constraintsCompareAllTheirValuesAndIgnoreNothing(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let person = try fixture.insert("Person", ["name": .string("a"), "small": .int(1)])
            try fixture.insert("Person", ["name": .string("a"), "small": .int(2)])
            try fixture.insert("Person", ["name": .string("a")])
            try fixture.insert("Person", ["name": .string("a")])
            try fixture.insert("Person", ["name": .string("é"), "small": .int(1)])
            // Other code units are other values, even if they look the same.
            try fixture.insert("Person", ["name": .string("e\u{301}"), "small": .int(1)])
            let error = #expect(throws: StorageError.self) {
                try fixture.apply { $0.updates = [try fixture.update("Person", person, ["small": .int(2)])] }
            }
            #expect(error?.code == .constraint)
            #expect(error?.keys == ["name", "small"] && error?.holder?.key == person + 1)
            #expect(
                error?.message
                    == "Person.name and small must be unique together, but Person/p\(person) and Person/p\(person + 1) have the same values"
            )
            #expect(try fixture.value("Person", person, "small") == .int(1))
            try fixture.apply { $0.updates = [try fixture.update("Person", person, ["small": .int(3)])] }
            try fixture.insert("Person", ["name": .string("a"), "small": .int(1)])
        }
    }
}

extension SavingContractTests {
    @Test(arguments: StoreKind.allCases) func numbersThatRowsBringAreKept(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let keys = try fixture.apply {
                $0.insertions = [
                    fixture.insertion("Tag", 1017), fixture.insertion("Tag", -1), fixture.insertion("Tag", 5),
                ]
            }.keys
            #expect(keys[0] == [1017] && keys[2] == [5])
            #expect(keys[1][0] > 1017)
            let reserved = try fixture.store.reserveKeys(entityIndex: fixture.entity("Tag").index, count: 5)
            #expect(reserved > keys[1][0])
            let next = try fixture.insert("Tag")
            #expect(next >= reserved + 5)
            try fixture.apply { $0.insertions = [fixture.insertion("Tag", reserved + 2)] }
            try fixture.reopen()
            #expect(try fixture.keys(fixture.request("Tag")) == [5, 1017, keys[1][0], reserved + 2, next])
            let error = #expect(throws: StorageError.self) {
                try fixture.apply { $0.insertions = [fixture.insertion("Tag", 5)] }
            }
            #expect(error?.code == .constraint)
        }
    }

    @Test(arguments: StoreKind.allCases) func objectsOfTwoHierarchiesMayShareANumber(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            try fixture.apply { changes in
                changes.insertions = [
                    fixture.insertion("Tag", 1, ["word": .string("one")]),
                    fixture.insertion("Tag", 2, ["word": .string("two")]),
                    fixture.insertion("Person", 1, ["name": .string("p")]),
                    fixture.insertion("Book", 1, [:], ["owner": fixture.reference("Person", 1)]),
                ]
                changes.links = [fixture.link("Item", "tags", 1, fixture.reference("Tag", 2))]
            }
            var next: Int64 = 0
            for _ in 0..<5 {
                try fixture.reopen()
                #expect(try fixture.value("Tag", 1, "word") == .string("one"))
                #expect(try fixture.members("Book", 1, "tags") == [2])
                #expect(try fixture.reference("Book", 1, "owner") == fixture.reference("Person", 1))
                #expect(try fixture.members("Person", 1, "belongings") == [1])
                next = try fixture.insert("Tag")
            }
            #expect(next < 1000)
        }
    }

    @Test(arguments: StoreKind.allCases) func metadataChangeWithTheRowsAndKeepWhatTheyHad(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let stamp = Date(timeIntervalSinceReferenceDate: 1000)
            let values: [String: MetadataValue] = [
                "generation": .string("0001 <&>"),
                "tags": .array([.integer(1), .data(Data([1])), .boolean(true), .real(1.5)]),
                "nested": .dictionary(["date": .date(stamp)]),
            ]
            try fixture.apply { $0.metadata = values.mapValues { $0 } }
            try fixture.reopen()
            let before = try fixture.store.metadata()
            for (key, value) in values { #expect(before[key] == value) }
            #expect(before["NSStoreUUID"] == .string(fixture.store.identity.uuid))
            #expect(before["NSStoreType"] == .string(fixture.kind.factory.type.rawValue))
            guard case .dictionary(let hashes) = before["NSStoreModelVersionHashes"] else {
                Issue.record("no hashes")
                return
            }
            #expect(Set(hashes.keys) == Set(fixture.model.entities.map(\.name)))
            try fixture.apply { $0.metadata = ["generation": .string("0002"), "tags": nil] }
            try fixture.reopen(readOnly: true)
            var expected = before
            expected["generation"] = .string("0002")
            expected["tags"] = nil
            #expect(try fixture.store.metadata() == expected)
        }
    }
}

extension SavingContractTests {
    @Test(arguments: StoreKind.allCases) func metadataThatDescribeTheFileAreNotSet(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let error = #expect(throws: StorageError.self) {
                try fixture.apply { $0.metadata = ["NSStoreModelVersionHashes": .dictionary([:])] }
            }
            #expect(error?.code == .unsupported)
        }
    }

    @Test(arguments: StoreKind.inFiles) func aReadOnlyStoreIsReadAndNotWritten(kind: StoreKind)
        throws
    {
        try ContractFixture.run(kind) { fixture in
            let tag = try fixture.insert("Tag", ["word": .string("w")])
            try fixture.reopen(readOnly: true)
            #expect(try fixture.value("Tag", tag, "word") == .string("w"))
            let error = #expect(throws: StorageError.self) { try fixture.insert("Tag") }
            #expect(error?.code == .readOnly)
        }
    }

    @Test(arguments: StoreKind.inFiles) func theStoreKeepsItsIdentityAndRefusesAnotherModel(
        kind: StoreKind
    ) throws {
        try ContractFixture.run(kind) { fixture in
            let uuid = fixture.store.identity.uuid
            try fixture.reopen()
            #expect(fixture.store.identity.uuid == uuid)
            #expect(fixture.store.identity.model.versionHashesByEntityName == fixture.model.versionHashesByEntityName)
            try fixture.store.close()
            let other = try ManagedObjectModel(
                entities: fixture.model.definition.entities.filter { $0.name != "Badge" }.map { entity in
                    var entity = entity
                    entity.relationships.removeAll { $0.name == "badges" }
                    entity.attributes.removeAll { $0.name == "place" }
                    return entity
                })
            let error = #expect(throws: StorageError.self) { _ = try fixture.open(model: other) }
            #expect(error?.code == .incompatibleModel)
            #expect(error?.entities == ["Badge", "Person", "Shelf"])
            try fixture.reopen()
        }
    }

    @Test(arguments: StoreKind.allCases) func aStoreThatIsNotThereIsNotFound(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            guard kind.hasFile else { return }
            var description = PersistentStoreDescription(
                url: fixture.url.appendingPathExtension("other"), type: kind.factory.type)
            description.createsIfMissing = false
            let error = #expect(throws: StorageError.self) { _ = try kind.factory.open(description, fixture.model) }
            #expect(error?.code == .notFound)
        }
    }

    @Test(arguments: StoreKind.allCases) func thousandsOfRowsGoInOneSave(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            var batch = RowBatch()
            let slot = fixture.store.layouts[fixture.entity("Tag").index].slots[fixture.property("Tag", "word")]
            for number in 1...5000 {
                batch.appendRow(fixture.store.layouts[fixture.entity("Tag").index], key: Int64(-number), version: 0)
                    .setString("word \(number)", slot)
            }
            let keys = try fixture.apply {
                $0.insertions = [.init(entityIndex: fixture.entity("Tag").index, rows: batch)]
            }.keys[0]
            #expect(keys == Array(keys[0]..<keys[0] + 5000))
            try fixture.reopen()
            #expect(try fixture.store.count(fixture.request("Tag")) == 5000)
            #expect(try fixture.value("Tag", keys[4998], "word") == .string("word 4999"))
            try fixture.apply { $0.deletions = keys.dropFirst(10).map { fixture.deletion("Tag", $0) } }
            try fixture.reopen()
            #expect(try fixture.keys(fixture.request("Tag")) == Array(keys[..<10]))
        }
    }
}
