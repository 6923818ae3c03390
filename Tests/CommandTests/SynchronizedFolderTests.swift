import Foundation
import TestSupport
import Testing

/// Two machines with one folder, which a program synchronizes: it copies what changed on one of
/// them to the other, and where both changed a document, one of the two gets a name beside it. Both
/// people edit and merge, and any of their commands may be killed. Whatever happens, what was
/// acknowledged is in the document in the end, or was listed as a conflict.
///
/// `FOLIO_MERGE_ROUNDS` says how many rounds there are.
struct SynchronizedFolderTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["FOLIO_MERGE_ROUNDS"].flatMap { Int($0) } ?? sweep(12, all: 40)
    private static let roundsOfOneDocument = 20

    @Test(arguments: [false, true]) func nothingAcknowledgedIsLost(whereBothMerge: Bool) throws {
        var done = 0, seed: UInt64 = 1, tally = SynchronizedFolder.Tally()
        while done < Self.rounds {
            let count = min(Self.roundsOfOneDocument, Self.rounds - done)
            try withTemporaryDirectory { folder in
                let folders = try SynchronizedFolder(folder, "Doc.folio", bothMerge: whereBothMerge, seed: seed)
                for _ in 0..<count { try folders.round() }
                try folders.finish()
                for objection in try folders.objections() { Issue.record("seed \(seed): \(objection)") }
                tally.add(folders.tally)
            }
            done += count
            seed += 1
        }
        #expect(tally.edits > done / 2 && (Self.rounds < 100 || tally.copies > 0 && tally.kills > 0))
        print("\(done) rounds: \(tally)")
    }
}

/// The folder as two machines have it.
final class SynchronizedFolder {
    struct Tally: CustomStringConvertible {
        var edits = 0, kills = 0, copies = 0, merges = 0, conflicts = 0

        mutating func add(_ other: Tally) {
            edits += other.edits
            kills += other.kills
            copies += other.copies
            merges += other.merges
            conflicts += other.conflicts
        }

        var description: String {
            "\(edits) edits acknowledged, \(kills) commands killed, \(copies) conflict copies, \(merges) merges, \(conflicts) conflicts"
        }
    }

    private let machines: [URL]
    private let document: String
    /// Whether both machines may merge between two synchronizations, the same copy, too, and killed
    /// merges are left as they are.
    private let bothMerge: Bool
    private var random: SplitMix
    private(set) var tally = Tally()
    /// What the folder was when it was synchronized last, by name.
    private var synchronized: [String: Int] = [:]
    private var number = 0
    /// The machine that has merged since then.
    private var merging: Int?

    // What was acknowledged.
    private var inserted: Set<String> = []
    private var deleted: Set<String> = []
    /// The last value that each machine gave the person of its own.
    private var own: [Int: [String]] = [:]
    /// Values of the person that both edit, without those that were written over later.
    private var shared: Set<String> = []
    /// Everything that a list of conflicts has named.
    private var listed: Set<String> = []

    init(_ folder: URL, _ document: String, bothMerge: Bool, seed: UInt64) throws {
        self.document = document
        self.bothMerge = bothMerge
        random = SplitMix(state: seed)
        machines = ["ada", "bob"].map { folder.appendingPathComponent($0) }
        for machine in machines {
            try FileManager.default.createDirectory(at: machine, withIntermediateDirectories: true)
        }
        try expect(run(0, "save-as", FolioCommand.document, document), 0)
        // A save of its own makes copies know each other.
        try expect(run(0, "set", document, "Person/p1", "name=Base"), 0)
        try synchronize()
    }

    // MARK: Commands

    private func run(_ machine: Int, _ words: String..., kills: Bool = false) throws -> FolioCommand.Outcome {
        guard kills, chance(1, of: 3) else { return try FolioCommand.run(words, in: machines[machine]) }
        // Within the time that a command takes, or shortly after.
        let seconds = Double(Int.random(in: 5...120, using: &random)) / 1000
        let outcome = try FolioCommand.run(
            words, in: machines[machine], through: ["/usr/bin/timeout", "-s", "KILL", "\(seconds)"])
        if Self.isKilled(outcome) { tally.kills += 1 }
        return outcome
    }

    private static func isKilled(_ outcome: FolioCommand.Outcome) -> Bool { [9, 137].contains(outcome.exit) }

    private func chance(_ one: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < one }

    private func expect(_ outcome: FolioCommand.Outcome, _ exit: Int32, _ location: SourceLocation = #_sourceLocation) {
        #expect(outcome.exit == exit, "\(outcome.output)\(outcome.messages)", sourceLocation: location)
    }

    // MARK: Rounds

    func round() throws {
        for machine in machines.indices {
            for _ in 0..<Int.random(in: 0...2, using: &random) { try edit(machine) }
        }
        if chance(2, of: 3) { try synchronize() }
        let machine = (bothMerge ? nil : merging) ?? Int.random(in: machines.indices, using: &random)
        if chance(1, of: 2) { try merge(machine, kills: true) }
    }

    private func edit(_ machine: Int) throws {
        number += 1
        let name = "\(machine)-\(number)"
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            let outcome = try run(machine, "insert", document, "Person", "name=\(name)", kills: true)
            if accepts(outcome) { inserted.insert(name) }
        case 2:
            guard let victim = inserted.sorted().randomElement(using: &random),
                try names(machine).contains(victim)
            else { return }
            // What is tried may be done, and what is done is not there any more.
            inserted.remove(victim)
            let outcome = try run(
                machine, "delete", document, "Person", "--where", "name == '\(victim)'", kills: true)
            if accepts(outcome) { deleted.insert(victim) }
        case 3, 4:
            let outcome = try run(machine, "set", document, "Person/p\(machine + 1)", "name=\(name)", kills: true)
            if accepts(outcome) { own[machine] = [name] } else { own[machine, default: ["Base"]].append(name) }
        default:
            if let before = try self.name(machine, "Person/p3") { shared.remove(before) }
            let outcome = try run(machine, "set", document, "Person/p3", "name=\(name)", kills: true)
            if accepts(outcome) { shared.insert(name) }
        }
    }

    /// Whether an edit was acknowledged.
    private func accepts(_ outcome: FolioCommand.Outcome) -> Bool {
        if Self.isKilled(outcome) { return false }
        expect(outcome, 0)
        tally.edits += 1
        return outcome.exit == 0
    }

    private func names(_ machine: Int) throws -> [String] {
        let outcome = try run(machine, "fetch", document, "Person", "--columns", "name", "--json")
        expect(outcome, 0)
        return (outcome.json as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }

    private func name(_ machine: Int, _ object: String) throws -> String? {
        let outcome = try run(machine, "get", document, object, "--json")
        return (outcome.object["attributes"] as? [String: Any])?["name"] as? String
    }

    /// Merges the copies that are listed, and deletes each that is merged.
    private func merge(_ machine: Int, kills: Bool) throws {
        merging = machine
        let list = try run(machine, "merge", document)
        expect(list, 0)
        for copy in list.output.split(separator: "\n").map(String.init) {
            let dry = try run(machine, "merge", document, copy, "--dry-run", "--json")
            #expect([0, 1].contains(dry.exit), "\(dry.messages)")
            for conflict in dry.object["conflicts"] as? [[String: Any]] ?? [] {
                tally.conflicts += 1
                for value in [conflict["ours"], conflict["theirs"], conflict["base"]] {
                    listed.insert("\(value ?? "")")
                }
                listed.insert("\(conflict["object"] ?? "")")
            }
            let side = chance(1, of: 2) ? "--ours" : "--theirs"
            let merge =
                kills
                ? try run(machine, "merge", document, copy, side, kills: true)
                : try run(machine, "merge", document, copy, side)
            // People try again before anything else.
            if Self.isKilled(merge), bothMerge { return }
            if Self.isKilled(merge) { return try self.merge(machine, kills: false) }
            expect(merge, 0)
            guard merge.exit == 0 else { continue }
            tally.merges += 1
            try FileManager.default.removeItem(at: machines[machine].appendingPathComponent(copy))
        }
    }

    // MARK: The synchronizing program

    /// Names as such programs give them.
    private func copyName() -> String {
        tally.copies += 1
        let url = URL(fileURLWithPath: document), stem = url.deletingPathExtension().lastPathComponent
        let tag = [
            " (conflicted copy 2026-11-\(10 + tally.copies % 20) \(tally.copies))",
            " (Bob's conflicted copy \(tally.copies))",
            ".sync-conflict-20261126-\(100_000 + tally.copies)-ABCDEFG", " \(tally.copies + 1)",
        ][tally.copies % 4]
        return stem + tag + "." + url.pathExtension
    }

    /// Brings both machines to one state: documents as wholes.
    func synchronize() throws {
        let states = try machines.map(Self.contents)
        for name in Set(states[0].keys).union(states[1].keys).union(synchronized.keys).sorted() {
            let before = synchronized[name], left = states[0][name], right = states[1][name]
            if left == right { continue }
            if right == before {
                try copy(name, from: 0)
            } else if left == before {
                try copy(name, from: 1)
            } else if left == nil || right == nil {
                // Deleted here, changed there: what was changed stays.
                try copy(name, from: left == nil ? 1 : 0)
            } else {
                // The one comes first; the other gets a name of its own on both.
                let first = chance(1, of: 2) ? 0 : 1, other = 1 - first, copy = copyName()
                try FileManager.default.moveItem(
                    at: machines[other].appendingPathComponent(name), to: machines[other].appendingPathComponent(copy))
                try self.copy(copy, from: other)
                try self.copy(name, from: first)
            }
        }
        synchronized = try Self.contents(machines[0])
        merging = nil
        let other = try Self.contents(machines[1])
        #expect(synchronized == other)
    }

    private func copy(_ name: String, from machine: Int) throws {
        let source = machines[machine].appendingPathComponent(name),
            target = machines[1 - machine].appendingPathComponent(name)
        try? FileManager.default.removeItem(at: target)
        if FileManager.default.fileExists(atPath: source.path) {
            try FileManager.default.copyItem(at: source, to: target)
        }
    }

    /// The documents in a folder, by name. What is hidden is not synchronized.
    private static func contents(_ folder: URL) throws -> [String: Int] {
        var found: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !name.hasPrefix(".") {
            var hasher = Hasher()
            let parts = try FolioCommand.contents(of: folder.appendingPathComponent(name))
            for (part, bytes) in parts.sorted(by: { $0.key < $1.key }) {
                hasher.combine(part)
                hasher.combine(bytes)
            }
            found[name] = hasher.finalize()
        }
        return found
    }

    // MARK: The end

    /// Merges until there are no copies any more.
    func finish() throws {
        for turn in 0..<8 {
            try synchronize()
            if synchronized.count == 1 { return }
            try merge(turn % 2, kills: false)
        }
        Issue.record("there are copies still: \(synchronized.keys.sorted())")
    }

    func objections() throws -> [String] {
        var found: [String] = []
        for machine in machines.indices {
            let verify = try run(machine, "verify", document, "--deep")
            if verify.exit != 0 { found.append("verify: \(verify.output)\(verify.messages)") }
            let names = try names(machine)
            for name in Set(names) where name.contains("-") && names.count(where: { $0 == name }) > 1 {
                found.append("\(name) is there more than once")
            }
            for name in inserted where !names.contains(name) && !listed.contains(name) {
                found.append("\(name) is lost")
            }
            for name in deleted where names.contains(name) && !listed.contains(name) {
                found.append("\(name) is back")
            }
            for (index, values) in own {
                let value = try self.name(machine, "Person/p\(index + 1)") ?? ""
                // What a killed command wrote may be what the conflict was about.
                if !values.contains(value), listed.isDisjoint(with: values) {
                    found.append("Person/p\(index + 1) is \(value), not one of \(values)")
                }
            }
            let value = try name(machine, "Person/p3") ?? ""
            for lost in shared where lost != value && !listed.contains(lost) {
                found.append("\(lost) of Person/p3 is lost")
            }
        }
        return found
    }
}
