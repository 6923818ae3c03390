import Foundation

/// What one process measured.
struct Measurement: Codable {
    var wallMs: Double
    var cpuMs: Double
    var peakMiB: Double
    /// Memory that the results occupy, where a workload looks at it.
    var bytesPerObject: Double?
    /// What was written or kept, where a workload counts that.
    var bytes: Double?
    /// A digest of what was read or written; both contestants must have the same.
    var checksum: UInt64
}

/// The clock of a timed section.
struct Stopwatch {
    private var wall = ContinuousClock.now
    private var cpu = Self.processorMs()

    /// Does something that is not part of what is measured.
    mutating func excluding(_ body: () async throws -> Void) async rethrows {
        let wallBefore = ContinuousClock.now
        let cpuBefore = Self.processorMs()
        try await body()
        wall += ContinuousClock.now - wallBefore
        cpu += Self.processorMs() - cpuBefore
    }

    /// The time since the stopwatch was made, for one of `repetitions`. What comes after it is
    /// looked at only then, so that no contestant's checking is timed.
    func measurement(repetitions: Int = 1, checksum: @autoclosure () throws -> UInt64) rethrows -> Measurement {
        let elapsed = ContinuousClock.now - wall
        let cpuMs = Self.processorMs() - cpu
        let wallMs = Double(elapsed.components.seconds) * 1e3 + Double(elapsed.components.attoseconds) / 1e15
        let peakMiB = Self.peakMiB()
        return Measurement(
            wallMs: wallMs / Double(repetitions), cpuMs: cpuMs / Double(repetitions), peakMiB: peakMiB,
            checksum: try checksum())
    }

    private static func usage() -> rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage
    }

    private static func processorMs() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    private static func peakMiB() -> Double { Double(usage().ru_maxrss) / 1024 }

    /// Bytes of memory that the process occupies now, without what files are mapped to: code that
    /// runs for the first time is nothing that anybody keeps.
    static func ownBytes() -> Double {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").compactMap { Double($0) }
        guard pages.count > 2 else { return 0 }
        let (resident, shared) = (pages[1], pages[2])
        return (resident - shared) * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// An order-dependent digest that costs next to nothing.
struct Checksum {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    @inline(__always) mutating func add(_ bits: UInt64) {
        value = (value ^ bits) &* 0x100_0000_01b3
    }
}
