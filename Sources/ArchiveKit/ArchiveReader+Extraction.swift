package import FileSystem
internal import Foundation
internal import Synchronization

extension ArchiveReader {
    /// The size from which several threads extract the uncompressed entries. Smaller archives take
    /// less time than starting the threads is worth.
    private static let smallestForThreads: Int64 = 16 << 20

    /// Extracts the files that `including` selects into an existing folder. The modes are 0700 and
    /// 0600. Does not synchronize the files.
    package func extract(into folder: String, including: (String) -> Bool) throws {
        let target = ExtractionTarget(folder: folder, protection: nil, isSynchronized: false)
        try translating {
            let stream = try EntryStream(file, directory)
            while let entry = try stream.next() {
                if including(entry.name) { try extract(entry, stream, to: target, nil) { _ in } }
            }
        }
    }

    /// Extracts the files that `including` selects into the folder `target`, which must not exist
    /// and is created. If this throws, the folder is removed. Does not synchronize the files.
    ///
    /// Uncompressed entries of large archives are extracted by one thread per core.
    /// - Parameters:
    ///   - protection: The modes of files and folders, reduced by the umask; nil for access by the
    ///     owner only.
    ///   - isSynchronized: Whether the caller synchronizes the files next. If true, writing to the
    ///     disk starts during extraction.
    ///   - check: Returns a check for the content of a file; nil for no check. Called by any
    ///     thread.
    ///   - progress: Called by the caller's thread with the number of extracted bytes since the
    ///     last call; may throw to cancel.
    package func extract(
        to target: String, _ protection: FileProtection? = nil, isSynchronized: Bool = false,
        including: (String) -> Bool = { _ in true },
        checking check: @escaping @Sendable (ZipEntry) throws -> ContentCheck? = { _ in nil },
        progress: (Int64) throws -> Void = { _ in }
    ) throws {
        let place = ExtractionTarget(folder: target, protection: protection, isSynchronized: isSynchronized)
        try translating {
            try place.makeFolder(target)
            do {
                let stored = directory.entries.filter { !$0.isDirectory && $0.method == .stored && including($0.name) }
                let usesThreads = stored.reduce(0) { $0 + $1.size } >= Self.smallestForThreads
                let stream = try EntryStream(file, directory)
                while let entry = try stream.next() {
                    guard entry.isDirectory || including(entry.name) else { continue }
                    if usesThreads, !entry.isDirectory, entry.method == .stored { continue }
                    try extract(entry, stream, to: place, check(entry), progress)
                }
                if usesThreads { try extractStored(stored, to: place, check, progress) }
            } catch {
                // An error of removing the folder must not hide the original error.
                try? Disk.removeTree(target)
                throw error
            }
        }
    }

    /// Extracts uncompressed entries by one thread per core, the largest first.
    private func extractStored(
        _ entries: [ZipEntry], to target: ExtractionTarget,
        _ check: @escaping @Sendable (ZipEntry) throws -> ContentCheck?, _ progress: (Int64) throws -> Void
    ) throws {
        for entry in entries { try target.makeFolder(FilePath.parent(target.path(of: entry))) }
        let state = ExtractionState()
        let threads = ProcessInfo.processInfo.activeProcessorCount
        // The threads report the cancellation, too; the caller's own error counts.
        var cancellation: (any Error)?
        do {
            try ConcurrentWork.each(
                entries.sorted { $0.size > $1.size }, threads: threads,
                poll: {
                    do { try progress(state.takeExtracted()) } catch {
                        cancellation = error
                        state.cancel()
                        throw error
                    }
                },
                { entry in
                    let output = try target.makeFile(entry, check(entry))
                    try storedContent(of: entry) {
                        try output.append($0)
                        try state.note(Int64($0.count))
                    }
                    try output.finish()
                })
        } catch { throw cancellation ?? error }
    }

    private func extract(
        _ entry: ZipEntry, _ stream: EntryStream, to target: ExtractionTarget, _ check: ContentCheck?,
        _ progress: (Int64) throws -> Void
    ) throws {
        let path = target.path(of: entry)
        try target.makeFolder(entry.isDirectory ? path : FilePath.parent(path))
        guard !entry.isDirectory else { return }
        let output = try target.makeFile(entry, check)
        func write(_ piece: UnsafeRawBufferPointer) throws {
            try output.append(piece)
            try progress(Int64(piece.count))
        }
        if entry.method == .stored { try storedContent(of: entry, write) } else { try stream.content(write) }
        try output.finish()
    }
}

/// The folder to which an archive is extracted.
private struct ExtractionTarget: Sendable {
    let folder: String
    let protection: FileProtection?
    let isSynchronized: Bool

    func path(of entry: ZipEntry) -> String {
        FilePath.join(folder, entry.isDirectory ? String(entry.name.dropLast()) : entry.name)
    }

    func makeFolder(_ path: String) throws {
        try Disk.makeDirectories(path, mode: protection?.folderMode ?? 0o700)
    }

    /// Creates the file of an entry.
    func makeFile(_ entry: ZipEntry, _ check: ContentCheck?) throws -> ExtractedFile {
        let file = try File(path(of: entry), .create(mode: protection?.fileMode ?? 0o600))
        return ExtractedFile(file, check, isSynchronized: isSynchronized)
    }
}

/// A file that is being extracted. It is closed with the last reference.
private final class ExtractedFile {
    private let file: File
    private let check: ContentCheck?
    private let isSynchronized: Bool
    private var early = EarlyWriting()

    init(_ file: File, _ check: ContentCheck?, isSynchronized: Bool) {
        self.file = file
        self.check = check
        self.isSynchronized = isSynchronized
    }

    deinit { file.close() }

    func append(_ piece: UnsafeRawBufferPointer) throws {
        try file.append(piece)
        try check?.take(piece)
        if isSynchronized { early.wrote(piece.count, to: file) }
    }

    /// - Throws: What the check of the content throws.
    func finish() throws {
        try check?.finish()
        if isSynchronized { file.startSynchronizing() }
    }
}

/// The progress of several threads, and whether they have to stop.
private final class ExtractionState: Sendable {
    private let extracted = Atomic<Int64>(0)
    private let isCancelled = Atomic<Bool>(false)

    /// Adds extracted bytes.
    /// - Throws: `CancellationError` after ``cancel()``, so that a large entry ends early, too.
    func note(_ count: Int64) throws {
        extracted.wrappingAdd(count, ordering: .relaxed)
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }

    /// The number of bytes since the last call.
    func takeExtracted() -> Int64 { extracted.exchange(0, ordering: .relaxed) }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
