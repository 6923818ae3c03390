import Foundation

/// The results as a table for people.
enum BenchmarkTable {
    static let header = row(
        "", "objects", "Folio ms", "min", "cpu", "MiB", "hand ms", "min", "cpu", "MiB", "ratio", "must", "goal",
        "B/object", "change")

    static func row(_ result: BenchmarkResult, earlier: BenchmarkResult?) -> String {
        let change = earlier.map { String(format: "%+.0f %%", (result.ratio / $0.ratio - 1) * 100) } ?? ""
        return row(
            result.part.isEmpty ? result.id : "\(result.id)-\(result.part)", String(result.size),
            number(result.folio.medianMs), number(result.folio.minMs), number(result.folio.cpuMs),
            number(result.folio.peakMiB), number(result.hand.medianMs), number(result.hand.minMs),
            number(result.hand.cpuMs),
            number(result.hand.peakMiB), String(format: "%.2f", result.ratio), bound(result.must, result),
            bound(result.goal, result),
            result.folio.bytesPerObject.map { String(format: "%.0f", $0) } ?? "", change)
    }

    private static func bound(_ value: Double?, _ result: BenchmarkResult) -> String {
        guard let value else { return "" }
        return result.bounds == .milliseconds ? String(format: "%.0f ms", value) : String(format: "%.2f", value)
    }

    private static func number(_ value: Double) -> String {
        value >= 100
            ? String(format: "%.0f", value) : value >= 1 ? String(format: "%.1f", value) : String(format: "%.3f", value)
    }

    private static func row(_ cells: String...) -> String {
        cells.enumerated().map { index, cell in
            let width = 9
            let padding = String(repeating: " ", count: max(0, width - cell.count))
            return index == 0 ? cell + padding : padding + cell
        }.joined(separator: " ")
    }
}
