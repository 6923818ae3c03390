import Folio
import Foundation
import RowMemory

/// Writes all objects of a store in the formats of `folio export`, reading several thousand rows at
/// a time.
struct DocumentExporter {
    private let store: any StoreBackend
    private let console: Console
    private let writers: [ObjectWriter]
    /// The entities to export, sorted by name.
    private let entities: [EntityDescription]
    /// Whether the export is of all objects.
    private let isWhole: Bool
    private let written = Written()
    private static let batchSize = 16_384

    /// What was written so far.
    private final class Written {
        var rows = 0
        /// References that lead to no object and were written as null.
        var lostLinks = 0
    }

    /// - Parameter entityName: The entity whose objects are written, without those of its
    ///   sub-entities; nil for all entities.
    init(store: any StoreBackend, entityName: String?, console: Console) throws {
        self.store = store
        self.console = console
        let model = store.identity.model
        let prefixes = store.identity.uriPrefixes
        isWhole = entityName == nil
        writers = model.entities.map { ObjectWriter(entity: $0, layout: store.layouts[$0.index], prefixes: prefixes) }
        if let entityName {
            entities = [try EntityLookup.entity(named: entityName, in: model)]
        } else {
            // Another program may have given rows the number of an abstract entity.
            entities = try model.entities.filter {
                try !$0.isAbstract || store.count(RowRequest(entityIndex: $0.index, includesSubentities: false)) > 0
            }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
    }

    /// Checks that nothing of the store is missing in what was written, and says what reads as nil.
    func finish() throws {
        let omissions = try store.omissions()
        OmissionNote.say(cells: omissions.cells, links: omissions.links + written.lostLinks, console)
        guard isWhole else { return }
        let stored = try store.checkRowCounts()
        guard stored == written.rows else {
            throw StorageError(.damaged, "Of \(stored) rows \(written.rows) were written")
        }
    }

    /// Calls `body` with each row of an entity, in order of primary key.
    private func forEachRow(
        of entity: EntityDescription, _ progress: Progress, _ body: (Row, Int, RelatedRows) throws -> Void
    )
        throws
    {
        var last: Int64?
        while true {
            try console.interruption.check()
            let rows = try store.rows(.part(of: entity.index, after: last, limit: Self.batchSize))
            let related = try RelatedRows(
                rows, entity: entity, layout: store.layouts[entity.index], in: store, omitsDangling: true)
            written.rows += rows.count
            written.lostLinks += related.danglingCount
            for index in 0..<rows.count { try body(rows[index], index, related) }
            progress.advance(rows.count)
            if rows.count < Self.batchSize { return }
            last = rows[rows.count - 1].key
        }
    }

    private func progress() throws -> Progress {
        guard console.showsProgress else { return Progress(total: 0, of: "objects", console) }
        let total = try entities.reduce(0) {
            try $0 + store.count(RowRequest(entityIndex: $1.index, includesSubentities: false))
        }
        return Progress(total: total, of: "objects", console)
    }

    func writeJSON(to sink: ByteSink) throws {
        let progress = try progress()
        defer { progress.finish() }
        var writer = JSONWriter(sink)
        writer.beginObject()
        writer.name("entities")
        writer.beginObject()
        for entity in entities {
            writer.name(entity.name)
            writer.beginArray()
            try forEachRow(of: entity, progress) { row, index, related in
                writers[entity.index].write(row, at: index, of: related, to: &writer)
                try sink.check()
            }
            writer.endArray()
        }
        writer.endObject()
        writer.name("format")
        writer.string("folio-export")
        writer.name("formatVersion")
        writer.word("1")
        writer.name("model")
        let metadata = try store.metadata()
        writer.value(.object(["hashes": hashes(metadata), "identifiers": identifiers(metadata)]))
        writer.name("store")
        writer.value(.object(["type": .string(store.description.type.rawValue), "uuid": .string(store.identity.uuid)]))
        writer.endObject()
        sink.write(0x0A)
    }

    /// Writes one object per line.
    func writeLines(to sink: ByteSink) throws {
        let progress = try progress()
        defer { progress.finish() }
        for entity in entities {
            try forEachRow(of: entity, progress) { row, index, related in
                var writer = JSONWriter(sink, style: .compact)
                writers[entity.index].write(row, at: index, of: related, to: &writer)
                sink.write(0x0A)
                try sink.check()
            }
        }
    }

    /// Writes a heading, and a line for each object of the single entity.
    func writeCSV(to sink: ByteSink) throws {
        guard entities.count == 1, let entity = entities.first else {
            throw CommandError.usage(
                "CSV holds the objects of one entity",
                hint: "name it with --entity; the document has " + entities.map(\.name).joined(separator: ", "))
        }
        let progress = try progress()
        defer { progress.finish() }
        sink.write(CSV.line(["id"] + writers[entity.index].columnNames) + "\n")
        try forEachRow(of: entity, progress) { row, index, related in
            sink.write(CSV.line(try writers[entity.index].fields(row, at: index, of: related)) + "\n")
            try sink.check()
        }
    }

    /// The version hashes that the store has recorded. For some old stores they differ from those
    /// that are computed from the model.
    private func hashes(_ metadata: [String: MetadataValue]) -> JSONValue {
        var hashes = store.identity.model.versionHashesByEntityName
        if case .dictionary(let recorded) = metadata["NSStoreModelVersionHashes"] {
            hashes = recorded.compactMapValues { if case .data(let hash) = $0 { hash } else { nil } }
        }
        return .object(hashes.mapValues { .string($0.hexadecimal) })
    }

    private func identifiers(_ metadata: [String: MetadataValue]) -> JSONValue {
        guard case .array(let recorded) = metadata["NSStoreModelVersionIdentifiers"] else {
            return .strings(store.identity.model.definition.versionIdentifiers)
        }
        return .strings(recorded.compactMap { if case .string(let text) = $0 { text } else { nil } })
    }
}
