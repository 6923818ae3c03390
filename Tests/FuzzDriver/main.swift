import FileSystem
import Foundation
import TestSupport

// FuzzDriver TASK SEED RUNS SECONDS SAMPLE
//
// Damages documents or single files at random and reads or repairs them, in this process. A run
// that traps, takes longer than SECONDS or more memory than the process may have ends it; the file
// `run` in the scratch folder, told in the first line, has the number of the run then. With that as
// one more argument, the same damage is made again.

/// What was read, and what was refused.
struct Tally {
    var runs = 0, read = 0, refused = 0
}

func fail(_ message: String) -> Never {
    print(message)
    exit(1)
}

guard CommandLine.arguments.count >= 6, let seed = UInt64(CommandLine.arguments[2]),
    let runs = Int(CommandLine.arguments[3]), let seconds = UInt32(CommandLine.arguments[4])
else {
    print((Reader.names + Repair.names).joined(separator: "\n"))
    exit(64)
}
let task = CommandLine.arguments[1], sample = CommandLine.arguments[5]
let first = CommandLine.arguments.count > 6 ? Int(CommandLine.arguments[6]) ?? 0 : 0

let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
    "fuzz-\(ProcessInfo.processInfo.processIdentifier)"
).path
FileHandle.standardOutput.write(Data((scratch + "\n").utf8))
do {
    try Disk.makeDirectory(scratch, mode: 0o700)
    setenv("XDG_STATE_HOME", scratch + "/state", 1)
    let fixtures = try Fixtures(in: scratch + "/fixtures", from: sample)
    let note = try File(scratch + "/run", .create(mode: 0o600))
    var tally = Tally()
    let body: (inout SplitMix) throws -> Bool
    if Repair.names.contains(task) {
        let repair = try Repair(task, fixtures, scratch + "/work")
        body = { try repair.run(&$0) }
    } else {
        try Disk.makeDirectory(scratch + "/case", mode: 0o700)
        let reader = try Reader.make(task, fixtures, scratch + "/case/file")
        body = { try reader.run(&$0) }
    }
    for run in first..<first + runs {
        var dice = SplitMix(state: seed &+ UInt64(run) &* 0x9E37_79B9)
        try withUnsafeBytes(of: run) { try note.write($0, at: 0) }
        alarm(seconds)
        tally.runs += 1
        if try body(&dice) { tally.read += 1 } else { tally.refused += 1 }
        alarm(0)
    }
    try Disk.removeTree(scratch)
    // A reader that refuses everything is given files that it does not read undamaged.
    if Reader.names.contains(task), tally.runs >= 500, tally.read == 0 { fail("\(task): nothing was read") }
    print("\(task): \(tally.runs) runs, \(tally.read) read, \(tally.refused) refused")
} catch {
    fail("\(task) \(seed): \(error)")
}
