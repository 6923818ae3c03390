import Coding
package import Folio
import Foundation
import RowMemory

/// Writes all objects of a store in the formats of `folio export`, reading several thousand rows at
/// a time.
package struct DocumentExporter {
    private let store: any StoreBackend
    private let progress: ((TransferProgress) throws -> Void)?
    /// The number of objects to write; 0 without progress.
    private let total: Int
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

    /// - Parameters:
    ///   - entityName: The entity whose objects are written, without those of its sub-entities; nil
    ///     for all entities.
    ///   - progress: Called after some objects each. What it throws ends the export.
    package init(
        store: any StoreBackend, entityName: String?, progress: ((TransferProgress) throws -> Void)? = nil
    ) throws {
        self.store = store
        self.progress = progress
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
        // Counting takes time, and only progress needs it.
        total =
            progress == nil
            ? 0
            : try entities.reduce(0) {
                try $0 + store.count(RowRequest(entityIndex: $1.index, includesSubentities: false))
            }
    }

    /// What reads as nil in the objects that were written: the number of cells that are not of
    /// their attribute's type, and of links that lead to no object.
    package func omissions() throws -> (cells: Int, links: Int) {
        let omissions = try store.omissions()
        return (omissions.cells, omissions.links + written.lostLinks)
    }

    /// Checks that nothing of the store is missing in what was written.
    package func checkCompleteness() throws {
        guard isWhole else { return }
        let stored = try store.checkRowCounts()
        guard stored == written.rows else {
            throw StorageError(.damaged, "Of \(stored) rows \(written.rows) were written")
        }
    }

    /// Calls `body` with each row of an entity, in order of primary key.
    private func forEachRow(
        of entity: EntityDescription, _ body: (Row, Int, RelatedRows) throws -> Void
    ) throws {
        var last: Int64?
        while true {
            try Task.checkCancellation()
            let rows = try store.rows(.part(of: entity.index, after: last, limit: Self.batchSize))
            let related = try RelatedRows(
                rows, entity: entity, layout: store.layouts[entity.index], in: store, omitsDangling: true)
            written.rows += rows.count
            written.lostLinks += related.danglingCount
            for index in 0..<rows.count { try body(rows[index], index, related) }
            try progress?(TransferProgress(objects: written.rows, of: total))
            if rows.count < Self.batchSize { return }
            last = rows[rows.count - 1].key
        }
    }

    /// Writes all objects.
    package func write(_ format: ExportFormat, to sink: ByteSink) throws {
        switch format {
        case .json: try writeJSON(to: sink)
        case .jsonLines: try writeLines(to: sink)
        case .csv: try writeCSV(to: sink)
        }
    }

    private func writeJSON(to sink: ByteSink) throws {
        var writer = JSONWriter(sink)
        writer.beginObject()
        writer.name("entities")
        writer.beginObject()
        for entity in entities {
            writer.name(entity.name)
            writer.beginArray()
            try forEachRow(of: entity) { row, index, related in
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
    private func writeLines(to sink: ByteSink) throws {
        for entity in entities {
            try forEachRow(of: entity) { row, index, related in
                var writer = JSONWriter(sink, style: .compact)
                writers[entity.index].write(row, at: index, of: related, to: &writer)
                sink.write(0x0A)
                try sink.check()
            }
        }
    }

    /// Writes a heading, and a line for each object of the single entity.
    private func writeCSV(to sink: ByteSink) throws {
        guard entities.count == 1, let entity = entities.first else {
            throw InterchangeError.usage(
                "CSV holds the objects of one entity",
                hint: "name it with --entity; the document has " + entities.map(\.name).joined(separator: ", "))
        }
        sink.write(CSV.line(["id"] + writers[entity.index].columnNames) + "\n")
        try forEachRow(of: entity) { row, index, related in
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
