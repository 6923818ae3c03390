import CrashSupervisor
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation

/// One operation on one form, recorded once, and the states in which a power cut at any moment may
/// leave it.
struct StateSweep {
    let sweep: Sweep
    private let trace: Trace

    init(_ sweep: Sweep) throws {
        self.sweep = sweep
        trace = try sweep.record()
    }

    /// Opens every state, at most one of each kind.
    func run() throws -> Sweep.Tally {
        var tally = Sweep.Tally(), seen = Set<Int>()
        try CrashStates(trace: trace).forEach { state in
            guard seen.insert(state.key).inserted else { return true }
            tally.points += 1
            tally.failures += try failures(state)
            return tally.failures.isEmpty || !sweep.isKept
        }
        return tally
    }

    /// Takes one synchronization or renaming out at a time: some state must fail then. Answers how
    /// many were taken out, and those that nobody missed.
    func mutants() throws -> (count: Int, survivors: [String]) {
        var known = Set<Int>(), count = 0, survivors: [String] = []
        CrashStates(trace: trace).forEach { state in
            known.insert(state.key)
            return true
        }
        for (index, step) in trace.steps.enumerated() where Self.isProtocol(step.change) {
            count += 1
            var isMissed = false, seen = known
            try CrashStates(trace: trace, omitted: [index]).forEach { state in
                guard seen.insert(state.key).inserted else { return true }
                isMissed = try !failures(state).isEmpty
                return !isMissed
            }
            if !isMissed { survivors.append(Self.general(step.description)) }
        }
        return (count, survivors)
    }

    private func failures(_ state: CrashStates.State) throws -> [String] {
        try state.write(to: sweep.place.work)
        return try sweep.check(state.lines, trustsRefusals: false, discards: state.key % 2 == 0, afterPowerCut: true)
            .map {
                "\(sweep.operation.name) \(sweep.form), \(state.description): \($0) [\(state.lines.joined(separator: "; "))]"
                    .replacing(sweep.place.work, with: "")
            }
    }

    private static func isProtocol(_ change: Trace.Change) -> Bool {
        switch change {
        case .synchronize: true
        case .names(let names): names.count > 1
        case .write, .truncate, .said: false
        }
    }

    /// A path without what differs from run to run.
    private static func general(_ description: String) -> String {
        description.replacing(/[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}/, with: "*").replacing(
            /content\/[0-9a-f]{2}/, with: "content/*")
    }
}
