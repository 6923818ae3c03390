import Folio
import RowMemory

/// Writes complete objects in the order of a fetch.
struct FetchedObjects {
    private let ids: [ManagedObjectID]
    private let family: ArraySlice<EntityDescription>
    private let store: any StoreBackend
    private let console: Console
    private static let batchSize = 2048

    /// - Parameter entity: The fetched entity, which determines the columns; nil for formats
    ///   without columns.
    init(_ objects: [ManagedObject], entity: EntityDescription? = nil, _ reader: DocumentReader, _ console: Console) {
        ids = objects.map(\.objectID)
        family = entity.map { reader.model.entities[$0.family] } ?? []
        store = reader.store
        self.console = console
    }

    /// - Parameter fitting: Whether a table that is too wide for the terminal is shown in another
    ///   way.
    func write(_ format: String, fitting: Bool = false) throws {
        switch format {
        case "json":
            var writer = JSONWriter(console.output)
            writer.beginArray()
            try write(to: &writer)
            writer.endArray()
            console.output.write(0x0A)
        case "jsonl":
            try forEach { object, row, index, related in
                var writer = JSONWriter(console.output, style: .compact)
                object.write(row, at: index, of: related, to: &writer)
                console.output.write(0x0A)
            }
        case "csv":
            let columns = self.columns
            console.print(CSV.line(["id"] + columns))
            try forEach { object, row, index, related in
                let fields = try object.fields(row, at: index, of: related)
                let byName = Dictionary(zip(object.columnNames, fields.dropFirst())) { first, _ in first }
                console.print(CSV.line([fields[0]] + columns.map { byName[$0] ?? nil }))
            }
        case "lines":
            var writer = LineWriter(console.output)
            try forEach { object, row, index, related in writer.object(object.members(row, at: index, of: related)) }
        default: try writeTable(fitting: fitting)
        }
    }

    /// Writes the objects one after the other, without an array around them.
    func write(to writer: inout JSONWriter) throws {
        try forEach { $0.write($1, at: $2, of: $3, to: &writer) }
    }

    /// The names of all properties of the entity and its sub-entities.
    private var columns: [String] {
        var names: [String] = []
        for writer in family.map({ ObjectWriter(entity: $0, layout: store.layouts[$0.index], prefixes: []) }) {
            for name in writer.columnNames where !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func writeTable(fitting: Bool) throws {
        // To-many relationships are not shown in tables; use --columns or get for them.
        let properties = columns.filter { name in
            !family.contains { $0.property(named: name)?.isToMany == true }
        }
        let numeric = properties.map { name in family.first?.property(named: name)?.attribute?.type.isNumeric ?? false }
        var table = Table(headings: ["object"] + properties, alignsRight: [false] + numeric, whole: [0])
        try forEach { object, row, index, related in
            table.append([Self.shortName(store, row)] + properties.map { object.cell($0, row, related) })
        }
        if fitting { table.writeFitting(to: console) } else { table.write(to: console) }
    }

    private static func shortName(_ store: any StoreBackend, _ row: Row) -> String {
        "\(store.identity.model.entities[row.entityIndex].name)/p\(row.key)"
    }

    /// Calls `body` with each object's row, in the order of the fetch.
    private func forEach(_ body: (ObjectWriter, Row, Int, RelatedRows) throws -> Void) throws {
        let prefixes = store.identity.uriPrefixes
        var writers: [Int: ObjectWriter] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
            try console.interruption.check()
            let batch = ids[start..<min(start + Self.batchSize, ids.count)]
            // Rows are returned in any order. They are read by entity, so that one request per
            // relationship is sufficient.
            var places: [ObjectReference: (row: Row, index: Int, related: RelatedRows)] = [:]
            for (entityIndex, ids) in Dictionary(grouping: batch, by: { $0.entityIndex }) {
                let entity = store.identity.model.entities[entityIndex]
                let rows = try store.rows(
                    RowRequest(entityIndex: entityIndex, includesSubentities: false, selection: .keys(ids.map(\.key))))
                let related = try RelatedRows(
                    rows, entity: entity, layout: store.layouts[entity.index], in: store,
                    omitsDangling: false)
                for index in 0..<rows.count {
                    places[ObjectReference(key: rows[index].key, entityIndex: entityIndex)] = (
                        rows[index], index, related
                    )
                }
                if writers[entityIndex] == nil {
                    writers[entityIndex] = ObjectWriter(
                        entity: entity, layout: store.layouts[entityIndex], prefixes: prefixes)
                }
            }
            for id in batch {
                guard let place = places[ObjectReference(key: id.key, entityIndex: id.entityIndex)],
                    let writer = writers[id.entityIndex]
                else { continue }
                try body(writer, place.row, place.index, place.related)
                try console.output.check()
            }
        }
    }
}
