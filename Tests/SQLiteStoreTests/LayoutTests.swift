import SQLiteStore
import Schema
import Storage
import Testing

struct LayoutTests {
    let layout: StoreLayout
    let model: ManagedObjectModel

    init() throws {
        model = try FeatureModel.make()
        layout = try StoreLayout.creating(model, configuration: nil)
    }

    private func storage(_ entity: String, _ property: String) throws -> PropertyStorage {
        let entity = try #require(model.entity(named: entity))
        return try layout.storage(of: entity.index).properties[try #require(entity.property(named: property)).index]
    }

    private func column(_ entity: String, _ property: String) throws -> String? {
        if case .attribute(let column) = try storage(entity, property) { column.name } else { nil }
    }

    @Test func entitiesAreNumberedRootByRootInCaseInsensitiveOrder() {
        #expect(
            layout.storedEntities.map { model.entities[$0.entityIndex].name } == [
                "Badge", "Item", "Book", "Disc", "Person", "Shelf", "Tag",
            ])
        #expect(layout.storedEntities.map(\.number) == [1, 2, 3, 4, 5, 6, 7])
        #expect(
            layout.storedEntities.map(\.table) == ["ZBADGE", "ZITEM", "ZITEM", "ZITEM", "ZPERSON", "ZSHELF", "ZTAG"])
    }

    @Test func aNameThatABranchHasTakenGetsASuffix() throws {
        #expect(try column("Book", "code") == "ZCODE")
        #expect(try column("Disc", "code") == "ZCODE1")
        guard case .toOne(let key) = try storage("Disc", "code1") else { Issue.record("no to-one"); return }
        #expect(key.key == "ZCODE11")
    }

    @Test func aToOneToAHierarchyHasAnEntityColumn() throws {
        guard case .toOne(let key) = try storage("Shelf", "featured") else { Issue.record("no to-one"); return }
        #expect(
            key
                == ToOneColumns(
                    key: "ZFEATURED", entity: "Z2_FEATURED", order: nil, destinationIndex: key.destinationIndex))
        guard case .toOne(let shelf) = try storage("Book", "shelf") else { Issue.record("no to-one"); return }
        #expect(shelf.entity == nil)
        #expect(shelf.order == "Z_FOK_SHELF")
    }

    @Test func aOneToManyIsKeptByItsMembers() throws {
        guard case .toMany(let key) = try storage("Shelf", "items") else { Issue.record("no key"); return }
        #expect(key.table == "ZITEM")
        #expect(key.key == "ZSHELF")
        #expect(key.order == "Z_FOK_SHELF")
        guard case .toMany(let badges) = try storage("Person", "badges") else { Issue.record("no key"); return }
        #expect(badges.table == "ZBADGE")
        #expect(badges.key == "Z5BADGES")
        #expect(badges.inverseIndex == nil)
    }

    @Test func joinTablesAreNamedByTheSmallerNumber() throws {
        guard case .manyToMany(let tags) = try storage("Disc", "tags"),
            case .manyToMany(let items) = try storage("Tag", "items")
        else {
            Issue.record("no join table")
            return
        }
        #expect(tags.table == "Z_2TAGS")
        #expect(tags.ownerColumn == "Z_2ITEMS")
        #expect(tags.memberColumn == "Z_7TAGS")
        #expect(tags.memberOrder == "Z_FOK_7TAGS")
        #expect(items.ownerColumn == "Z_7TAGS")
        #expect(items.ownerOrder == "Z_FOK_7TAGS")
        #expect(items.memberOrder == nil)
    }

    @Test func withinOneEntityTheLastNameNamesTheJoinTable() throws {
        guard case .manyToMany(let follows) = try storage("Person", "follows") else {
            Issue.record("no join table"); return
        }
        #expect(follows.table == "Z_5FOLLOWS")
        #expect(follows.ownerColumn == "Z_5FOLLOWERS")
        #expect(follows.memberColumn == "Z_5FOLLOWS")
        #expect(follows.memberOrder == "Z_FOK_5FOLLOWS")
    }
}

extension LayoutTests {
    @Test func aRelationshipThatIsItsOwnInverseIsReflexive() throws {
        guard case .manyToMany(let friends) = try storage("Person", "friends") else {
            Issue.record("no join table"); return
        }
        #expect(friends.isReflexive)
        #expect(friends.ownerColumn == "Z_5FRIENDS")
        #expect(friends.memberColumn == "REFLEXIVE")
    }

    @Test func compositesHaveAColumnForEachLeaf() throws {
        guard case .composite(let leaves) = try storage("Shelf", "place") else { Issue.record("no composite"); return }
        #expect(leaves.map(\.path) == [["floor"], ["room"]])
        #expect(leaves.map(\.column.name) == ["ZFLOOR", "ZROOM"])
    }

    @Test func transientPropertiesHaveNoColumn() throws {
        #expect(try storage("Disc", "cache") == .none)
    }

    @Test func namesInTheFileDecide() throws {
        let person = EntityDefinition("Person", attributes: [.init("name", .string)], renamingIdentifier: "Human")
        let model = try ManagedObjectModel(entities: [person])
        let catalog = StoreCatalog(
            tables: [.init(name: "ZHUMAN", columns: ["Z_PK", "Z_ENT", "Z_OPT", "zname"])],
            entities: [.init(number: 9, name: "Human", parent: 0)])
        let layout = try StoreLayout.reading(model, from: catalog)
        let storage = try layout.storage(of: 0)
        #expect(storage.number == 9)
        #expect(storage.table == "ZHUMAN")
        #expect(
            storage.properties == [.attribute(AttributeColumn(name: "zname", type: .string, hasStoragePrefix: false))])
    }

    @Test func aMissingColumnIsNoted() throws {
        let model = try ManagedObjectModel(entities: [EntityDefinition("Person", attributes: [.init("name", .string)])]
        )
        let catalog = StoreCatalog(
            tables: [.init(name: "ZPERSON", columns: ["Z_PK", "Z_ENT", "Z_OPT"])],
            entities: [.init(number: 1, name: "Person", parent: 0)])
        let layout = try StoreLayout.reading(model, from: catalog)
        #expect(try layout.storage(of: 0).properties == [.none])
        #expect(layout.missing.map(\.message) == ["the column ZPERSON.ZNAME of Person.name is missing"])
    }

    @Test func aStoreWithNoneOfTheModelsTablesIsDamage() throws {
        let model = try ManagedObjectModel(entities: [EntityDefinition("Person", attributes: [.init("name", .string)])]
        )
        let catalog = StoreCatalog(tables: [], entities: [.init(number: 1, name: "Person", parent: 0)])
        let error = #expect(throws: StorageError.self) { try StoreLayout.reading(model, from: catalog) }
        #expect(error?.code == .damaged)
    }
}
