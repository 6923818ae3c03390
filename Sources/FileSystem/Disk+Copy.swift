internal import CSystem
internal import Glibc

extension Disk {
    /// Copies a regular file, with its mode and user attributes, to a path that must not exist.
    /// Does not synchronize the copy.
    ///
    /// Blocks are shared if the file system supports it (constant time), otherwise the kernel or,
    /// as a last resort, this process copies them. Never call it for a store that is open: closing
    /// the source file would drop SQLite's locks.
    package static func copyFile(_ source: String, to target: String) throws {
        try copyFile(File(source, .read), to: target)
    }

    /// Copies an open file to a path that must not exist.
    package static func copyFile(_ source: File, to target: String) throws {
        let status = try source.status()
        let copy = try File(target, .create(mode: 0o600))
        do {
            if try !clone(source, to: copy) {
                let done = try copyRanges(source, copy, size: status.size)
                try copyLoop(source, copy, from: done)
            }
            try copyAttributes(from: source.descriptor, to: copy.descriptor, target)
            try copy.setMode(
                AccessRights.copyList(from: source.descriptor, to: copy.descriptor, mode: status.mode))
        } catch {
            _ = try? removeFileIfPresent(target)
            throw error
        }
    }

    /// Creates a file that shares the blocks of `source`, at a path that must not exist. Returns
    /// false and creates no file if the file system does not support it. Does not synchronize the
    /// file.
    package static func cloneFile(_ source: File, to target: String) throws -> Bool {
        let copy = try File(target, .create(mode: 0o600))
        do {
            if try clone(source, to: copy) {
                try copy.setMode(source.status().mode)
                return true
            }
        } catch {
            _ = try? removeFileIfPresent(target)
            throw error
        }
        try removeFileIfPresent(target)
        return false
    }

    /// Makes an empty file share the blocks of another one; returns false if the file system does
    /// not support it.
    package static func clone(_ source: File, to target: File) throws -> Bool {
        do {
            try perform(.clone, target.path) { Int(folio_clone(source.descriptor, target.descriptor)) }
            return true
        } catch let error as FileSystemError where [.noSpace, .inputOutput].contains(error.code) {
            throw error
        } catch {
            return false
        }
    }

    /// Copies with the kernel's help as far as possible. Returns the number of bytes copied.
    private static func copyRanges(_ source: File, _ target: File, size: Int64) throws -> Int64 {
        var done: Int64 = 0
        while done < size {
            do {
                let count = try transfer(.copyRange, target.path, upTo: Int(size - done)) {
                    folio_copy_range(source.descriptor, done, target.descriptor, done, $0)
                }
                if count == 0 { break }
                done += Int64(count)
            } catch let error as FileSystemError where [.noSpace, .inputOutput, .tooLarge].contains(error.code) {
                throw error
            } catch {
                break
            }
        }
        return done
    }

    private static func copyLoop(_ source: File, _ target: File, from start: Int64) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = start
        while true {
            let count = try source.read(into: buffer, at: offset)
            if count == 0 { return }
            try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            offset += Int64(count)
        }
    }
}
