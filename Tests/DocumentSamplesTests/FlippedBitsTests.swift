import Foundation
import Testing
import TestSupport

/// A small document with one bit turned over: whatever the answer is, it comes, quickly, and as an
/// exit code of the contract.
///
/// Each bit in its turn takes an hour; here every so many, another share of them in each process.
/// `FOLIO_FLIP_ALL` asks for all.
struct FlippedBitsTests {
    private static let answers: Set<Int32> = [0, 1, 65, 66, 69, 74, 75, 76, 77, 78]
    /// About so many bits of each document.
    private static let sample = 40

    private func expectAnswers(
        _ name: String, _ commands: [[String]],
        _ document: (URL) throws -> (bytes: [UInt8], write: ([UInt8], URL) throws -> Void)
    ) throws {
        try withTemporaryDirectory { folder in
            let (bytes, write) = try document(folder)
            let bits = bytes.count * 8
            let step = ProcessInfo.processInfo.environment["FOLIO_FLIP_ALL"] != nil ? 1 : max(1, bits / Self.sample)
            for bit in stride(from: Int.random(in: 0..<step), to: bits, by: step) {
                var flipped = bytes
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                for command in commands {
                    let run = try HostileRun(command, mayChange: true) { box in
                        try write(flipped, box)
                        return name
                    }
                    #expect(
                        !run.isKilled && Self.answers.contains(run.exit),
                        "bit \(bit), \(command): \(run.exit) \(run.messages)")
                }
            }
        }
    }

    private static let source = HostileTable.folder.appendingPathComponent("value-cycle.folioz")

    @Test func anArchiveAnswersWhicheverBitIsFlipped() throws {
        try expectAnswers("A.folioz", [["export", "DOC"]]) { _ in
            (
                try Array(Data(contentsOf: Self.source)),
                { try Data($0).write(to: $1.appendingPathComponent("A.folioz")) }
            )
        }
    }

    @Test(.enabled(if: runsSweeps)) func aStoreAnswersWhicheverBitIsFlipped() throws {
        try expectAnswers("A.folio", [["export", "DOC"], ["verify", "DOC"], ["insert", "DOC", "Note", "title=x"]]) {
            _ in
            (try SoundPackage.store, { try SoundPackage.make(at: $1.appendingPathComponent("A.folio"), store: $0) })
        }
    }
}
