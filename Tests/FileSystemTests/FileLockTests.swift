import FileSystem
import Foundation
import Glibc
import TestSupport
import Testing

struct FileLockTests {
    @Test(arguments: [FileLock.Mechanism.openFileDescription, .wholeFile])
    func aLockIsHeldByOneAtATime(mechanism: FileLock.Mechanism) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/.Doc.lock"
            #expect(try !FileLock.isHeld(path, mechanism: mechanism))
            let lock = try #require(try FileLock.acquire(path, mechanism: mechanism))
            try lock.write(Array("{\"pid\": 1}".utf8))
            try lock.write(Array("me".utf8))
            #expect(try Disk.read(path, limit: 99) == Array("me".utf8))
            #expect(try FileLock.isHeld(path, mechanism: mechanism))
            #expect(try FileLock.acquire(path, mechanism: mechanism) == nil)
            #expect(try FileLock.acquire(path, exclusive: false, mechanism: mechanism) == nil)
            try lock.release(removing: false)
            #expect(try !FileLock.isHeld(path, mechanism: mechanism))
            let again = try #require(try FileLock.acquire(path, mechanism: mechanism))
            try again.release(removing: true)
            #expect(try !Disk.exists(path))
        }
    }

    @Test func readersShareALock() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/lock"
            let first = try #require(try FileLock.acquire(path, exclusive: false))
            let second = try #require(try FileLock.acquire(path, exclusive: false))
            #expect(try FileLock.acquire(path) == nil)
            try first.release(removing: false)
            try second.release(removing: false)
            #expect(try FileLock.acquire(path) != nil)
        }
    }

    @Test func aLockEndsWithTheProcessThatHeldIt() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/lock"
            try Disk.replaceFile(path, with: [])
            let holder = Process()
            holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
            holder.arguments = ["--no-fork", path, "sleep", "60"]
            try holder.run()
            defer { kill(holder.processIdentifier, SIGKILL) }
            let deadline = Date() + 10
            while try !FileLock.isHeld(path, mechanism: .wholeFile), Date() < deadline { usleep(10_000) }
            #expect(try FileLock.acquire(path, mechanism: .wholeFile) == nil)
            kill(holder.processIdentifier, SIGKILL)
            holder.waitUntilExit()
            #expect(try FileLock.acquire(path, mechanism: .wholeFile) != nil)
        }
    }
}
