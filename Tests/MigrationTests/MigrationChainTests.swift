import Foundation
import Migration
import ModelFiles
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Ways through several versions: none may pass through a version that lacks what both ends have.
struct MigrationChainTests {
    private func model(_ version: String, _ entities: [EntityDefinition]) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: entities, versionIdentifiers: [version])
    }

    private func chat(_ attributes: [AttributeDescription]) -> EntityDefinition {
        EntityDefinition("Chat", attributes: [.init("title", .string)] + attributes)
    }
    private let team = EntityDefinition("Team", attributes: [.init("name", .string)])
    /// What no step to the newest version gets past but by way of a version that has dropped it.
    private let bar = AttributeDescription("kind", .string), newBar = AttributeDescription("kind", .integer32)

    @Test func aVersionWithoutAnEntityOfBothEndsIsNoWay() throws {
        let source = try model("2", [chat([bar]), team]), destination = try model("3", [chat([newBar]), team])
        let poor = try model("1", [chat([])]), rich = try model("2b", [chat([]), team])
        let error = #expect(throws: MigrationError.self) {
            try MigrationChain.plans(from: source, to: destination, through: [poor])
        }
        #expect(error?.code == .notInferable && error?.obstacles.map(\.place) == ["Chat.kind"])
        let chain = try #require(error?.refusedChain)
        #expect(chain.versions == ["“1”"])
        #expect(chain.losses == ["Team", "Chat.kind"])
        #expect("\(try #require(error))".contains("By way of “1” it can be, but that would lose Team, Chat.kind"))
        // An attribute that changes its type is one of both ends: dropping it on the way loses its
        // values.
        #expect(throws: MigrationError.self) {
            try MigrationChain.plans(from: source, to: destination, through: [rich])
        }
    }

    @Test func theShortestWayThatKeepsEverythingIsTaken() throws {
        func version(_ name: String, _ identifier: String?, _ attributes: [AttributeDescription] = []) throws
            -> ManagedObjectModel
        {
            try model(
                name,
                [
                    EntityDefinition(
                        "Chat",
                        attributes: [AttributeDescription(name, .string, renamingIdentifier: identifier)] + attributes),
                    team,
                ])
        }
        let mandatory = AttributeDescription("kind", .string, isOptional: false),
            optional = AttributeDescription("kind", .string, isOptional: false, defaultValue: .string("a"))
        let source = try version("a", nil), between = try version("b", "a", [optional]),
            destination = try version("c", "b", [mandatory])
        let poor = try model("0", [chat([optional])])
        let plans = try MigrationChain.plans(from: source, to: destination, through: [poor, between])
        #expect(plans.map { $0.destination === between } == [true, false] && plans.last?.destination === destination)
        #expect(plans[1].originIndex(entityIndex: 0, propertyIndex: 0) != nil)
    }

    @Test func aNameThatOnlyAVersionBetweenTellsIsFollowed() throws {
        func version(_ name: String, _ identifier: String?, _ others: [AttributeDescription] = []) throws
            -> ManagedObjectModel
        {
            try model(
                name,
                [
                    EntityDefinition(
                        "Chat",
                        attributes: [AttributeDescription(name, .string, renamingIdentifier: identifier)] + others)
                ])
        }
        let gone = AttributeDescription("gone", .date)
        let versions = [
            try version("title", nil, [gone]), try version("name", "title", [gone]), try version("label", "name"),
            try version("caption", "label"),
        ]
        for last in [2, 3] {
            let plans = try MigrationChain.plans(
                from: versions[0], to: versions[last], through: [versions[3], versions[2], versions[1]])
            #expect(plans.count == last)
            let way = try #require(MigrationPlan.composed(plans))
            let name = ["label", "caption"][last - 2]
            let (new, old) = (versions[last].entities[0], versions[0].entities[0])
            let place = try #require(new.propertyIndex(named: name))
            #expect(way.originIndex(entityIndex: 0, propertyIndex: place) == old.propertyIndex(named: "title"))
        }
        // One step is enough where nothing is gained.
        #expect(try MigrationChain.plans(from: versions[0], to: versions[1], through: versions).count == 1)
        #expect(try MigrationChain.plans(from: versions[1], to: versions[2], through: versions).count == 1)
    }

    /// What the middle has instead of an attribute or a relationship that both ends have alike.
    @Test func aVersionThatWouldChangeValuesIsNoWay() throws {
        let bar = AttributeDescription("kind", .string, isOptional: false, defaultValue: .string("a")),
            demanded = AttributeDescription("kind", .string, isOptional: false)
        let middle = AttributeDescription("count", .integer64)
        func way(_ count: AttributeDescription) throws -> Int {
            let source = try model("1", [chat([middle])]),
                destination = try model("3", [chat([middle, demanded, .init("new", .date)])])
            return try MigrationChain.plans(
                from: source, to: destination, through: [try model("2", [chat([count, bar])])]
            ).count
        }
        #expect(try way(middle) == 2)
        for wrong in [
            AttributeDescription("count", .integer16), .init("count", .boolean),
            .init("count", .integer64, isOptional: false, defaultValue: .int(7)), .init("other", .integer64),
        ] {
            // The rows decide whether one step is possible.
            #expect(try way(wrong) == 1)
        }
    }
}

extension MigrationChainTests {
    /// Every pair of a sample of the 117 versions, in both directions: a way is refused, or the
    /// objects have afterwards what both versions have.
    @Test(.enabled(if: corpus != nil)) func noWayThroughTheCorpusLosesWhatBothEndsHave() throws {
        let versions = CorpusMigrationTests.versions, count = versions.count
        try #require(count == 117)
        let isWhole = CorpusMigrationTests.isWhole
        let pairs = (1...count).flatMap { first in (1...count).map { (first, $0) } }.filter { first, second in
            first != second
                && (isWhole || [2, 9, 14, 40, 46, 87].contains(first) && [1, 12, 33, 47, 88, 117].contains(second))
        }
        var direct = 0, chained = 0, refused = 0
        try withTemporaryDirectory { folder in
            for (first, second) in pairs {
                let old = versions[first - 1], new = versions[second - 1]
                guard let plans = try? MigrationChain.plans(from: old, to: new, through: versions) else {
                    refused += 1
                    continue
                }
                guard plans.count > 1 else {
                    direct += 1
                    continue
                }
                chained += 1
                let store = try MigratedStore.make(
                    old, at: folder.appendingPathComponent("\(first)-\(second).sqlite"), objectsPerEntity: 2)
                let before = try store.snapshot()
                try SQLitePersistentStore.migrate(PersistentStoreDescription(url: store.url), plans)
                let after = try store.snapshot(new)
                #expect(Self.losses(before, after, old, new) == [], "\(first) → \(second)")
                try FileManager.default.removeItem(at: store.url)
            }
        }
        #expect(direct + chained + refused == pairs.count && refused > 0)
        if isWhole { print("\(pairs.count) pairs: \(direct) in one step, \(chained) in several, \(refused) refused") }
    }

    /// Attributes of the same name and type whose values are others than before, by the names of
    /// the two versions alone.
    private static func losses(
        _ before: StoreSnapshot, _ after: StoreSnapshot, _ old: ManagedObjectModel, _ new: ManagedObjectModel
    ) -> [String] {
        var found: [String] = []
        for (object, content) in before.objects {
            guard let former = old.entity(named: object.entity), let entity = new.entity(named: object.entity) else {
                continue
            }
            guard let now = after.objects[object] else {
                found.append("\(object)")
                continue
            }
            for (name, attribute) in former.attributesByName where !attribute.isTransient && !attribute.isDerived {
                guard let other = entity.attributesByName[name], other.type == attribute.type, !other.isTransient,
                    !other.isDerived, content.attributes[name] != .null
                else { continue }
                if now.attributes[name] != content.attributes[name] { found.append("\(object).\(name)") }
            }
        }
        return found.sorted()
    }
}
