import Foundation

/// Runs rounds of both contestants in turn, each in a process and on a file of its own.
struct BenchmarkRunner {
    let directory: URL
    let program: URL
    let rounds: Int

    func run(_ workload: Workload, size: Int, progress: (String) -> Void) throws -> BenchmarkResult {
        var templates: [Contestant: URL] = [:]
        for contestant in Contestant.allCases {
            templates[contestant] = try template(workload.template(for: contestant), size: size)
        }
        var measurements: [Contestant: [Measurement]] = [:]
        for round in 1...rounds {
            // The order alternates, so that neither always finds the caches warm.
            let order: [Contestant] = round % 2 == 1 ? [.folio, .hand] : [.hand, .folio]
            for contestant in order {
                progress("\(workload.rawValue) \(size) round \(round) of \(rounds): \(contestant.rawValue)")
                let document = directory.appendingPathComponent("round.folio")
                try? FileManager.default.removeItem(at: document)
                if let template = templates[contestant] { try FileManager.default.copyItem(at: template, to: document) }
                let measurement = try child([
                    ChildTask.flag, workload.rawValue, contestant.rawValue, String(size), document.path,
                ])
                measurements[contestant, default: []].append(measurement)
            }
        }
        let folio = measurements[.folio] ?? []
        let hand = measurements[.hand] ?? []
        guard Set((folio + hand).map(\.checksum)).count == 1 else {
            throw BenchmarkError("\(workload.rawValue): the contestants' results differ")
        }
        return BenchmarkResult(workload, size: size, folio: folio, hand: hand)
    }

    /// The document that every round gets a copy of, made once for a size.
    private func template(_ kind: Workload.Template, size: Int) throws -> URL {
        let count = kind == .empty ? 0 : size
        let template = directory.appendingPathComponent("\(kind.rawValue)-\(count).folio")
        if !FileManager.default.fileExists(atPath: template.path) {
            // Packed and unpacked is the same document.
            if kind == .archive {
                _ = try child([ChildTask.packFlag, self.template(.values, size: size).path, template.path])
            } else {
                _ = try child([ChildTask.templateFlag, kind.rawValue, String(count), template.path])
            }
        }
        return template
    }

    private func child(_ arguments: [String]) throws -> Measurement {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("a child process failed: \(arguments.joined(separator: " "))")
        }
        return try JSONDecoder().decode(Measurement.self, from: data)
    }
}
