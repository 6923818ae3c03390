import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import Glibc
import SQLiteFile
import SQLiteKit
import Synchronization
import TestSupport
import Testing

/// Every system call of keeping and removing versions fails once, or it and all after it, as in a
/// crash.
struct VersionFaultTests {
    /// Asks for a fault at the n-th call under a folder.
    private final class Injector: Sendable {
        private let state = Mutex((count: 0, fired: false))
        let point: Int
        let isSticky: Bool
        let fault: Fault
        let prefix: String

        init(_ point: Int, isSticky: Bool, _ fault: Fault, under prefix: String) {
            self.point = point
            self.isSticky = isSticky
            self.fault = fault
            self.prefix = prefix
        }

        func ask(_ call: SystemCall, _ path: String) -> Fault? {
            guard path.hasPrefix(prefix) else { return nil }
            return state.withLock { state in
                defer { state.count += 1 }
                guard state.count == point || (isSticky && state.count > point) else { return nil }
                state.fired = true
                return fault
            }
        }

        var hasFired: Bool { state.withLock { $0.fired } }
    }

    /// Runs `operation` on copies of one document with a fault at each of its calls, until none
    /// fires. Answers the number of points.
    private func atEveryCall(
        _ fault: Fault, isSticky: Bool, prepare: (VersionedStore) throws -> Void,
        operation: (VersionedStore) throws -> Void,
        verify: (VersionedStore, _ failed: Bool) throws -> Void
    ) throws -> Int {
        var point = 0
        while true {
            let isDone = try withTemporaryDirectory { folder in
                var policy = VersionStore.BasePolicy()
                policy.interval = 2
                let store = try VersionedStore(in: folder.path, rows: 40, policy: policy)
                try prepare(store)
                let injector = Injector(point, isSticky: isSticky, fault, under: folder.path)
                var failed = false
                do {
                    try FaultInjection.with({ injector.ask($0, $1) }) { try operation(store) }
                } catch {
                    failed = true
                }
                try verify(store, failed)
                return !injector.hasFired
            }
            if isDone { return point }
            point += 1
        }
    }

    private static let faults: [(Fault, Bool)] = [
        (.error(EIO), false), (.error(EIO), true), (.error(ENOSPC), false), (.error(EINTR), false), (.short(3), true),
    ]

    @Test(.enabled(if: runsSweeps), arguments: 0..<5) func aVersionIsKeptOrNotAndNothingElseIsHarmed(fault: Int) throws
    {
        let (fault, isSticky) = Self.faults[fault]
        let points = try atEveryCall(fault, isSticky: isSticky) { store in
            for save in 0..<3 {
                try store.change(1 + save, save)
                try store.save()
            }
            // The fourth version writes a whole copy too, and finds something that a crash has
            // left.
            try Disk.replaceFile(store.versions.folder + "/4.delta", with: [1, 2, 3])
            try store.change(9, 9)
            try store.commitSave()
        } operation: { store in
            try store.keep()
        } verify: { store, failed in
            // The state after a crash, then the next opening finishes the save.
            let count = try store.versions.list().count
            #expect(count == 4 || (failed && count == 3))
            try store.check("after the fault")
            try store.reopen()
            try store.keep()
            try store.checkpoint()
            #expect(try store.versions.list().map(\.number) == [1, 2, 3, 4])
            try store.check("after the save was finished")
            try store.change(10, 10)
            try store.save()
            #expect(try store.strays().isEmpty)
            #expect(try store.versions.list().count == 5)
        }
        #expect(points >= 15)
    }
}

extension VersionFaultTests {
    @Test(.enabled(if: runsSweeps), arguments: 0..<5) func theFirstVersionOfAllIsKeptOrNot(fault: Int) throws {
        let (fault, isSticky) = Self.faults[fault]
        let points = try atEveryCall(fault, isSticky: isSticky) { store in
            try store.change(9, 9)
            try store.commitSave()
        } operation: { store in
            try store.keep()
        } verify: { store, failed in
            #expect(try store.versions.list().count == 1 || failed)
            try store.reopen()
            try store.keep()
            try store.checkpoint()
            try store.check()
            #expect(try store.versions.list().map(\.number) == [1])
            #expect(try store.strays().isEmpty)
        }
        #expect(points >= 10)
    }

    @Test(.enabled(if: runsSweeps), arguments: 0..<5) func allOfTheVersionsToBeRemovedGoOrNone(fault: Int) throws {
        let (fault, isSticky) = Self.faults[fault]
        let points = try atEveryCall(fault, isSticky: isSticky) { store in
            for save in 0..<5 {
                try store.change(1 + save, save)
                try store.save()
            }
        } operation: { store in
            try store.versions.remove([1, 3, 4])
        } verify: { store, failed in
            let numbers = try store.versions.list().map(\.number)
            #expect(numbers == [2, 5] || (failed && numbers == [1, 2, 3, 4, 5]))
            try store.check("after the fault")
            if numbers.count == 5 { try store.versions.remove([1, 3, 4]) }
            try store.check("after the removal was repeated")
            try store.change(10, 10)
            try store.save()
            #expect(try store.strays().isEmpty)
            #expect(try store.versions.list().map(\.number) == [2, 5, 6])
        }
        #expect(points >= 15)
    }

    @Test func restoringLeavesAWholeFileOrNone() throws {
        try withTemporaryDirectory { folder in
            let store = try VersionedStore(in: folder.path, rows: 40)
            for save in 0..<4 {
                try store.change(1 + save, save)
                try store.save()
            }
            let target = folder.path + "/restored"
            for (fault, isSticky) in Self.faults {
                var point = 0
                while true {
                    let injector = Injector(point, isSticky: isSticky, fault, under: target)
                    do {
                        try FaultInjection.with({ injector.ask($0, $1) }) {
                            try store.connection.withFiles { try store.versions.restore(2, from: $0, to: target) }
                        }
                        #expect(try Disk.read(target, limit: 1 << 30) == store.snapshots[2])
                        try Disk.removeFile(target)
                    } catch {
                        // Where nothing more can be done, not even removing, there may be a file,
                        // and the error says that it is none.
                        if !isSticky { #expect(try !Disk.exists(target)) }
                        _ = try? Disk.removeFileIfPresent(target)
                    }
                    if !injector.hasFired { break }
                    point += 1
                }
                #expect(point > 1)
            }
        }
    }

    @Test func aVersionCountsOnlyWhenItsFilesAndTheirNamesAreDurable() throws {
        try withTemporaryDirectory { folder in
            var policy = VersionStore.BasePolicy()
            policy.interval = 0
            let store = try VersionedStore(in: folder.path, rows: 40, policy: policy)
            try store.change(1, 1)
            try store.commitSave()
            let trace = Mutex<[String]>([])
            try FaultInjection.with({ call, path in
                if [.fsync, .rename].contains(call), path.hasPrefix(folder.path) {
                    trace.withLock { $0.append("\(call) \(path.dropFirst(folder.path.count + 1))") }
                }
                return nil
            }) { _ = try store.keep() }
            let steps = trace.withLock { $0 }.map { $0.replacing(/\.tmp-.*/, with: ".tmp") }
            #expect(
                steps.filter { $0.hasPrefix("fsync") || $0.hasPrefix("rename") } == [
                    "fsync ", "fsync versions/1.base", "fsync versions/1.delta", "fsync versions",
                    "fsync versions/.index.json.tmp", "rename versions/index.json",
                    "fsync versions",
                ])
        }
    }
}
