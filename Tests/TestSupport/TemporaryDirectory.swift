public import Foundation

/// Runs `body` with a fresh directory that is removed afterwards.
public func withTemporaryDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let url = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url)
}

/// Runs an asynchronous `body` with a fresh directory that is removed afterwards, in the isolation
/// domain of the caller.
nonisolated(nonsending) public func withFolder<Result>(
    _ body: nonisolated(nonsending) (URL) async throws -> Result
) async throws -> Result {
    let url = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url)
}

/// The folder of temporary directories: that of the system (`TMPDIR`) for sweeps, otherwise one in
/// memory, where making a file durable takes no time.
private let root: URL = {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: memory.path)
    let free = attributes?[.systemFreeSize] as? Int ?? 0
    let usesMemory =
        !runsSweeps && ProcessInfo.processInfo.environment["TMPDIR"] == nil && free > 2 << 30
        && FileManager.default.isWritableFile(atPath: memory.path)
    return usesMemory ? memory : FileManager.default.temporaryDirectory
}()

private func makeTemporaryDirectory() throws -> URL {
    let url = root.appendingPathComponent(
        "folio-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
}

/// The folder of real Core Data files, where this run was given one (`FOLIO_CORPUS`).
public let corpus: URL? = ProcessInfo.processInfo.environment["FOLIO_CORPUS"].map {
    URL(fileURLWithPath: $0, isDirectory: true)
}
