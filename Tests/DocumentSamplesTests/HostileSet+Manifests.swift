/// Manifests, model files and property lists that want to be read for ever, or to be taken for
/// something else.
extension HostileSet {
    func makeManifests() throws {
        let manifest = small.manifest
        func replacing(_ key: Regex<Substring>, _ text: String) -> String { manifest.replacing(key, with: text) }
        let deep = String(repeating: "[", count: 10_000)
        try file(
            "manifest-deep.folioz",
            small.archive(manifest: "{\"format\":" + deep + String(repeating: "]", count: 10_000) + "}"))
        try file(
            "manifest-duplicate-key.folioz",
            small.archive(manifest: manifest.replacing("{", with: "{\"uuid\":\"A\",", maxReplacements: 1)))
        // Not so even that it would be a bomb.
        let lines = (0..<12_000).map { "\"\($0)\(String(repeating: "a", count: 90))\"" }.joined(separator: ",")
        try file("manifest-huge.folioz", small.archive(manifest: "{\"x\":[\(lines)]}"))
        try file(
            "manifest-types.folioz", small.archive(manifest: replacing(/"generation" : \d+/, "\"generation\" : \"x\"")))
        try file(
            "manifest-number.folioz", small.archive(manifest: replacing(/"generation" : \d+/, "\"generation\" : 1e999"))
        )
        try file(
            "manifest-newer.folioz",
            small.archive(manifest: replacing(/"minimumReader" : \d+/, "\"minimumReader\" : 99")))
        try file(
            "manifest-older-format.folioz",
            small.archive(manifest: replacing(/"format" : "folio-document"/, "\"format\" : \"other\"")))
        try file(
            "manifest-uuid-path.folioz",
            small.archive(manifest: replacing(/"uuid" : "[^"]*"/, "\"uuid\" : \"../../../folio-escaped\"")))
        try file(
            "manifest-model-path.folioz",
            small.archive(manifest: replacing(/"name" : "Notes"/, "\"name\" : \"../../etc\"")))
        try file(
            "manifest-another-uuid.folioz",
            small.archive(
                manifest: replacing(/"uuid" : "[^"]*"/, "\"uuid\" : \"6F0C1D52-0F5B-4C0B-9B0C-0D5B1E1A9A01\"")))
        try file(
            "manifest-ahead.folioz", small.archive(manifest: replacing(/"generation" : \d+/, "\"generation\" : 900")))
        try file("manifest-text.folioz", small.archive(manifest: "not JSON at all"))
        try file(
            "manifest-not-utf8.folioz", ZipBytes.archive(small.items(["manifest.json": [0x7B, 0xFF, 0xFE, 0x7D]])))
        try file("manifest-empty.folioz", small.archive(manifest: ""))
    }

    func makeModels() throws {
        let bomb =
            "<?xml version=\"1.0\"?><!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\">"
            + (0..<20).map { number in
                "<!ENTITY a\(number) \"" + String(repeating: number == 0 ? "&a;" : "&a\(number - 1);", count: 10)
                    + "\">"
            }.joined() + "]>"
        let external = "<?xml version=\"1.0\"?><!DOCTYPE m [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>"
        func nested(_ count: Int) -> String { String(repeating: "<a>", count: count) }
        try file("entities.xcdatamodel.xml", bomb + "<model>&a19;</model>")
        for (name, text) in [
            ("entity-bomb", bomb + "<model><entity name=\"&a19;\"/></model>"),
            ("external-entity", external + "<model><entity name=\"&a;\"/></model>"),
            ("nested", "<?xml version=\"1.0\"?><model>" + nested(20_000)),
        ] {
            try package("model-\(name).folio", ["model/Notes.xcdatamodel/contents": Array(text.utf8)])
        }
        let head = "<?xml version=\"1.0\"?>"
        try file("store-entity-bomb.xml", bomb + "<database><databaseInfo>&a19;</databaseInfo></database>")
        try file("store-external-entity.xml", external + "<database><databaseInfo>&a;</databaseInfo></database>")
        try file("store-nested.xml", head + "<database>" + nested(20_000))
        try file(
            "store-nested-closed.xml",
            head + "<database>" + nested(2_000) + String(repeating: "</a>", count: 2_000) + "</database>")
    }

    /// Property lists in the place of the store's metadata.
    func makePropertyLists() throws {
        func store(_ plist: [UInt8]) throws -> [UInt8] {
            let digits = plist.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return try small.store("UPDATE Z_METADATA SET Z_PLIST = X'\(digits)'")
        }
        func binary(_ objects: [[UInt8]]) -> [UInt8] {
            var bytes = Array("bplist00".utf8)
            var offsets: [Int] = []
            for object in objects {
                offsets.append(bytes.count)
                bytes += object
            }
            let table = bytes.count
            for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
            bytes += [0, 0, 0, 0, 0, 0, 2, 1]
            for number in [UInt64(objects.count), 0, UInt64(table)] {
                bytes += withUnsafeBytes(of: number.bigEndian) { Array($0) }
            }
            return bytes
        }
        try file("metadata-text.folioz", small.archive(store: store(Array("not a property list".utf8))))
        // Each array holds the next one fifteen times: some 500 bytes that stand for 15^30 objects.
        try file(
            "metadata-bomb.folioz",
            small.archive(
                store: store(
                    binary((0..<30).map { [0xAE] + [UInt8](repeating: UInt8($0 + 1), count: 14) } + [[0x10, 1]]))))
        try file("metadata-loop.folioz", small.archive(store: store(binary([[0xA1, 0]]))))
        try file(
            "metadata-deep.folioz",
            small.archive(store: store(binary((0..<200).map { [0xA1, UInt8($0 + 1)] } + [[0x10, 1]]))))
        try file(
            "metadata-count.folioz",
            small.archive(store: store(binary([[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]))))
        try file(
            "metadata-null.folioz",
            small.archive(store: small.store("UPDATE Z_METADATA SET Z_PLIST = NULL, Z_UUID = NULL")))
        try file("metadata-gone.folioz", small.archive(store: small.store("DELETE FROM Z_METADATA")))
    }
}
