import Foundation

/// Where a document that workloads work on has what the hand-written side opens by itself.
enum BenchmarkDocument {
    static func store(of document: URL) -> URL { document.appendingPathComponent("store/store.sqlite") }
}
