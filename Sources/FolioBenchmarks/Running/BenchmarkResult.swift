/// One row of the table: a workload at a size, from all rounds.
struct BenchmarkResult: Codable {
    struct Side: Codable {
        var medianMs: Double
        var minMs: Double
        var cpuMs: Double
        var peakMiB: Double
        var bytesPerObject: Double?
        var bytes: Double?

        init(_ rounds: [Measurement]) {
            medianMs = median(rounds.map(\.wallMs))
            minMs = rounds.map(\.wallMs).min() ?? 0
            cpuMs = median(rounds.map(\.cpuMs))
            peakMiB = rounds.map(\.peakMiB).max() ?? 0
            bytesPerObject = rounds.compactMap(\.bytesPerObject).max()
            let counted = rounds.compactMap(\.bytes)
            bytes = counted.isEmpty ? nil : median(counted)
        }
    }

    /// As the contract numbers the workloads.
    var id: String
    /// The part of a workload that has several; empty otherwise.
    var part: String
    var size: Int
    /// What `must` and `goal` bound: `time`, `processorTime` or `bytes` as a ratio to the
    /// hand-written side, or `milliseconds` of Folio's own.
    var bounds: Workload.Quantity?
    var ratio: Double
    var goal: Double?
    var must: Double?
    var folio: Side
    var hand: Side

    init(_ workload: Workload, size: Int, folio: [Measurement], hand: [Measurement]) {
        (id, part) = workload.name
        self.size = size
        self.folio = Side(folio)
        self.hand = Side(hand)
        ratio =
            switch workload.quantity {
            case .time, .milliseconds: self.folio.medianMs / self.hand.medianMs
            case .processorTime: self.folio.cpuMs / self.hand.cpuMs
            case .bytes: (self.folio.bytes ?? .nan) / (self.hand.bytes ?? .nan)
            }
        bounds = workload.quantity
        goal = workload.goal
        must = workload.must
    }
}

private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
