import CFolio
import Folio
import Foundation

/// What a program in another language pays: the same reading through the C library and in Swift.
enum EmbeddingWorkload {
    private static let keys = ["name", "number", "ratio", "flag", "created", "identifier"]
    private static let batch = 4096

    private static func withDocument<Result>(_ url: URL, _ body: (OpaquePointer) throws -> Result) throws -> Result {
        guard let document = folio_document_open(url.path, nil, nil) else {
            throw BenchmarkError("the document can't be opened")
        }
        defer { folio_document_free(document) }
        return try body(document)
    }

    private static func fetch(_ document: OpaquePointer) throws -> OpaquePointer {
        let results = Item.entityName.withCString { name in
            var query = folio_query()
            query.size = MemoryLayout<folio_query>.size
            query.entity = name
            return folio_document_fetch(document, &query, nil)
        }
        guard let results else { throw BenchmarkError("the items can't be fetched") }
        return results
    }

    /// All attributes of n objects, fetched and read in bulk.
    static func bulk(_ url: URL) throws -> Measurement {
        try withDocument(url) { document in
            let names = keys.map { UnsafePointer(strdup($0)) }
            defer { for name in names { free(UnsafeMutablePointer(mutating: name)) } }
            var values = [folio_value](repeating: folio_value(), count: batch * keys.count)
            let watch = Stopwatch()
            var checksum = Checksum()
            let results = try fetch(document)
            let count = folio_results_count(results)
            for first in stride(from: 0, to: count, by: batch) {
                let number = min(batch, count - first)
                guard folio_results_read(results, first, number, names, names.count, &values, nil) == FOLIO_OK else {
                    throw BenchmarkError("the items can't be read")
                }
                for index in 0..<number { add(values, index * names.count, to: &checksum) }
            }
            let measured = watch.measurement(checksum: checksum.value)
            folio_results_free(results)
            return measured
        }
    }

    private static func add(_ values: [folio_value], _ start: Int, to checksum: inout Checksum) {
        checksum.add(UInt64(values[start].as.text.size))
        checksum.add(UInt64(bitPattern: values[start + 1].as.integer))
        checksum.add(values[start + 2].as.number.bitPattern)
        checksum.add(values[start + 3].as.boolean ? 1 : 0)
        checksum.add(values[start + 4].as.number.bitPattern)
        checksum.add(UInt64(values[start + 5].as.uuid.0))
    }

    /// n reads of an attribute by its name.
    static func get(_ url: URL) throws -> Measurement {
        try withDocument(url) { document in
            let results = try fetch(document)
            defer { folio_results_free(results) }
            let count = folio_results_count(results)
            let objects = (0..<count).map { folio_results_object(results, $0, nil) }
            defer { for object in objects { folio_object_free(object) } }
            var value = folio_value()
            for object in objects { _ = folio_object_get(object, "number", &value, nil) }
            return try "number".withCString { key in
                let watch = Stopwatch()
                var sum: Int64 = 0
                for object in objects {
                    guard folio_object_get(object, key, &value, nil) == FOLIO_OK else {
                        throw BenchmarkError("an item can't be read")
                    }
                    sum &+= value.as.integer
                }
                return watch.measurement(checksum: UInt64(bitPattern: sum))
            }
        }
    }

    /// The same in Swift.
    static func getInSwift(_ url: URL) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        let objects = try document.context.fetch(FetchRequest<ManagedObject>(entityName: Item.entityName))
        for object in objects { try object.fulfillFault() }
        let watch = Stopwatch()
        var sum: Int64 = 0
        for object in objects {
            if case .int(let number) = try object.propertyValue(forKey: "number") { sum &+= number }
        }
        let measured = watch.measurement(checksum: UInt64(bitPattern: sum))
        try await document.close()
        return measured
    }
}
