import CrashSupervisor
import Glibc

/// A way in which calls go wrong.
struct FaultKind: Sendable {
    let name: String
    let fault: crash_fault
    let calls: UInt32
    var error: Int32 = 0
    /// Nil: all that follow too.
    var length: Int? = 1
    /// Whether the process lives on and nothing fails but one call.
    var isSingle: Bool { length == 1 && fault != CRASH_KILL && fault != CRASH_TEAR }

    static let all: [FaultKind] = [
        FaultKind(name: "EIO", fault: CRASH_ERROR, calls: device, error: EIO),
        FaultKind(name: "EIO for ever", fault: CRASH_ERROR, calls: device, error: EIO, length: nil),
        FaultKind(name: "ENOSPC", fault: CRASH_ERROR, calls: space, error: ENOSPC),
        FaultKind(name: "ENOSPC for ever", fault: CRASH_ERROR, calls: space, error: ENOSPC, length: nil),
        FaultKind(name: "EINTR", fault: CRASH_ERROR, calls: slow, error: EINTR),
        FaultKind(name: "EINTR five times", fault: CRASH_ERROR, calls: slow, error: EINTR, length: 5),
        FaultKind(name: "ENOLCK", fault: CRASH_ERROR, calls: locks, error: ENOLCK),
        FaultKind(name: "EMFILE", fault: CRASH_ERROR, calls: opens, error: EMFILE),
        FaultKind(name: "EMFILE for ever", fault: CRASH_ERROR, calls: opens, error: EMFILE, length: nil),
        FaultKind(name: "short write", fault: CRASH_SHORT, calls: writes),
        FaultKind(name: "short writes for ever", fault: CRASH_SHORT, calls: writes, length: nil),
        FaultKind(name: "kill", fault: CRASH_KILL, calls: changes),
        FaultKind(name: "kill within a write", fault: CRASH_TEAR, calls: writes),
    ]

    /// One kind by its name, or every m-th from the n-th on by "n/m".
    static func selected(_ text: String) -> [FaultKind] {
        let numbers = text.split(separator: "/").compactMap { Int($0) }
        guard numbers.count == 2, numbers[1] > 0 else { return all.filter { $0.name == text } }
        return all.indices.filter { $0 % numbers[1] == numbers[0] % numbers[1] }.map { all[$0] }
    }

    private static let changes = UInt32(CRASH_CHANGES.rawValue), space = UInt32(CRASH_SPACE.rawValue),
        opens = UInt32(CRASH_OPENS.rawValue)
    private static let locks = UInt32(CRASH_LOCKS.rawValue)
    private static let slow = UInt32(CRASH_SLOW.rawValue), writes = UInt32(CRASH_WRITES.rawValue),
        device = UInt32(CRASH_DEVICE.rawValue)
}
