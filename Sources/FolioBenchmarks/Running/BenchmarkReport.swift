/// What `--json` writes and `--compare` reads.
struct BenchmarkReport: Codable {
    var results: [BenchmarkResult]
    /// Where workloads ran at several sizes.
    var growth: [Growth]?
}
