import FileSystem
import Foundation
import SQLiteFile
import SQLiteKit

extension Reader {
    static func modelContents(_ fixtures: Fixtures) throws -> [UInt8] {
        try fixtures.bytes(fixtures.package + "/model/Expeditions.xcdatamodel/contents")
    }

    /// What the store of a document says of itself.
    static func metadata(_ fixtures: Fixtures) throws -> [UInt8] { try documentMetadata(fixtures.store) }

    static func documentMetadata(_ store: String) throws -> [UInt8] {
        let connection = try Connection(store, .readWrite)
        defer { try? connection.close() }
        return try connection.value("SELECT Z_PLIST FROM Z_METADATA")?.blob ?? []
    }

    static let mappingModel = """
        <?xml version="1.0"?>
        <database><databaseInfo><version>134481920</version><UUID>A</UUID><nextObjectID>110</nextObjectID></databaseInfo>
        <object type="XDDEVMAPPINGMODEL" id="z102"><attribute name="sourcemodelpath" type="string">A</attribute><attribute name="destinationmodelpath" type="string">B</attribute>
        <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship></object>
        <object type="XDDEVENTITYMAPPING" id="z103"><attribute name="mappingtypename" type="string">Undefined</attribute><attribute name="mappingnumber" type="int16">1</attribute>
        <attribute name="destinationname" type="string">E</attribute><attribute name="sourcename" type="string">E</attribute><attribute name="autogenerateexpression" type="bool">1</attribute>
        <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL" idrefs="z102"></relationship>
        <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z104"></relationship></object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z104"><attribute name="name" type="string">a</attribute></object></database>
        """

    /// A database of a few pages, with rows that go on in other pages and inner pages of a b-tree.
    static func smallDatabase(_ place: String) throws -> [UInt8] {
        let path = place + ".seed"
        let connection = try Connection(path, .create)
        try connection.execute("PRAGMA page_size=512; CREATE TABLE t(Z_PK INTEGER PRIMARY KEY, a, b)")
        for number in 1...40 {
            try connection.run(
                "INSERT INTO t VALUES(?, ?, ?)",
                [.integer(Int64(number)), .text(String(repeating: "x", count: number * 20)), .real(Double(number))])
        }
        try connection.execute("DELETE FROM t WHERE Z_PK % 9 = 0")
        try connection.close()
        return try Disk.read(path, limit: 1 << 20)
    }

    /// Reads every page that the schema leads to, and those that it does not.
    static func readPages(_ database: DamagedDatabase) {
        var roots: [Int] = []
        for leaf in database.tree(root: 1).leaves {
            _ = database.forEachRow(ofLeaf: leaf.page) { row in
                _ = database.text(row[0])
                if let root = row[3].integer { roots.append(Int(clamping: root)) }
            }
        }
        var pages = roots.flatMap { database.tree(root: $0).leaves.map(\.page) }
        pages += database.strayLeaves()
        for page in pages { _ = database.forEachRow(ofLeaf: page) { _ = $0.cells } }
    }

    /// Reads a table by SQLite, and by the scan that goes past it.
    static func readTable(_ path: String) throws {
        let connection = try Connection.openForReading(path, busyTimeout: 0, attempts: 1)
        defer { try? connection.close() }
        _ = try connection.rows("SELECT Z_PK, a, b FROM t LIMIT 1000")
        _ = try connection.pages.scanning("t", [.named("Z_PK"), .named("a"), .named("b")]) { scan in
            try scan.forEachRow { _ = $0 }
        }
    }

}
