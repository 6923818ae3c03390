internal import CArchive
internal import FileSystem

/// The file that libarchive reads, through the FileSystem module, so that faults can be injected
/// and errors keep their path.
final class ArchiveSource {
    private let file: File
    private let size: Int64
    private var position: Int64 = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 4096)
    /// The error that occurred in a callback.
    private(set) var failure: FileSystemError?

    init(_ file: File) throws {
        self.file = file
        size = try file.status().size
    }

    deinit { buffer.deallocate() }

    // The callbacks get the source that was passed to `archive_read_set_callback_data`. The stream
    // keeps it alive.

    static let read:
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int = {
            _, data, target in
            guard let data, let target else { return -1 }
            let source = Unmanaged<ArchiveSource>.fromOpaque(data).takeUnretainedValue()
            do {
                let count = try source.file.read(into: source.buffer, at: source.position)
                source.position += Int64(count)
                target.pointee = UnsafeRawPointer(source.buffer.baseAddress)
                return count
            } catch {
                source.failure = error as? FileSystemError
                return -1
            }
        }

    static let seek: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = {
        _, data, offset, whence in
        guard let data else { return Int64(ARCHIVE_FATAL) }
        let source = Unmanaged<ArchiveSource>.fromOpaque(data).takeUnretainedValue()
        let base: Int64
        switch whence {
        case 0: base = 0
        case 1: base = source.position
        default: base = source.size
        }
        let (place, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, place >= 0 else { return Int64(ARCHIVE_FATAL) }
        source.position = place
        return place
    }

    static let skip: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, Int64) -> Int64 = { _, data, count in
        guard let data, count > 0 else { return 0 }
        let source = Unmanaged<ArchiveSource>.fromOpaque(data).takeUnretainedValue()
        let skipped = min(count, max(0, source.size - source.position))
        source.position += skipped
        return skipped
    }
}
