import Folio
import Foundation

/// The workloads as a user of Folio writes them: through a document, with undo, validation and
/// conflict detection as they are by default.
enum FolioWorkloads {
    static func run(_ workload: Workload, size: Int, document: URL) async throws -> Measurement {
        switch workload {
        case .w1: try await insert(size, document)
        case .w2: try await fetch(document, passes: 1)
        case .w2b: try await fetch(document, passes: 2)
        case .w3: try await QueryWorkload.folio(size, document)
        case .w4: try await update(document)
        case .w5: try await smallCommits(workload.repetitions, document)
        case .w6a, .w6b: try await RelationshipWorkloads.folioReading(document, prefetches: workload == .w6a)
        case .w7a, .w7b: try await RelationshipWorkloads.folioDeletion(document, isWatched: workload == .w7a)
        case .w8: try await open(workload.repetitions, document)
        case .w9Add, .w9Rename, .w9Drop, .w9Split: try MigrationWorkload.folio(workload, document)
        case .w10Pack, .w10Unpack: try await PackingWorkload.folio(document, unpacks: workload == .w10Unpack)
        case .w11a: try await ObjectWorkloads.folioReading(document)
        case .w11b: try await ObjectWorkloads.folioWriting(document)
        case .w11c: try await ObjectWorkloads.dynamicReading(document)
        case .w12a, .w12b: try await ObjectWorkloads.undo(document, .folio, redoes: workload == .w12b)
        case .w13a, .w13b: try await WritingWorkload.folio(document, keepsVersion: workload == .w13b)
        case .w14: try await PredicateWorkload.folio(size, document)
        case .storesBinary: try StoreTypeWorkload.run(.binary, size: size, in: document)
        case .storesXML: try StoreTypeWorkload.run(.xml, size: size, in: document)
        case .storesMemory: try StoreTypeWorkload.run(.inMemory, size: size, in: document)
        case .embeddingBulk: try EmbeddingWorkload.bulk(document)
        case .embeddingGet: try EmbeddingWorkload.get(document)
        case .memory: try MemoryWorkload.run(.folio, size: size, BenchmarkDocument.store(of: document))
        case .w15a, .w15b:
            try await MergeWorkload.folio(document, size: size, isUnrelated: workload == .w15b)
        case .w16: try ImportWorkload.folio(size, document)
        case .startVersion, .startInfo: try StartWorkload.folio(document, isInfo: workload == .startInfo)
        }
    }

    /// Makes the document that rounds get copies of.
    static func make(_ template: Workload.Template, of size: Int, at url: URL) async throws -> Measurement {
        let watch = Stopwatch()
        switch template {
        case .staff: try await Staff.makeDocument(of: size, at: url)
        case .values: try await PackingWorkload.makePackage(kilobytes: size, at: url)
        case .archive: throw BenchmarkError("an archive is made of a package")
        case .empty, .items:
            try await PersistentDocument.writeEmpty(at: url, model: Item.model())
            if size > 0 { _ = try await insert(size, url) }
        }
        return watch.measurement(checksum: 0)
    }

    private static func entity(of document: PersistentDocument) throws -> EntityDescription {
        guard let entity = document.model.entity(named: Item.entityName) else {
            throw BenchmarkError("the document has no items")
        }
        return entity
    }

    private static func store(of document: URL) -> String { BenchmarkDocument.store(of: document).path }

    /// As an editor does it: with undo, as in all that changes objects here.
    private static func insert(_ size: Int, _ url: URL) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        let context = document.context
        let entity = try entity(of: document)
        let keys = try Item.Keys(entity)
        let watch = Stopwatch()
        for index in 0..<size {
            keys.set(ManagedObject(entity: entity, insertInto: context), index)
        }
        try await document.save()
        var measured = watch.measurement(checksum: 0)
        try await document.close()
        measured.checksum = try HandWorkloads.checksum(ofStore: store(of: url))
        return measured
    }

    static func fetch(_ url: URL, passes: Int) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        let keys = try Item.Keys(entity(of: document))
        let request = FetchRequest<ManagedObject>(entityName: Item.entityName)
        let before = Stopwatch.ownBytes()
        var watch = Stopwatch()
        var checksum = Checksum()
        var items: [ManagedObject] = []
        for _ in 0..<passes {
            watch = Stopwatch()
            checksum = Checksum()
            items = try document.context.fetch(request)
            for item in items { keys.add(item, to: &checksum) }
        }
        var measured = watch.measurement(checksum: checksum.value)
        measured.bytesPerObject = (Stopwatch.ownBytes() - before) / Double(max(items.count, 1))
        items = []
        try await document.close()
        return measured
    }

    private static func update(_ url: URL) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        let keys = try Item.Keys(entity(of: document))
        let items = try document.context.fetch(FetchRequest<ManagedObject>(entityName: Item.entityName))
        let watch = Stopwatch()
        for item in items {
            item[keys.number] = (item[keys.number] ?? 0) + 1
        }
        try await document.save()
        var measured = watch.measurement(checksum: 0)
        try await document.close()
        measured.checksum = try HandWorkloads.checksum(ofStore: store(of: url))
        return measured
    }

    private static func smallCommits(_ repetitions: Int, _ url: URL) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        let keys = try Item.Keys(entity(of: document))
        var request = FetchRequest<ManagedObject>(entityName: Item.entityName)
        request.sortDescriptors = [SortKey("created")]
        request.fetchLimit = 1
        guard let item = try document.context.fetch(request).first else { throw BenchmarkError("no items") }
        let watch = Stopwatch()
        for index in 0..<repetitions {
            item[keys.number] = Int64(index)
            try await document.autosave()
        }
        let measured = watch.measurement(repetitions: repetitions, checksum: UInt64(item[keys.number] ?? -1))
        try await document.save()
        try await document.close()
        return measured
    }

    private static func open(_ repetitions: Int, _ url: URL) async throws -> Measurement {
        var checksum = Checksum()
        var request = FetchRequest<ManagedObject>(entityName: Item.entityName)
        request.fetchLimit = 1
        var watch = Stopwatch()
        for _ in 0..<repetitions {
            let document = try await PersistentDocument.open(url)
            let keys = try Item.Keys(entity(of: document))
            guard let item = try document.context.fetch(request).first else { throw BenchmarkError("no items") }
            checksum.add(UInt64(item[keys.name]?.utf8.count ?? -1))
            checksum.add(UInt64(bitPattern: item[keys.number] ?? -1))
            try await watch.excluding { try await document.close() }
        }
        return watch.measurement(repetitions: repetitions, checksum: checksum.value)
    }
}
