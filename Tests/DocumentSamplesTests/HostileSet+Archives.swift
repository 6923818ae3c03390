/// Archives that lie about names, kinds, sizes and places.
extension HostileSet {
    func makeArchives() throws {
        try makeNames()
        try makeKinds()
        try makeSizes()
        try makeWholes()
    }

    private func makeNames() throws {
        let names: [(String, String)] = [
            ("name-absolute", "/tmp/folio-escaped"), ("name-parent", "../folio-escaped"),
            ("name-inner-parent", "extra/../../folio-escaped"),
            ("name-backslash", "extra\\..\\..\\folio-escaped"), ("name-drive", "C:folio-escaped"),
            ("name-nul", "extra/a\u{0}b"),
            ("name-control", "extra/\u{1B}[2J"), ("name-direction", "extra/\u{202E}cod.exe"), ("name-dot", "extra/./a"),
            ("name-empty-part", "extra//a"),
            ("name-long-part", "extra/" + String(repeating: "a", count: 256)),
            ("name-long", "extra" + String(repeating: "/" + String(repeating: "a", count: 200), count: 6)),
            ("name-deep", "extra" + String(repeating: "/a", count: 17)),
            ("planted-wal", "store/store.sqlite-wal"), ("planted-journal", "store/store.sqlite-journal"),
            ("planted-shm", "store/store.sqlite-shm"),
            ("planted-lock", "extra/.Name.folio.lock"), ("planted-temporary", ".Name.folio.tmp-0123456789abcdef"),
            ("planted-discarded", "versions/discarded.wal"),
            ("stranger", "install.sh"), ("stranger-in-store", "store/other.sqlite"),
        ]
        for (file, name) in names { try self.file("\(file).folioz", small.archive(adding: ZipItem(name, [1, 2, 3]))) }
        try file(
            "name-not-utf8.folioz",
            small.archive(adding: ZipItem("x", [1]) { $0.name = Array("extra/".utf8) + [0xFF, 0xFE] }))
        try file("name-empty.folioz", small.archive(adding: ZipItem("", [1])))
        try file("duplicate.folioz", small.archive(adding: ZipItem("store/store.sqlite", [1])))
        try file("duplicate-case.folioz", small.archive(adding: ZipItem("MANIFEST.json", [1])))
        try file("duplicate-case-extra.folioz", small.archive(adding: ZipItem("extra/A", [1]), ZipItem("extra/a", [1])))
        try file(
            "duplicate-normalized.folioz",
            small.archive(adding: ZipItem("extra/\u{E9}", [1]), ZipItem("extra/e\u{301}", [1])))
        try file("file-and-folder.folioz", small.archive(adding: ZipItem("extra/a", [1]), ZipItem("extra/a/b", [1])))
        try file(
            "two-names.folioz", small.archive(changing: "manifest.json") { $0.localName = Array("mimetype.json".utf8) })
    }

    private func makeKinds() throws {
        for (name, mode) in [
            ("symlink", 0o120777), ("fifo", 0o010644), ("character-device", 0o020644), ("block-device", 0o060644),
            ("socket", 0o140755), ("set-user", 0o104755),
        ] as [(String, UInt32)] {
            try file(
                "entry-\(name).folioz",
                small.archive(adding: ZipItem("extra/a", Array("/etc/passwd".utf8)) { $0.mode = mode }))
        }
        try file(
            "entry-folder-with-content.folioz",
            small.archive(adding: ZipItem("extra/a/", [1, 2, 3]) { $0.mode = 0o040755 }))
        try file("encrypted.folioz", small.archive(changing: "store/store.sqlite") { $0.flags = 1 })
        try file("encrypted-strongly.folioz", small.archive(changing: "store/store.sqlite") { $0.flags = 1 << 6 | 1 })
        for (name, method) in [("lzma", 14), ("xz", 95), ("unknown", 1234)] as [(String, UInt16)] {
            try file("method-\(name).folioz", small.archive(changing: "store/store.sqlite") { $0.method = method })
        }
    }

    private func makeSizes() throws {
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        try file("bomb.folioz", small.archive(adding: ZipItem("extra/bomb", zeros, deflated: true)))
        try file("bomb-in-store.folioz", small.archive(changing: "store/store.sqlite") { $0.content = zeros })
        try file(
            "bomb-lying.folioz", small.archive(adding: ZipItem("extra/bomb", zeros, deflated: true) { $0.size = 1000 }))
        try file(
            "bomb-in-manifest.folioz",
            small.archive(changing: "manifest.json") { item in
                item.content = Array("{".utf8) + [UInt8](repeating: 0x20, count: 8 << 20)
                item.size = 1000
            })
        try file("size-smaller.folioz", small.archive(changing: "manifest.json") { $0.size = 10 })
        try file("size-larger.folioz", small.archive(changing: "manifest.json") { $0.size = 100_000 })
        try file("size-of-stored.folioz", small.archive(adding: ZipItem("extra/a", [1, 2, 3]) { $0.size = 100_000 }))
        try file("size-zip64.folioz", small.archive(adding: ZipItem("extra/a", [1, 2, 3]) { $0.size = 1 << 63 }))
        try file(
            "size-zip64-large.folioz",
            small.archive(adding: ZipItem("extra/a", [1, 2, 3], deflated: true) { $0.size = 1 << 61 }))
        try file("offset-zip64.folioz", small.archive(adding: ZipItem("extra/a", [1, 2, 3]) { $0.offset = 1 << 62 }))
        try file(
            "offset-behind.folioz", small.archive(adding: ZipItem("extra/a", [1, 2, 3]) { $0.offset = 0xFFFF_FF00 }))
        try file(
            "overlap.folioz",
            small.archive(
                adding: ZipItem("extra/a", [1]) { item in
                    item.offset = 0
                    item.localName = item.name
                }))
        try file("too-many.folioz", ZipBytes.archive(small.items(), count: 200_000))
        try file("count-zip64.folioz", ZipBytes.archive(small.items(), count: 1 << 63))
    }

    private func makeWholes() throws {
        let good = try ZipBytes.archive(small.items())
        try file("truncated.folioz", Array(good[..<(good.count / 2)]))
        try file("truncated-directory.folioz", Array(good[..<(good.count - 40)]))
        try file("truncated-end.folioz", Array(good[..<(good.count - 1)]))
        try file("junk-before.folioz", Array("#!/bin/sh\n".utf8) + good)
        try file("junk-after.folioz", good + Array("junk".utf8))
        try file("comment.folioz", ZipBytes.archive(small.items(), comment: Array("PK".utf8)))
        try file("checksum.folioz", small.archive(adding: ZipItem("extra/a", [1, 2, 3]) { $0.crc = 1 }))
        try file("checksum-of-store.folioz", small.archive(changing: "store/store.sqlite") { $0.crc = 1 })
        try file(
            "checksum-of-stored-store.folioz",
            small.archive(changing: "store/store.sqlite") { item in
                item.isDeflated = false
                item.crc = 1
            })
        try file(
            "no-store.folioz", ZipBytes.archive(small.items().filter { $0.name != Array("store/store.sqlite".utf8) }))
        try file(
            "no-manifest.folioz", ZipBytes.archive(small.items().filter { $0.name != Array("manifest.json".utf8) }))
        try file(
            "another-type.folioz",
            small.archive(changing: "mimetype") { $0.content = Array("application/epub+zip".utf8) })
        try file("empty.folioz", ZipBytes.archive([]))
        try file("nothing.folioz", [])
    }
}
