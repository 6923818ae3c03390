import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import Glibc

// CrashDriver probe whether processes can be watched here CrashDriver list the operations with
// their forms CrashDriver sweep <operation> <form> [step] [first] [faults] faults at every step-th
// call from the first on; of one kind, or of the n-th of m shares, "n/m" CrashDriver states
// <operation> <form> crash states that the operation may leave CrashDriver mutants <operation>
// <form> crash states without one of its synchronizations or renamings at a time CrashDriver full
// <space|inodes> <form> what happens on a disk that is really full CrashDriver locks <form> two
// editors, with the document's lock and without CrashDriver edit <path> <pid> the second of these
// editors, in a process of its own; the first is the process with that ID
//
// Prints "points <n> <what>" for each part, and "failure <what>" for each failure; ends with 0 even
// then, for whoever runs it counts them. With FOLIO_FAULTS_KEEP in the environment a sweep, or a
// search through states, stops at the first failure and leaves the documents as they are.

/// Where this machine does not let a process be watched, or a file system be mounted.
let unavailable: Int32 = 69
let usage: Int32 = 64

func run(_ arguments: [String]) throws {
    if arguments.first == "list" {
        for operation in Operation.all { for form in operation.forms { print(operation.name, form) } }
        return
    }
    if arguments.count == 3, arguments[0] == "edit", let holder = Int32(arguments[2]) {
        editAndEnd(arguments[1], holder: holder)
    }
    let place = try Place()
    var isKept = false
    defer { if isKept { print("kept \(place.root)") } else { place.remove() } }
    if arguments.first == "probe" {
        _ = try Fork.run(Fork.Plan(root: place.root)) { _ in }
        return
    }
    if arguments.count == 3, arguments[0] == "full", let form = DocumentForm(named: arguments[2]) {
        return report(
            try FullDisk(place: place, form: form, exhaustsInodes: arguments[1] == "inodes").run(), "full disk \(form)")
    }
    if arguments.count == 2, arguments[0] == "locks", let form = DocumentForm(named: arguments[1]) {
        return report(try LockMutants(place: place, form: form).run(), "locks \(form)")
    }
    guard arguments.count >= 3, let operation = Operation.all.first(where: { $0.name == arguments[1] }),
        let form = operation.forms.first(where: { "\($0)" == arguments[2] })
    else { exit(usage) }
    var sweep = Sweep(place: place, operation: operation, form: form)
    sweep.isKept = getenv("FOLIO_FAULTS_KEEP") != nil
    isKept = sweep.isKept
    switch arguments[0] {
    case "sweep":
        if arguments.count > 3 { sweep.step = max(1, Int(arguments[3]) ?? 1) }
        if arguments.count > 4 { sweep.first = max(1, Int(arguments[4]) ?? 1) }
        try sweep.begin()
        for kind in FaultKind.selected(arguments.count > 5 ? arguments[5] : "0/1") {
            report(try sweep.run(kind), "\(operation.name) \(form) \(kind.name)")
        }
    case "states":
        report(try StateSweep(sweep).run(), "\(operation.name) \(form) crash states")
    case "mutants":
        let (count, survivors) = try StateSweep(sweep).mutants()
        print("points \(count) \(operation.name) \(form) mutants")
        for survivor in survivors { print("survivor \(survivor)") }
    default: exit(usage)
    }
}

func editAndEnd(_ path: String, holder: Int32) -> Never {
    Task {
        do { print(try await LockMutants.edit(path, holder: holder)) } catch { print(error) }
        fflush(nil)
        _exit(0)
    }
    while true { pause() }
}

extension DocumentForm {
    init?(named name: String) {
        guard let form = [DocumentForm.package, .archive].first(where: { "\($0)" == name }) else { return nil }
        self = form
    }
}

func report(_ tally: Sweep.Tally, _ what: String) {
    print("points \(tally.points) \(what)")
    for failure in tally.failures { print("failure \(failure)") }
    fflush(nil)
}

do {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch let error as FileSystemError where ["watch", "mount"].contains(error.operation) {
    print("unavailable \(error.message)")
    exit(unavailable)
} catch {
    print("failure \(error)")
    exit(70)
}
