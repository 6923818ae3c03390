import CrashSupervisor
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph

/// Two editors of one document: the second is told who holds it; without the lock, that would be noticed.
struct LockMutants {
    let place: Place
    let form: DocumentForm

    func run() throws -> Sweep.Tally {
        var tally = Sweep.Tally()
        for isOmitted in [false, true] {
            try place.begin()
            var plan = Fork.Plan(root: place.work)
            if isOmitted {
                plan.fault = CRASH_OMIT
                plan.calls = UInt32(CRASH_LOCKS.rawValue)
                plan.suffix = ".lock"
                plan.point = 1
                plan.length = nil
            }
            let outcome = try Fork.run(plan) { [self] voice in
                do { voice.say(try await editTwice()) } catch { voice.say("\(error)") }
            }
            tally.points += 1
            // Without the lock an archive's second editor is stopped by SQLite, which holds the journal in the working set for one alone, and can't say who it is.
            let expected = isOmitted ? (form == .archive ? "told of nil" : "two editors") : "told"
            if outcome.lines != [expected] { tally.failures.append("\(form), \(isOmitted ? "without" : "with") the lock: \(outcome.lines)") }
        }
        return tally
    }

    private func editTwice() async throws -> String {
        let document = try await PersistentDocument.create(at: place.url("A"), model: Notes.model(), form: form)
        do {
            let other = try await PersistentDocument.open(place.url("A"), recovery: .keep)
            _ = other
            _ = document
            return "two editors"
        } catch let error as DocumentError where error.code == .locked {
            return error.holder?.pid == ProcessInfo.processInfo.processIdentifier ? "told" : "told of \(String(describing: error.holder))"
        }
    }
}
