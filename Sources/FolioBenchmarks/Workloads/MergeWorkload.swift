import Folio
import Foundation

/// W15: two documents merged, beside the comparison of the two as `folio diff` makes it.
///
/// W15a: each of two copies of a document of so many objects has ten changes. W15b: two documents
/// of so many objects each that were never one.
enum MergeWorkload {
    private static let changes = 10

    static func folio(_ document: URL, size: Int, isUnrelated: Bool) async throws -> Measurement {
        let theirs = try await prepare(document, size, isUnrelated)
        defer { try? FileManager.default.removeItem(at: theirs) }
        let ours = try await PersistentDocument.open(document)
        ours.context.undoManager = nil
        let watch = Stopwatch()
        let report = try await ours.merge(theirs, base: isUnrelated ? .none : .common)
        try await ours.save()
        let measurement = watch.measurement(
            checksum: UInt64(report.inserted.values.reduce(0, +) + report.changed.values.reduce(0, +)))
        try await ours.close()
        return measurement
    }

    static func hand(_ document: URL, size: Int, isUnrelated: Bool) async throws -> Measurement {
        let theirs = try await prepare(document, size, isUnrelated)
        defer { try? FileManager.default.removeItem(at: theirs) }
        let old = try await PersistentDocument.open(document, mode: .reading)
        let new = try await PersistentDocument.open(theirs, mode: .reading)
        var count = 0
        let watch = Stopwatch()
        try DocumentComparison(from: old, to: new).forEachDifference { _ in count += 1 }
        // Of copies both sides' changes differ, of which a merge makes half.
        let measurement = watch.measurement(checksum: UInt64(isUnrelated ? count : count / 2))
        try await old.close()
        try await new.close()
        return measurement
    }

    private static func prepare(_ document: URL, _ size: Int, _ isUnrelated: Bool) async throws -> URL {
        let theirs = document.deletingLastPathComponent().appendingPathComponent("theirs.folio")
        try? FileManager.default.removeItem(at: theirs)
        try FileManager.default.copyItem(at: document, to: theirs)
        let changed = try await PersistentDocument.open(theirs)
        changed.context.undoManager = nil
        if isUnrelated {
            var request = FetchRequest<ManagedObject>(entityName: Item.entityName)
            request.sortDescriptors = [.objectID]
            for item in try changed.context.fetch(request) {
                item["name"] = "theirs " + (item["name"] as? String ?? "")
            }
        } else {
            try change(changed.context, from: size / 2)
            let ours = try await PersistentDocument.open(document)
            try change(ours.context, from: 0)
            try await ours.close(.save)
        }
        try await changed.close(.save)
        return theirs
    }

    /// Changes some objects that lie apart.
    private static func change(_ context: ManagedObjectContext, from start: Int) throws {
        var request = FetchRequest<ManagedObject>(entityName: Item.entityName)
        request.sortDescriptors = [.objectID]
        request.fetchLimit = 1
        for index in 0..<changes {
            request.fetchOffset = start + index * 1000
            try context.fetch(request).first?["name"] = "changed \(start + index)"
        }
    }
}
