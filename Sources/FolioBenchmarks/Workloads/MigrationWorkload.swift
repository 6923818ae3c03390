import CSQLite
import Folio
import Foundation

/// The store of a document brought to another version of its model, from opening to the last page
/// in the main file.
enum MigrationWorkload {
    static func folio(_ workload: Workload, _ document: URL) throws -> Measurement {
        let store = document.appendingPathComponent("store/store.sqlite")
        let old = try Item.model(), new = try model(workload)
        let watch = Stopwatch()
        var description = PersistentStoreDescription(url: store)
        description.createsIfMissing = false
        let plan = workload == .w9Split ? try splitPlan(old, new) : try MigrationPlan.inferred(from: old, to: new)
        try SQLitePersistentStore.migrate(description, [plan])
        return try measured(watch, workload, store.path)
    }

    static func hand(_ workload: Workload, _ store: String) throws -> Measurement {
        let watch = Stopwatch()
        let database = try HandDatabase(store)
        try database.execute("BEGIN IMMEDIATE")
        for statement in statements(workload) { try database.execute(statement) }
        try database.execute("COMMIT")
        try database.checkpoint()
        database.close()
        return try measured(watch, workload, store)
    }

    /// The time so far, and then, untimed, what there is to show for it.
    private static func measured(_ watch: Stopwatch, _ workload: Workload, _ store: String) throws -> Measurement {
        var measurement = watch.measurement(checksum: 0)
        measurement.checksum = try checksum(workload, store)
        return measurement
    }

    // MARK: Versions

    private static func model(_ workload: Workload) throws -> ManagedObjectModel {
        var description = try Item.model().definition
        var item = description.entities[0]
        func attribute(_ name: String) -> AttributeDescription? { item.attributes.first { $0.name == name } }
        switch workload {
        case .w9Add:
            item.attributes.append(AttributeDescription("state", .integer16, isOptional: false, defaultValue: .int(1)))
        case .w9Rename:
            for index in item.attributes.indices where item.attributes[index].name == "number" {
                item.attributes[index].name = "amount"
                item.attributes[index].renamingIdentifier = "number"
            }
        case .w9Drop: item.attributes.removeAll { $0.name == "ratio" }
        case .w9Split:
            let moved = ["ratio", "created", "identifier"].compactMap(attribute)
            item.attributes.removeAll { moved.contains($0) }
            item.relationships.append(RelationshipDescription("detail", to: "Detail", inverse: "item"))
            description.entities.append(
                EntityDefinition(
                    "Detail", attributes: moved,
                    relationships: [RelationshipDescription("item", to: Item.entityName, inverse: "detail")]))
        default: throw BenchmarkError("\(workload.rawValue) is no migration")
        }
        description.entities[0] = item
        return try ManagedObjectModel(description)
    }

    /// One entity becomes two, as a mapping model says it.
    private static func splitPlan(_ old: ManagedObjectModel, _ new: ManagedObjectModel) throws -> MigrationPlan {
        func mapping(_ name: String, _ entity: String, _ attributes: [String], _ relationships: [PropertyMapping])
            throws -> EntityMapping
        {
            EntityMapping(
                name, .transform, from: Item.entityName, to: entity,
                attributeMappings: try attributes.map {
                    PropertyMapping($0, valueExpression: try QueryExpression(format: "$source.\($0)"))
                }, relationshipMappings: relationships)
        }
        let detail = try QueryExpression(
            format:
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"Details\", $source)"
        )
        let model = MappingModel(entityMappings: [
            try mapping(
                "Items", Item.entityName, ["name", "number", "flag"],
                [PropertyMapping("detail", valueExpression: detail)]),
            try mapping("Details", "Detail", ["ratio", "created", "identifier"], []),
        ])
        guard let plan = MigrationPlan.equivalent(to: model, from: old, to: new) else {
            throw BenchmarkError("the split is not done in place")
        }
        return plan
    }

    // MARK: Manual control

    private static func statements(_ workload: Workload) -> [String] {
        switch workload {
        case .w9Add: ["ALTER TABLE ZITEM ADD COLUMN ZSTATE INTEGER DEFAULT 1"]
        case .w9Rename: ["ALTER TABLE ZITEM RENAME COLUMN ZNUMBER TO ZAMOUNT"]
        case .w9Drop: ["ALTER TABLE ZITEM DROP COLUMN ZRATIO"]
        default:
            [
                "CREATE TABLE ZDETAIL (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZITEM INTEGER, ZCREATED TIMESTAMP, ZRATIO FLOAT, ZIDENTIFIER BLOB)",
                "INSERT INTO ZDETAIL SELECT Z_PK, 1, Z_OPT, Z_PK, ZCREATED, ZRATIO, ZIDENTIFIER FROM ZITEM ORDER BY Z_PK",
                "CREATE TABLE NEWITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFLAG INTEGER, ZNUMBER INTEGER, ZDETAIL INTEGER, ZNAME VARCHAR)",
                "INSERT INTO NEWITEM SELECT Z_PK, 2, Z_OPT, ZFLAG, ZNUMBER, Z_PK, ZNAME FROM ZITEM ORDER BY Z_PK",
                "DROP TABLE ZITEM", "ALTER TABLE NEWITEM RENAME TO ZITEM",
                "CREATE INDEX ZITEM_ZDETAIL_INDEX ON ZITEM (ZDETAIL)",
                "CREATE INDEX ZDETAIL_ZITEM_INDEX ON ZDETAIL (ZITEM)",
            ]
        }
    }

    /// What is in the tables afterwards, whoever made them.
    private static func checksum(_ workload: Workload, _ store: String) throws -> UInt64 {
        let columns =
            switch workload {
            case .w9Add: "count(*), sum(ZNUMBER), sum(ZRATIO), sum(ZFLAG), sum(ZSTATE), sum(length(ZNAME)) FROM ZITEM"
            case .w9Rename:
                "count(*), sum(ZAMOUNT), sum(ZRATIO), sum(ZFLAG), sum(length(ZNAME)), sum(length(ZIDENTIFIER)) FROM ZITEM"
            case .w9Drop:
                "count(*), sum(ZNUMBER), sum(ZFLAG), sum(length(ZNAME)), sum(length(ZIDENTIFIER)), max(ZCREATED) FROM ZITEM"
            default:
                "count(*), sum(ZNUMBER), sum(ZFLAG), sum(length(ZNAME)), sum(ZRATIO), sum(d.ZITEM = i.Z_PK) FROM ZITEM i JOIN ZDETAIL d ON i.ZDETAIL = d.Z_PK"
            }
        let database = try HandDatabase(store)
        defer { database.close() }
        let statement = try database.prepare("SELECT \(columns)")
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw BenchmarkError("the migrated store can't be read") }
        var checksum = Checksum()
        for column in 0..<6 { checksum.add(sqlite3_column_double(statement, Int32(column)).bitPattern) }
        return checksum.value
    }
}
