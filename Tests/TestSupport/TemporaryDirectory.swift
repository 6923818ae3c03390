public import Foundation

/// Runs `body` with a fresh directory that is removed afterwards.
public func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "folio-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url)
}

/// The folder of real Core Data files, where this run was given one (`FOLIO_CORPUS`).
public let corpus: URL? = ProcessInfo.processInfo.environment["FOLIO_CORPUS"].map {
    URL(fileURLWithPath: $0, isDirectory: true)
}
