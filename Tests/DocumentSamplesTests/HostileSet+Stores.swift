import Foundation

/// Stores whose schema runs code, whose pages lie, and whose cells hold what no attribute can.
extension HostileSet {
    func makeStores() throws {
        try makeSchemas()
        try makePages()
        try makeValues()
        try makePackages()
    }

    private func makeSchemas() throws {
        let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
        let schemas: [(String, String)] = [
            ("trigger", "CREATE TRIGGER t AFTER INSERT ON ZNOTE BEGIN DELETE FROM ZNOTE; END"),
            (
                "trigger-endless",
                "CREATE TRIGGER t AFTER UPDATE ON Z_METADATA BEGIN INSERT INTO Z_PRIMARYKEY \(endless) SELECT 100 + x, 'x', 0, 0 FROM c; END"
            ),
            ("view", "CREATE VIEW v AS SELECT load_extension('/tmp/folio-escaped')"),
            ("view-for-table", "ALTER TABLE ZNOTE RENAME TO ZOTHER; CREATE VIEW ZNOTE AS SELECT * FROM ZOTHER"),
            (
                "view-endless",
                "ALTER TABLE Z_METADATA RENAME TO M; CREATE VIEW Z_METADATA AS \(endless) SELECT x AS Z_VERSION, 'u' AS Z_UUID, x AS Z_PLIST FROM c ORDER BY x DESC"
            ),
            (
                "view-zeroblob",
                "ALTER TABLE Z_METADATA RENAME TO M; CREATE VIEW Z_METADATA AS SELECT 1 AS Z_VERSION, 'u' AS Z_UUID, zeroblob(1000000000) AS Z_PLIST"
            ),
            (
                "view-group-bomb",
                "ALTER TABLE Z_PRIMARYKEY RENAME TO P; CREATE VIEW Z_PRIMARYKEY AS \(endless) SELECT x AS Z_ENT, group_concat(x) AS Z_NAME, 0 AS Z_SUPER, 0 AS Z_MAX FROM c GROUP BY x % 7"
            ),
            ("check", "CREATE TABLE x (a CHECK (a > random()))"),
            ("generated", "CREATE TABLE x (a, b AS (a || zeroblob(100000000)))"),
            ("default", "CREATE TABLE x (a DEFAULT (load_extension('x')))"),
            ("index-expression", "CREATE INDEX i ON ZNOTE (abs(Z_PK))"),
            ("index-partial", "CREATE INDEX i ON ZNOTE (Z_PK) WHERE Z_OPT > 0"),
            (
                "virtual-table",
                "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema VALUES ('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING dbstat')"
            ),
            ("text", "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'garbage' WHERE name = 'ZNOTE'"),
            (
                "types",
                "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, 'Z_PK INTEGER PRIMARY KEY', 'Z_PK INTEGER') WHERE name = 'ZNOTE'"
            ),
            ("column-gone", "ALTER TABLE ZNOTE DROP COLUMN ZTITLE"), ("table-gone", "DROP TABLE ZNOTE"),
            ("numbers-gone", "DELETE FROM Z_PRIMARYKEY"),
            ("root-page", "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'ZNOTE'"),
            (
                "root-page-shared",
                "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'Z_METADATA') WHERE name = 'ZNOTE'"
            ),
        ]
        for (name, sql) in schemas { try file("schema-\(name).folioz", small.archive(store: small.store(sql))) }
        // The same in a folder, where an editor would open it in place.
        try package("schema-trigger.folio", store: small.store(schemas[0].1))
        try package("schema-view-for-table.folio", store: small.store(schemas[3].1))
        // A store by itself may have triggers, and keeps them.
        try file(
            "trigger-endless.sqlite",
            small.store(
                "CREATE TRIGGER t AFTER INSERT ON ZNOTE BEGIN INSERT INTO Z_PRIMARYKEY \(endless) SELECT 100 + x, 'x', 0, 0 FROM c; END"
            ))
        try file(
            "trigger-extension.sqlite",
            small.store("CREATE TRIGGER t AFTER INSERT ON ZNOTE BEGIN SELECT load_extension('/tmp/folio-escaped'); END")
        )
    }

    private func makePages() throws {
        let page = SmallDocument.pageSize
        func root(_ name: String) throws -> Int {
            var number = 0
            _ = try small.withStore { number = try RawDatabase.rootPage(of: name, in: $0) }
            return number
        }
        func offset(_ number: Int) -> Int { (number - 1) * page }
        let notes = try root("ZNOTE")
        let noise = (0..<page).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        let big: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
        let stores: [(String, [UInt8])] = [
            ("noise", small.store((offset(notes), noise))),
            ("schema-noise", small.store((100, Array(noise.prefix(page - 100))))),
            ("size-777", small.store((16, [3, 9]))), ("size-1", small.store((16, [0, 1]))),
            ("size-0", small.store((16, [0, 0]))),
            ("reserved", small.store((20, [255]))), ("encoding", small.store((56, [0, 0, 0, 9]))),
            ("format", small.store((44, [0, 0, 0, 200]))),
            ("write-version", small.store((18, [9, 9]))),
            // A page that is its own child.
            (
                "loop",
                small.store(
                    (offset(notes), [5, 0, 0, 0, 0, 0, 0, 0, 0] + Array(ZipBytes.number(UInt32(notes)).reversed())))
            ),
            ("cell-count", small.store((offset(notes) + 3, [0xFF, 0xFF]))),
            ("cell-pointer", small.store((offset(notes) + 8, [0xFF, 0xFF, 0, 1]))),
            (
                "freelist-loop",
                small.store((32, [0, 0, 0, UInt8(notes), 0, 0, 0, 9]), (offset(notes), [0, 0, 0, UInt8(notes)] + big))
            ),
            ("truncated", Array(small.store.prefix(small.store.count - 3 * page - 7))),
            ("header-alone", Array(small.store.prefix(100))),
            ("empty", []), ("text", Array("just some text".utf8)),
        ]
        for (name, bytes) in stores { try file("pages-\(name).folioz", small.archive(store: bytes)) }
        try package("pages-noise.folio", store: stores[0].1)
        try package(
            "pages-loop.folio",
            store: small.store(
                (offset(notes), [5, 0, 0, 0, 0, 0, 0, 0, 0] + Array(ZipBytes.number(UInt32(notes)).reversed()))))
        try file("pages-truncated.sqlite", stores[13].1)
        // In place, page by page, when the entry is not compressed.
        try file(
            "pages-noise-stored.folioz",
            small.archive(changing: "store/store.sqlite") { item in
                item.content = stores[0].1
                item.isDeflated = false
            })
        // Overflow pages of a value that lead to themselves.
        let long = try small.store("UPDATE ZNOTE SET ZTITLE = hex(zeroblob(3000)) WHERE Z_PK = 1")
        var looped = long
        for start in stride(from: 0, to: looped.count, by: page)
        where looped[start..<start + 4].contains(where: { $0 != 0 })
            && looped[start + 4..<start + 200].allSatisfy({ $0 == 0x30 })
        {
            looped.replaceSubrange(start..<start + 4, with: ZipBytes.number(UInt32(start / page + 1)).reversed())
        }
        try file("pages-overflow-loop.folioz", small.archive(store: looped))
    }

    private func makeValues() throws {
        let escape = "char(27) || '[2J' || char(7) || char(8238) || 'x'"
        let name =
            "X'02"
            + "../../../../../../../etc/passwd\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}".utf8.prefix(36).map {
                String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }.joined() + "00'"
        let missing =
            "X'02"
            + "6F0C1D52-0F5B-4C0B-9B0C-0D5B1E1A9A01".utf8.map {
                String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
            }.joined() + "00'"
        let values: [(String, String)] = [
            ("not-utf8", "UPDATE ZNOTE SET ZTITLE = CAST(X'C3284FFE41' AS TEXT) WHERE Z_PK = 1"),
            ("nul", "UPDATE ZNOTE SET ZTITLE = 'a' || char(0) || 'b' WHERE Z_PK = 1"),
            (
                "infinities",
                "UPDATE ZNOTE SET ZWEIGHT = 9e999 WHERE Z_PK = 1; UPDATE ZNOTE SET ZWEIGHT = -9e999, ZMADE = 9e999 WHERE Z_PK = 2"
            ),
            (
                "dates",
                "UPDATE ZNOTE SET ZMADE = 1e300 WHERE Z_PK = 1; UPDATE ZNOTE SET ZMADE = -9e18 WHERE Z_PK = 2; UPDATE ZNOTE SET ZMADE = 'soon' WHERE Z_PK = 3"
            ),
            (
                "integers",
                "UPDATE ZNOTE SET ZCOUNT = 9223372036854775807, Z_OPT = 9223372036854775807 WHERE Z_PK = 1; UPDATE ZNOTE SET ZCOUNT = -9223372036854775808 WHERE Z_PK = 2"
            ),
            (
                "wrong-types",
                "UPDATE ZNOTE SET ZTITLE = X'0102', ZWEIGHT = 'x', ZCOUNT = X'FF', ZMARK = 'short', ZPRICE = X'00', Z_OPT = 'x' WHERE Z_PK = 1"
            ),
            (
                "decimal",
                "UPDATE ZNOTE SET ZPRICE = '1e999999999' WHERE Z_PK = 1; UPDATE ZNOTE SET ZPRICE = hex(zeroblob(2000)) WHERE Z_PK = 2"
            ),
            (
                "dangling",
                "UPDATE ZNOTE SET ZPARENT = 9223372036854775807 WHERE Z_PK = 1; UPDATE ZNOTE SET ZPARENT = -5 WHERE Z_PK = 2"
            ),
            ("cycle", "UPDATE ZNOTE SET ZPARENT = Z_PK % 3 + 1"),
            ("entity", "UPDATE ZNOTE SET Z_ENT = 99 WHERE Z_PK = 1; UPDATE ZNOTE SET Z_ENT = NULL WHERE Z_PK = 2"),
            (
                "keys",
                "UPDATE ZNOTE SET Z_PK = 9223372036854775807 WHERE Z_PK = 3; UPDATE ZNOTE SET Z_PK = -9223372036854775808 WHERE Z_PK = 2"
            ),
            ("file-name", "UPDATE ZNOTE SET ZDATA = \(name) WHERE Z_PK = 1"),
            ("file-missing", "UPDATE ZNOTE SET ZDATA = \(missing) WHERE Z_PK = 1"),
            ("zeroblob", "UPDATE ZNOTE SET ZDATA = zeroblob(3000000) WHERE Z_PK = 1"),
            ("escapes", "UPDATE ZNOTE SET ZTITLE = \(escape) WHERE Z_PK = 1"),
            ("numbers-max", "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807"),
            ("entity-names", "UPDATE Z_PRIMARYKEY SET Z_NAME = \(escape)"),
            ("entity-doubled", "INSERT INTO Z_PRIMARYKEY VALUES (77, 'Note', 0, 5)"),
            ("entity-own-parent", "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT"),
            (
                "regular-expression",
                "UPDATE ZNOTE SET ZTITLE = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' WHERE Z_PK = 1"
            ),
        ]
        for (name, sql) in values { try file("value-\(name).folioz", small.archive(store: small.store(sql))) }
    }

    private func makePackages() throws {
        let outside = "../outside.txt"
        try file("outside.txt", "Nobody reads or writes this.\n")
        // Sound parts of a document, so that a link that is followed would work.
        for (part, bytes) in [
            ("store", "store/store.sqlite"), ("Notes.xcdatamodel", "model/Notes.xcdatamodel/contents"),
        ] {
            let url = folder.appendingPathComponent("outside").appendingPathComponent(part).appendingPathComponent(
                URL(fileURLWithPath: bytes).lastPathComponent)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(small.parts[bytes] ?? []).write(to: url)
        }
        try package("store-link.folio") { try link($0, "store/store.sqlite", to: "../../outside.txt") }
        try package("store-folder-link.folio") { package in
            try FileManager.default.removeItem(at: package.appendingPathComponent("store"))
            try link(package, "store", to: "../outside/store")
        }
        try package("manifest-link.folio") { try link($0, "manifest.json", to: outside) }
        try package("model-link.folio", ["model/Notes.xcdatamodel/contents": nil]) { package in
            try FileManager.default.createDirectory(
                at: package.appendingPathComponent("model"), withIntermediateDirectories: true)
            try link(package, "model/Notes.xcdatamodel", to: "../../outside/Notes.xcdatamodel")
        }
        try package("wal-link.folio") { try link($0, "store/store.sqlite-wal", to: "../../outside.txt") }
        // SQLite would delete what this names, once it looks at the store.
        let master = Array("../../outside.txt".utf8)
        let sum = master.reduce(0) { $0 + UInt32($1) }
        let pointer: [UInt8] =
            Array(ZipBytes.number(UInt32(2)).reversed()) + master
            + Array(ZipBytes.number(UInt32(master.count)).reversed())
            + Array(ZipBytes.number(sum).reversed())
        let journal: [UInt8] =
            [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] + [UInt8](repeating: 0, count: 504) + pointer
            + [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        try package("journal.folio", ["store/store.sqlite-journal": journal])
        try file("journal.sqlite", small.store)
        try file("journal.sqlite-journal", journal)
        try package(
            "wal-noise.folio", ["store/store.sqlite-wal": (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 31) }])
        try package(
            "shm-noise.folio",
            [
                "store/store.sqlite-wal": (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 31) },
                "store/store.sqlite-shm": [UInt8](repeating: 0xFF, count: 32768),
            ])
        try package("beside-store.folio", ["store/other": [1]])
        try package("no-manifest.folio", ["manifest.json": nil])
        try package("no-store.folio", ["store/store.sqlite": nil])
    }
}
