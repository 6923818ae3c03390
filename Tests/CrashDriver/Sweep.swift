import CrashSupervisor
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation

/// One operation on one form, with a fault at its first call, its second, and so on until none is
/// left.
struct Sweep {
    let place: Place
    let operation: Operation
    let form: DocumentForm
    /// Every how manieth call; 1 for all.
    var step = 1
    /// The first of them, from 1.
    var first = 1
    /// Whether to stop at the first failure, so that it can be looked at.
    var isKept = false

    struct Tally {
        var points = 0
        var failures: [String] = []
    }

    func run(_ kind: FaultKind) throws -> Tally {
        var tally = Tally(), point = first
        while true {
            if operation.isPreparedInPlace(form) { try prepare() } else { try place.restoreOriginal() }
            var plan = Fork.Plan(root: place.work)
            plan.fault = kind.fault
            plan.calls = kind.calls
            plan.error = kind.error
            plan.point = point
            plan.length = kind.length
            let outcome = try perform(plan)
            let fate =
                outcome.hung
                ? "hung"
                : outcome.signal != 0 && outcome.signal != SIGKILL ? "crashed by signal \(outcome.signal)" : nil
            var findings = fate.map { [$0] } ?? []
            if !outcome.hasFired, let failure = outcome.lines.first(where: { $0.hasPrefix("failed ") }) {
                findings.append("failed without a fault: \(failure)")
            }
            findings += try check(outcome.lines, trustsRefusals: kind.isSingle, discards: point % 2 == 0)
            tally.failures += findings.map {
                "\(operation.name) \(form), \(kind.name) at call \(point) (\(outcome.place.replacing(place.work, with: ""))): \($0) [\(outcome.lines.joined(separator: "; ").replacing(place.work, with: ""))]"
            }
            guard outcome.hasFired else { return tally }
            tally.points += 1
            if isKept, !tally.failures.isEmpty { return tally }
            point += step
        }
    }

    /// Makes what every point begins with, where a copy will do.
    func begin() throws {
        guard !operation.isPreparedInPlace(form) else { return }
        try prepare()
        try place.keepAsOriginal()
    }

    /// Makes the documents as they are before the operation, in a child of their own that ends
    /// without closing anything.
    private func prepare() throws {
        try place.begin()
        let outcome = try Fork.run(Fork.Plan(root: place.work, isWatched: false)) { [operation, place, form] voice in
            do { try await operation.prepare(place, form) } catch { voice.say("\(error)") }
        }
        guard outcome.lines.isEmpty, outcome.exit == 0 else {
            throw Failure("\(operation.name): can't be prepared: \(outcome.lines), signal \(outcome.signal)")
        }
    }

    private func perform(_ plan: Fork.Plan) throws -> Fork.Outcome {
        try Fork.run(plan) { [operation, place, form] voice in
            do {
                try await operation.run(Steps(place: place, form: form, voice: voice))
            } catch {
                voice.say("failed \(error)")
            }
        }
    }

    /// What the operation changes, step by step, when nothing fails.
    func record() throws -> Trace {
        try prepare()
        try place.keepAsOriginal()
        if !operation.isPreparedInPlace(form) { try place.restoreOriginal() }
        var plan = Fork.Plan(root: place.work)
        plan.trace = place.root + "/trace"
        let outcome = try perform(plan)
        if let failure = outcome.lines.first(where: { $0.hasPrefix("failed ") }) {
            throw Failure("\(operation.name) \(form): \(failure)")
        }
        return try Trace(place.root + "/trace", top: place.work, original: place.original)
    }

    /// What the next opening finds wrong.
    /// - Parameter afterPowerCut: Whether nothing had failed before.
    func check(_ lines: [String], trustsRefusals: Bool, discards: Bool, afterPowerCut: Bool = false) throws -> [String]
    {
        var expectations: [String: Expectation] = [:]
        for name in operation.documents {
            var expectation = operation.expectation(of: name)
            expectation.take(lines, document: name, trustsRefusals: trustsRefusals)
            expectations[name] = expectation
        }
        var oracle = Oracle(
            place: place, form: form, expectations: expectations, discards: discards, ignoresState: form == .archive)
        oracle.merges = operation.merges
        // Nothing has failed then, so the versions are there too.
        if afterPowerCut, form == .package { oracle.versions = operation.versions(after: lines) }
        let outcome = try Fork.run(Fork.Plan(root: place.work, isWatched: false)) { [oracle] voice in
            for finding in await oracle.findings() { voice.say(finding) }
            voice.say("done")
        }
        if outcome.lines.last == "done" { return outcome.lines.dropLast() }
        return outcome.lines + [
            "unopenable: the next program ended with signal \(outcome.signal)" + (outcome.hung ? ", for it hung" : "")
        ]
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
