import Merging
import DocumentFiles
import DocumentKit
import Foundation
import MergeTriples

// MergeLaws [--rounds N] [--first N] [--seed N] [--forms package,archive,…] [--models library,…]
//           [--laws identity,…] [--folder DIR]
//
// Makes random triples of documents and checks the laws of merging on them, each triple by every
// law that says something of it. The forms take turns, and for each of them the sources of models.
// Prints "failure …" for each violation, with what makes the triple again: --first N --rounds 1.
// Ends with 1 if there was one.

struct Options {
    var rounds = 100, first = 0, seed: UInt64 = 1
    var forms = MergeTriple.forms, laws = MergeLaw.allCases
    var models: [(name: String, source: MergeTriple.Source)] = Self.sources
    var folder = FileManager.default.temporaryDirectory

    static let sources: [(name: String, source: MergeTriple.Source)] = [
        ("library", .library), ("random", .random), ("disjoint", .disjoint),
    ]

    init?(_ words: [String]) {
        guard words.count % 2 == 0 else { return nil }
        for index in stride(from: 0, to: words.count, by: 2) {
            let value = words[index + 1], names = value.split(separator: ",").map(String.init)
            switch words[index] {
            case "--rounds": rounds = Int(value) ?? 0
            case "--first": first = Int(value) ?? 0
            case "--seed": seed = UInt64(value) ?? 1
            case "--forms": forms = MergeTriple.forms.filter { names.contains("\($0)") }
            case "--models": models = Self.sources.filter { names.contains($0.name) }
            case "--laws": laws = MergeLaw.allCases.filter { names.contains($0.rawValue) }
            case "--folder": folder = URL(fileURLWithPath: value)
            default: return nil
            }
        }
        if forms.isEmpty || models.isEmpty || laws.isEmpty { return nil }
    }
}

guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    print("MergeLaws [--rounds N] [--first N] [--seed N] [--forms LIST] [--models LIST] [--laws LIST] [--folder DIR]")
    exit(64)
}
let folder = options.folder.appendingPathComponent("merge-laws-\(ProcessInfo.processInfo.processIdentifier)")
var counts: [String: Int] = [:], failures = 0, conflicts = 0, made = 0
let begin = ContinuousClock.now
for round in options.first..<options.first + options.rounds {
    let form = options.forms[round % options.forms.count]
    let (name, source) = options.models[round / options.forms.count % options.models.count]
    let what = "--seed \(options.seed) --first \(round) --rounds 1, \(form), \(name)"
    func fail(_ message: String) {
        failures += 1
        print("failure \(what): \(message.prefix(2000))")
        fflush(nil)
    }
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    setenv("XDG_STATE_HOME", folder.path + "/state", 1)
    do {
        let triple = try await MergeTriple(
            in: folder, form, source, seed: options.seed &* 1_000_003 &+ UInt64(round) &* 7919)
        made += 1
        for law in options.laws where law.applies(to: triple) {
            do {
                let objections = try await law.objections(triple)
                counts["\(form) \(law.rawValue)", default: 0] += 1
                if !objections.isEmpty { fail("\(law.rawValue): \(objections.prefix(4))") }
            } catch {
                fail("\(law.rawValue) throws \(error)")
            }
        }
        if try await !triple.bothMerged().report.conflicts.isEmpty { conflicts += 1 }
    } catch {
        fail("no triple: \(error)")
    }
    if (round + 1) % 500 == 0 {
        print("\(round + 1): \(failures) failures, \((ContinuousClock.now - begin).components.seconds) s")
        fflush(nil)
    }
}
try? FileManager.default.removeItem(at: folder)
for (name, count) in counts.sorted(by: { $0.key < $1.key }) { print("checked \(name) \(count)") }
print("\(made) triples, \(conflicts) with conflicts, \(failures) failures")
exit(failures == 0 ? 0 : 1)
