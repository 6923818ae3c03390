import Folio

/// Writes records of named values in each format.
struct RecordWriter {
    let names: [String]
    /// Of the columns of a table.
    let alignsRight: [Bool]
    let console: Console

    /// - Parameters:
    ///   - id: The object that a record is of, by its URI; nil for records without objects. Tables
    ///     don't show it.
    ///   - values: A record's values, in the order of the names.
    func write<Item>(
        _ items: [Item], _ format: String, id: ((Item) -> ManagedObjectID)?,
        values: (Item) throws -> [PropertyValue]
    ) throws {
        func forEach(_ body: (_ id: ManagedObjectID?, _ values: [PropertyValue]) throws -> Void) throws {
            for item in items {
                try console.interruption.check()
                try console.output.check()
                try body(id?(item), try values(item))
            }
        }
        let members = (names + (id == nil ? [] : ["id"])).enumerated().sorted {
            $0.element.utf8.lexicographicallyPrecedes($1.element.utf8)
        }
        func write(_ id: ManagedObjectID?, _ values: [PropertyValue], to writer: inout JSONWriter) {
            writer.beginObject()
            for (index, name) in members {
                writer.name(name)
                writer.property(index < values.count ? values[index] : id.map { .object($0) } ?? .null)
            }
            writer.endObject()
        }
        switch format {
        case "json":
            var writer = JSONWriter(console.output)
            writer.beginArray()
            try forEach { write($0, $1, to: &writer) }
            writer.endArray()
            console.output.write(0x0A)
        case "jsonl":
            try forEach { id, values in
                var writer = JSONWriter(console.output, style: .compact)
                write(id, values, to: &writer)
                console.output.write(0x0A)
            }
        case "csv":
            console.print(CSV.line((id == nil ? [] : ["id"]) + names))
            try forEach { console.print(CSV.line(try (($0.map { [.object($0)] } ?? []) + $1).map(ValueText.field))) }
        case "lines":
            var writer = LineWriter(console.output)
            try forEach { id, values in
                let id = id.map { [("id", $0.description)] } ?? []
                writer.object(id + zip(names, values.map(ValueText.cell)))
            }
        default:
            var table = Table(headings: names, alignsRight: alignsRight)
            try forEach { table.append($1.map(ValueText.cell)) }
            table.write(to: console)
        }
    }
}
