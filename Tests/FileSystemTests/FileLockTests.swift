import FileSystem
import Foundation
import Glibc
import TestSupport
import Testing

struct FileLockTests {
    @Test func aLockIsHeldByOneAtATime() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/.Doc.lock"
            #expect(try !FileLock.isHeld(path))
            let lock = try #require(try FileLock.acquire(path))
            try lock.write(Array("{\"pid\": 1}".utf8))
            try lock.write(Array("me".utf8))
            #expect(try Disk.read(path, limit: 99) == Array("me".utf8))
            #expect(try FileLock.isHeld(path))
            #expect(try FileLock.acquire(path) == nil)
            try lock.release(removing: false)
            #expect(try !FileLock.isHeld(path))
            let again = try #require(try FileLock.acquire(path))
            try again.release(removing: true)
            #expect(try !Disk.exists(path))
        }
    }

    @Test func aLockEndsWithTheProcessThatHeldIt() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/lock"
            try Disk.replaceFile(path, with: [])
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            var range = flock()
            range.l_type = Int16(F_WRLCK)
            try #require(fcntl(file.fileDescriptor, 37 /* F_OFD_SETLK */, &range) == 0)
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/usr/bin/sleep")
            holder.arguments = ["60"]
            holder.standardInput = file
            try holder.run()
            defer { kill(holder.processIdentifier, SIGKILL) }
            try file.close()
            #expect(try FileLock.isHeld(path))
            #expect(try FileLock.acquire(path) == nil)
            kill(holder.processIdentifier, SIGKILL)
            holder.waitUntilExit()
            #expect(try FileLock.acquire(path) != nil)
        }
    }

    /// A process that is being started has the descriptors of this one until it executes its
    /// program.
    @Test func aReleasedLockIsFreeWhereItsDescriptionIsStillOpen() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/lock"
            let lock = try #require(try FileLock.acquire(path))
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(
                Int32.init)
            let descriptor = try #require(
                descriptors.first {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
                })
            let copy = dup(descriptor)
            defer { close(copy) }
            try lock.release(removing: false)
            #expect(try !FileLock.isHeld(path))
            #expect(try FileLock.acquire(path) != nil)
        }
    }
}
