import Foundation

@main
struct FolioBenchmarksMain {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if try await ChildTask.runIfAsked(arguments) { return }
            if arguments.contains("--help") || arguments.contains("-h") {
                print(BenchmarkOptions.usage)
                return
            }
            if arguments.contains("--list") {
                for workload in Workload.allCases { print("\(workload.rawValue): \(workload.title)") }
                return
            }
            try runAll(BenchmarkOptions(arguments))
        } catch {
            FileHandle.standardError.write(Data("FolioBenchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func runAll(_ options: BenchmarkOptions) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "folio-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let earlier = try options.comparison.map { path in
            try JSONDecoder().decode(BenchmarkReport.self, from: Data(contentsOf: URL(fileURLWithPath: path))).results
        }
        guard let program = Bundle.main.executableURL else {
            throw BenchmarkError("can't find this program's own file")
        }
        let runner = BenchmarkRunner(directory: directory, program: program, rounds: options.rounds)
        var results: [BenchmarkResult] = []
        if !options.json { print(BenchmarkTable.header) }
        for workload in options.workloads {
            let obstacle =
                workload.name.id == "Start"
                ? StartWorkload.obstacle(beside: program)
                : workload == .w16 ? ImportWorkload.obstacle(beside: program) : nil
            if let obstacle {
                FileHandle.standardError.write(Data("\(workload.rawValue) left out: \(obstacle)\n".utf8))
                continue
            }
            for size in options.sizes.isEmpty ? workload.defaultSizes : options.sizes {
                let result = try runner.run(workload, size: size) { step in
                    if isatty(2) == 1 { FileHandle.standardError.write(Data("\r\u{1b}[K\(step)".utf8)) }
                }
                if isatty(2) == 1 { FileHandle.standardError.write(Data("\r\u{1b}[K".utf8)) }
                results.append(result)
                if !options.json {
                    print(
                        BenchmarkTable.row(
                            result,
                            earlier: earlier?.first {
                                $0.id == result.id && $0.size == result.size && $0.part == result.part
                            }))
                }
            }
        }
        let growth = options.showsGrowth ? Growth.of(results) : nil
        if options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            FileHandle.standardOutput.write(
                try encoder.encode(BenchmarkReport(results: results, growth: growth)) + Data("\n".utf8))
        }
        if !options.json { for line in growth ?? [] { print(line.line) } }
    }
}
