import Folio
import Foundation

/// The honest document that all hostile ones are made of: three notes, in pages of 512 bytes.
struct SmallDocument {
    static let pageSize = 512

    /// The parts of the package by their names.
    let parts: [String: [UInt8]]
    private let scratch: URL

    var manifest: String { String(decoding: parts["manifest.json"] ?? [], as: UTF8.self) }
    var store: [UInt8] { parts["store/store.sqlite"] ?? [] }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Note",
                    attributes: [
                        .init("title", .string), .init("weight", .double), .init("made", .date),
                        .init("count", .integer64), .init("price", .decimal),
                        .init("mark", .uuid), .init("data", .binary, allowsExternalBinaryDataStorage: true),
                    ],
                    relationships: [
                        .init("parent", to: "Note", inverse: "children"),
                        .init("children", to: "Note", inverse: "parent", maxCount: 0),
                        .init("links", to: "Note", inverse: "links", maxCount: 0),
                    ])
            ], versionIdentifiers: ["1"])
    }

    /// - Parameter scratch: a folder of this document's own.
    init(in scratch: URL) async throws {
        self.scratch = scratch
        let url = scratch.appendingPathComponent("small.folio")
        let document = try await PersistentDocument.create(at: url, model: Self.model(), modelName: "Notes")
        let first = try document.context.insert("Note"), second = try document.context.insert("Note"),
            third = try document.context.insert("Note")
        try document.context.obtainPermanentIDs(for: [first, second, third])
        for (note, title) in zip([first, second, third], ["First", "Second", "Third"]) {
            note["title"] = title
            note["weight"] = 1.5
            note["made"] = Date(timeIntervalSinceReferenceDate: 700_000_000)
            note["count"] = Int64(7)
            note["mark"] = UUID(uuidString: "6F0C1D52-0F5B-4C0B-9B0C-0D5B1E1A9A01")
        }
        second["parent"] = first
        third["links"] = Set([first])
        try await document.save()
        try await document.close()
        let store = url.appendingPathComponent("store/store.sqlite")
        // The model beside it serves as well, and takes less room.
        try RawDatabase.run(
            "PRAGMA journal_mode=DELETE; DELETE FROM Z_MODELCACHE; PRAGMA auto_vacuum=0; PRAGMA page_size=\(Self.pageSize); VACUUM; PRAGMA journal_mode=WAL",
            on: store.path)
        var parts: [String: [UInt8]] = [:]
        for name in ["mimetype", "manifest.json", "model/Notes.xcdatamodel/contents", "store/store.sqlite"] {
            parts[name] = try Array(Data(contentsOf: url.appendingPathComponent(name)))
        }
        let bytes = parts["store/store.sqlite"]?.count ?? 0
        let manifest = String(decoding: parts["manifest.json"] ?? [], as: UTF8.self).replacing(
            /"bytes" : [1-9][0-9]*/, with: "\"bytes\" : \(bytes)")
        parts["manifest.json"] = Array(manifest.utf8)
        self.parts = parts
    }

    /// The store after `sql` was run on it without any guard.
    func store(_ sql: String) throws -> [UInt8] {
        try withStore { try RawDatabase.run(sql + "; PRAGMA wal_checkpoint(TRUNCATE)", on: $0) }
    }

    /// The store after something was done to its file.
    func withStore(_ body: (String) throws -> Void) throws -> [UInt8] {
        let url = scratch.appendingPathComponent("changed-\(UUID().uuidString).sqlite")
        try Data(store).write(to: url)
        try body(url.path)
        return try Array(Data(contentsOf: url))
    }

    /// The store with bytes put in at an offset.
    func store(_ patches: (offset: Int, bytes: [UInt8])...) -> [UInt8] {
        var bytes = store
        for (offset, patch) in patches { bytes.replaceSubrange(offset..<offset + patch.count, with: patch) }
        return bytes
    }

    // MARK: Archives

    /// The entries of the document as an archive, with other parts in the place of its own.
    func items(_ replaced: [String: [UInt8]] = [:]) -> [ZipItem] {
        let parts = self.parts.merging(replaced) { $1 }
        return ["mimetype", "manifest.json", "model/Notes.xcdatamodel/contents", "store/store.sqlite"].map { name in
            let content = name == "mimetype" ? Array("application/vnd.folio.document+zip".utf8) : parts[name] ?? []
            return ZipItem(name, content, deflated: name != "mimetype")
        }
    }

    /// The archive with more entries at its end.
    func archive(adding items: ZipItem...) throws -> [UInt8] { try ZipBytes.archive(self.items() + items) }

    /// The archive with one of its entries changed.
    func archive(changing name: String, _ change: (inout ZipItem) -> Void) throws -> [UInt8] {
        try ZipBytes.archive(
            items().map { item in
                var item = item
                if item.name == Array(name.utf8) { change(&item) }
                return item
            })
    }

    func archive(store: [UInt8]) throws -> [UInt8] { try ZipBytes.archive(items(["store/store.sqlite": store])) }
    func archive(manifest: String) throws -> [UInt8] {
        try ZipBytes.archive(items(["manifest.json": Array(manifest.utf8)]))
    }
}
