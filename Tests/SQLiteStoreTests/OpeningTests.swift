import Foundation
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

struct OpeningTests {
    private func open(_ url: URL, model: ManagedObjectModel? = nil, readOnly: Bool = true) throws {
        var description = PersistentStoreDescription(url: url)
        description.isReadOnly = readOnly
        try SQLitePersistentStore.open(description, model: model).close()
    }

    /// What opening each of several files says, and that it leaves them as they are.
    private func error(_ content: Data?) throws -> StorageError? {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("file.sqlite")
            if let content { try content.write(to: url) }
            var errors: [StorageError] = []
            for readOnly in content == nil ? [true] : [true, false] {
                if let error = #expect(throws: StorageError.self, performing: { try open(url, readOnly: readOnly) }) {
                    errors.append(error)
                }
            }
            #expect(Set(errors.map(\.code)).count == 1)
            #expect(errors.allSatisfy { $0.path == url.path })
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path)
                    == (content == nil ? [] : ["file.sqlite"]))
            if let content { #expect(try Data(contentsOf: url) == content) }
            return errors.first
        }
    }

    private func database(_ statements: String) throws -> Data {
        try withTemporaryDirectory { folder in
            let path = folder.appendingPathComponent("made.sqlite").path
            let connection = try Connection(path, .create)
            try connection.execute(statements)
            try connection.close()
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
    }

    @Test func nothingThere() throws {
        #expect(try error(nil)?.code == .notFound)
    }

    @Test func aTextFileIsNoStore() throws {
        #expect(
            try error(
                Data(
                    "Dear diary, this is a text of more than one hundred bytes, which SQLite can tell from a database by its first sixteen."
                        .utf8))?.code == .notAStore)
    }

    @Test func anEmptyFileIsNoStore() throws {
        #expect(try error(Data())?.code == .notAStore)
    }

    @Test func anotherDatabaseIsNoStore() throws {
        #expect(try error(database("CREATE TABLE notes(text)"))?.code == .notAStore)
    }

    @Test func aStoreWithoutMetadataIsDamaged() throws {
        let bookkeeping =
            "CREATE TABLE Z_METADATA(Z_VERSION, Z_UUID, Z_PLIST); CREATE TABLE Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX);"
        #expect(try error(database(bookkeeping))?.code == .damaged)
        #expect(try error(database(bookkeeping + "INSERT INTO Z_METADATA VALUES (1, 'U', x'00')"))?.code == .damaged)
    }

    @Test func aViewIsNoTable() throws {
        #expect(
            try error(
                database(
                    "CREATE VIEW Z_METADATA AS SELECT 1 Z_VERSION; CREATE TABLE Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX)"
                ))?.code == .notAStore)
    }

    @Test func aTruncatedStoreIsDamaged() throws {
        var content = Data()
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            for _ in 0..<200 { try fixture.insert("Person", ["name": .string(String(repeating: "x", count: 500))]) }
            try fixture.store.close()
            content = try Data(contentsOf: fixture.url)
        }
        #expect(try error(content.prefix(8192))?.code == .damaged)
    }
}

extension OpeningTests {
    @Test func aFolderIsNoStore() throws {
        try withTemporaryDirectory { folder in
            let error = #expect(throws: StorageError.self) { try open(folder) }
            #expect(error?.code == .notAStore)
        }
    }

    @Test func anotherModelIsRefusedWithTheEntitiesThatDiffer() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            try fixture.store.close()
            var description = fixture.model.definition
            let person = try #require(description.entities.firstIndex { $0.name == "Person" })
            description.entities[person].attributes[0].isOptional.toggle()
            description.entities.append(EntityDefinition("Extra"))
            let other = try ManagedObjectModel(description)
            let error = #expect(throws: StorageError.self) { try open(fixture.url, model: other) }
            #expect(error?.code == .incompatibleModel)
            #expect(error?.entities == ["Extra", "Person"])
            try open(fixture.url, model: fixture.model)
        }
    }

    @Test func aStoreWithoutItsModelNeedsOne() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            try fixture.store.close()
            let connection = try Connection(fixture.url.path, .readWrite)
            try connection.execute("DROP TABLE Z_MODELCACHE")
            try connection.close()
            let error = #expect(throws: StorageError.self) { try open(fixture.url) }
            #expect(error?.code == .noModel)
            try open(fixture.url, model: fixture.model)
        }
    }

    @Test func aModelCanBeChosenByWhatTheStoreSays() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            try fixture.store.close()
            var description = PersistentStoreDescription(url: fixture.url)
            description.isReadOnly = true
            let store = try SQLitePersistentStore.open(description) { info in
                #expect(info?.uuid == fixture.store.identity.uuid)
                return info?.versionHashes == fixture.model.versionHashesByEntityName ? fixture.model : nil
            }
            #expect(store.identity.model === fixture.model)
            try store.close()
            struct Refusal: Error {}
            #expect(throws: Refusal.self) { _ = try SQLitePersistentStore.open(description) { _ in throw Refusal() } }
        }
    }

    @Test func aSchemaThatChangedIsReadAnew() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            try fixture.store.close()
            func missingParts() throws -> [String] {
                var description = PersistentStoreDescription(url: fixture.url)
                description.isReadOnly = true
                let store = try SQLitePersistentStore.open(description, model: fixture.model)
                defer { try? store.close() }
                return store.missingParts
            }
            // Known to this process by now.
            #expect(try missingParts() == [])
            let connection = try Connection(fixture.url.path, .readWrite)
            try connection.execute("ALTER TABLE ZTAG DROP COLUMN ZWORD")
            try connection.close()
            #expect(try missingParts() == ["the column ZTAG.ZWORD of Tag.word is missing"])
            let again = try Connection(fixture.url.path, .readWrite)
            try again.execute("ALTER TABLE ZTAG ADD COLUMN ZWORD VARCHAR")
            try again.close()
            try open(fixture.url, model: fixture.model)
        }
    }

    @Test func theModelInsideIsTheOneItWasMadeWith() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            try fixture.store.close()
            let info = try SQLiteStoreFile(fixture.url).modelInfo()
            #expect(info.uuid == fixture.store.identity.uuid)
            #expect(info.versionIdentifiers == ["features"])
            #expect(info.versionHashes == fixture.model.versionHashesByEntityName)
            #expect(try info.embeddedModel()?.versionHashesByEntityName == fixture.model.versionHashesByEntityName)
        }
    }
}

extension OpeningTests {
    @Test func readingLeavesNothingBehindAndSeesWhatIsInTheLog() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder, journal: .heldByDocument)
            try fixture.insert("Tag", ["word": .string("in the log")])
            try fixture.store.close()
            try? FileManager.default.removeItem(atPath: fixture.url.path + "-shm")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names == ["Features.sqlite", "Features.sqlite-wal"])
            var description = PersistentStoreDescription(url: fixture.url)
            description.isReadOnly = true
            let store = try SQLitePersistentStore.open(description)
            #expect(try store.count(RowRequest(entityIndex: fixture.entity("Tag").index)) == 1)
            try store.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
        }
    }

    @Test func aReaderSeesWhatAWriterCommitsMeanwhile() throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder)
            try fixture.insert("Tag")
            var description = PersistentStoreDescription(url: fixture.url)
            description.isReadOnly = true
            let reader = try SQLitePersistentStore.open(description)
            let request = RowRequest(entityIndex: fixture.entity("Tag").index)
            #expect(try reader.count(request) == 1)
            try fixture.insert("Tag")
            #expect(try reader.count(request) == 2)
            try fixture.store.close()
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            try fixture.insert("Tag")
            #expect(try reader.count(request) == 3)
            try reader.close()
            try fixture.store.close()
        }
    }

    @Test func oneWriterAtATime() throws {
        try StoreFixture.run { fixture in
            let other = try Connection(fixture.url.path, .readWrite)
            try other.transaction {
                var description = fixture.store.description
                description.timeout = 0.05
                let store = try SQLitePersistentStore.open(description)
                let error = #expect(throws: StorageError.self) { try store.reserveKeys(entityIndex: 0, count: 1) }
                #expect(error?.code == .busy)
                try store.close()
            }
            try other.close()
        }
    }

    @Test func creatingNeedsAModelAndAFreePlace() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("new.sqlite")
            let noModel = #expect(throws: StorageError.self) { try open(url, readOnly: false) }
            #expect(noModel?.code == .noModel)
            try Data("mine".utf8).write(to: url)
            let taken = #expect(throws: StorageError.self) {
                try SQLitePersistentStore.create(PersistentStoreDescription(url: url), model: try FeatureModel.make())
            }
            #expect(taken?.code == .cannotCreate)
            #expect(try Data(contentsOf: url) == Data("mine".utf8))
        }
    }

    @Test func aNewStoreLooksLikeCoreDatas() throws {
        try StoreFixture.run { fixture in
            #expect(try fixture.sql("PRAGMA auto_vacuum") == [[.integer(2)]])
            #expect(try fixture.sql("PRAGMA page_size") == [[.integer(4096)]])
            #expect(try fixture.sql("PRAGMA journal_mode") == [[.text("wal")]])
            let tables = try fixture.sql("SELECT sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").compactMap(
                \.[0].text)
            #expect(
                tables == [
                    "CREATE TABLE ZBADGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z5BADGES INTEGER, ZTEXT VARCHAR )",
                    "CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSHELF INTEGER, Z_FOK_SHELF INTEGER, ZCODE INTEGER, ZKIND INTEGER, "
                        + "ZISLIVE INTEGER, ZCODE11 INTEGER, ZCREATED TIMESTAMP, ZGAIN FLOAT, ZSECONDS FLOAT, ZPRICE DECIMAL, ZTITLE VARCHAR, ZCODE1 VARCHAR, ZCOVER BLOB, ZNOTES BLOB )",
                    "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSMALL INTEGER, ZSPOUSE INTEGER, ZNAME VARCHAR, ZSITE VARCHAR, ZUUID BLOB )",
                    "CREATE TABLE ZSHELF ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFLOOR INTEGER, ZFEATURED INTEGER, Z2_FEATURED INTEGER, ZNAME VARCHAR, ZROOM VARCHAR )",
                    "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZWORD VARCHAR )",
                    "CREATE TABLE Z_2TAGS ( Z_2ITEMS INTEGER, Z_7TAGS INTEGER, Z_FOK_7TAGS INTEGER, PRIMARY KEY (Z_2ITEMS, Z_7TAGS) )",
                    "CREATE TABLE Z_3AUTHORS ( Z_3BOOKS INTEGER, Z_5AUTHORS INTEGER, PRIMARY KEY (Z_3BOOKS, Z_5AUTHORS) )",
                    "CREATE TABLE Z_5FOLLOWS ( Z_5FOLLOWERS INTEGER, Z_5FOLLOWS INTEGER, Z_FOK_5FOLLOWS INTEGER, PRIMARY KEY (Z_5FOLLOWERS, Z_5FOLLOWS) )",
                    "CREATE TABLE Z_5FRIENDS ( Z_5FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_5FRIENDS, REFLEXIVE) )",
                    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
                    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
                    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
                ])
            let indexes = Set(
                try fixture.sql("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL").compactMap(
                    \.[0].text))
            #expect(
                indexes.isSuperset(of: [
                    "ZITEM_Z_ENT_INDEX", "ZITEM_ZSHELF_INDEX", "Z_Item_byTitle", "Z_Shelf_UNIQUE_name",
                    "Z_2TAGS_Z_7TAGS_INDEX", "ZBADGE_Z5BADGES_INDEX",
                ]))
        }
    }
}
