import Foundation

/// How cost grows with the work: from each size to the next larger one of a workload.
struct Growth: Codable {
    var id: String
    var part: String
    var from: Int
    var to: Int
    /// How many times as much processor time Folio takes, for an object each: 1 is linear.
    var timePerObject: Double
    var handTimePerObject: Double
    /// Bytes of peak memory that each further object takes.
    var bytesPerObject: Double

    static func of(_ results: [BenchmarkResult]) -> [Growth] {
        results.flatMap { result -> [Growth] in
            let larger = results.filter { $0.id == result.id && $0.part == result.part && $0.size > result.size }.min {
                $0.size < $1.size
            }
            guard let larger else { return [] }
            func perObject(_ side: KeyPath<BenchmarkResult, BenchmarkResult.Side>) -> Double {
                larger[keyPath: side].cpuMs / Double(larger.size) / (result[keyPath: side].cpuMs / Double(result.size))
            }
            return [
                Growth(
                    id: result.id, part: result.part, from: result.size, to: larger.size,
                    timePerObject: perObject(\.folio), handTimePerObject: perObject(\.hand),
                    bytesPerObject: (larger.folio.peakMiB - result.folio.peakMiB) * 1_048_576
                        / Double(larger.size - result.size))
            ]
        }
    }

    var line: String {
        let name = part.isEmpty ? id : "\(id)-\(part)"
        return String(
            format:
                "%@ from %d to %d objects: time per object × %.2f (by hand × %.2f), %.0f bytes of memory for each further object",
            name, from, to, timePerObject,
            handTimePerObject, bytesPerObject)
    }
}
