import Foundation
import TestSupport
import Testing

/// Bytes that were damaged at random: whatever reads or repairs them answers in time, with what it
/// could read or an error that says what is wrong.
///
/// Here some runs of each, the same every time; `FOLIO_FUZZ` says how many times as many, with new
/// seeds: 1000 takes hours. `FOLIO_FUZZ_DRIVER` names another driver, such as one that is built for
/// release.
struct FuzzTests {
    private static let factor = ProcessInfo.processInfo.environment["FOLIO_FUZZ"].flatMap { Int($0) } ?? 1
    /// The same runs every time; new ones where `FOLIO_FUZZ` asks for a campaign.
    private static let seed: UInt64 =
        ProcessInfo.processInfo.environment["FOLIO_FUZZ"] == nil ? 20_261_126 : .random(in: 0..<(1 << 32))
    private static let driver =
        ProcessInfo.processInfo.environment["FOLIO_FUZZ_DRIVER"].map { URL(fileURLWithPath: $0) }
        ?? builtProgram("FuzzDriver")
    private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("DocumentSamples/Expeditions.folio").path

    private static let readers: [(task: String, runs: Int)] = [
        ("manifest", 1000), ("property-list", 1000), ("xml-property-list", 500), ("keyed-archive", 1000),
        ("compiled-model", 300), ("model-contents", 300), ("mapping-model", 1000),
        ("compiled-mapping", 1000), ("marker", 1000), ("origin", 1000), ("zip64", 500), ("page-sums", 500),
        ("lock", 200), ("version-index", 200), ("version-delta", 500), ("zip-directory", 500), ("zip-salvage", 200),
        ("wal", 500), ("database-pages", 500), ("database", 300),
        ("xml-store", 100), ("binary-store", 500),
    ]

    private static let repairs: [(task: String, runs: Int)] = [
        ("repair-package", 10), ("repair-package-wal", 10), ("repair-archive", 8), ("repair-many-entries", 1),
        ("repair-store", 10), ("repair-store-wal", 10), ("repair-xml", 3),
        ("repair-binary", 3),
    ]

    @Test(.enabled(if: runsSweeps), arguments: readers) func aReaderAnswers(task: String, runs: Int) throws {
        try fuzz(task, runs)
    }

    @Test(.enabled(if: runsSweeps), arguments: repairs) func repairSavesWhatCanBeReadAndTellsTheRest(
        task: String, runs: Int
    ) throws {
        try fuzz(task, runs)
    }

    /// Damage that repairs once lost sound rows to: the root of a table over that of a small one,
    /// with and without a WAL; half a page of the pointer map; a wrong length in a header of an
    /// archive; a comma in a table's definition; the type of a rowid column.
    @Test(
        .enabled(if: runsSweeps),
        arguments: [
            ("repair-package", 5, 20_261_125), ("repair-package-wal", 5, 20_261_125), ("repair-store", 5, 20_261_125),
            ("repair-store-wal", 5, 20_261_125), ("repair-archive", 217, 20_261_125),
            ("repair-many-entries", 27, 20_261_125), ("repair-store", 14, 77), ("repair-archive", 324, 202),
            ("repair-package", 3, 3_377_774_103),
        ]) func whatWasLostOnceIsSaved(task: String, run: Int, seed: UInt64) throws
    {
        try fuzz(task, 1, seed: seed, first: run)
    }

    private func fuzz(
        _ task: String, _ runs: Int, seed: UInt64 = Self.seed, first: Int? = nil
    ) throws {
        try withTemporaryDirectory { folder in
            let process = Process(), output = privatePipe(), count = first == nil ? runs * Self.factor : runs
            process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
            // Of address space, of which the program itself takes a good part; and seconds for each
            // run, in which a machine does other things besides.
            process.arguments =
                ["--core=0"] + (runsUnderSanitizer ? [] : ["--as=\(1 << 30)"]) + [
                    "--", Self.driver.path, task, "\(seed)", "\(count)", "30", Self.sample,
                ] + (first.map { ["\($0)"] } ?? [])
            var environment = ProcessInfo.processInfo.environment
            environment["TMPDIR"] = folder.path
            environment["SWIFT_BACKTRACE"] = "enable=no"
            process.environment = environment
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let isWhole = process.terminationReason == .exit && process.terminationStatus == 0
            let note = text.split(separator: "\n").first.flatMap {
                try? Data(contentsOf: URL(fileURLWithPath: "\($0)/run"))
            }
            let run = note.map { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
            #expect(
                isWhole,
                "\(task), seed \(seed), run \(run.map { String($0) } ?? "?"): ended with \(process.terminationStatus): \(text)"
            )
            if isWhole { print(text.split(separator: "\n").last ?? "") }
        }
    }
}
