import CrashSupervisor
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph

/// Two editors of one document, in one process and in two: the second is told who holds it; without
/// the lock, that would be noticed.
struct LockMutants {
    let place: Place
    let form: DocumentForm

    private struct Case {
        let isOmitted: Bool
        let isOtherProcess: Bool
        let expected: String
    }

    /// Without the lock a document has two editors. Only within one process an archive still has
    /// not: its WAL has an index in the memory of the connection that writes it, so the guard VFS
    /// opens none beside it (`SQLITE_BUSY`, before any file is touched), and knows nobody to name.
    /// Between processes nothing else stands in the way.
    private var cases: [Case] {
        [
            Case(isOmitted: false, isOtherProcess: false, expected: "told"),
            Case(isOmitted: false, isOtherProcess: true, expected: "told"),
            Case(isOmitted: true, isOtherProcess: false, expected: form == .archive ? "told of nobody" : "two editors"),
            Case(isOmitted: true, isOtherProcess: true, expected: "two editors"),
        ]
    }

    func run() throws -> Sweep.Tally {
        var tally = Sweep.Tally()
        for test in cases {
            try place.begin()
            var plan = Fork.Plan(root: place.work)
            if test.isOmitted {
                plan.fault = CRASH_OMIT
                plan.calls = UInt32(CRASH_LOCKS.rawValue)
                plan.suffix = ".lock"
                plan.point = 1
                plan.length = nil
            }
            let outcome = try Fork.run(plan) { [self] voice in
                do { voice.say(try await editTwice(test.isOtherProcess)) } catch { voice.say("\(error)") }
            }
            tally.points += 1
            if outcome.lines != [test.expected] {
                tally.failures.append(
                    "\(form), \(test.isOtherProcess ? "two processes" : "one process"), \(test.isOmitted ? "without" : "with") the lock: \(outcome.lines)"
                )
            }
        }
        return tally
    }

    private func editTwice(_ isOtherProcess: Bool) async throws -> String {
        let document = try await PersistentDocument.create(at: place.url("A"), model: Notes.model(), form: form)
        defer { withExtendedLifetime(document) {} }
        return isOtherProcess
            ? try Self.editElsewhere(place.path("A")) : try await Self.edit(place.path("A"), holder: getpid())
    }

    /// Tries to edit a document, and says what became of it.
    static func edit(_ path: String, holder: Int32) async throws -> String {
        do {
            let document = try await PersistentDocument.open(URL(fileURLWithPath: path), recovery: .keep)
            return withExtendedLifetime(document) { "two editors" }
        } catch let error as DocumentError where error.code == .locked {
            return error.holder.map { $0.pid == holder ? "told" : "told of \($0)" } ?? "told of nobody"
        }
    }

    /// As ``edit(_:holder:)``, by another process, which is watched like this one.
    private static func editElsewhere(_ path: String) throws -> String {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["edit", path, "\(getpid())"]
        process.standardOutput = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
    }
}
