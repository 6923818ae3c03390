import DocumentFiles
import Foundation
import MergeTriples
import TestSupport
import Testing

/// The laws of merging, on random triples of documents of every form. The program `MergeLaws` does
/// the same for as many triples as one likes.
///
/// `FOLIO_MERGE_TRIPLES` says how many triples each form gets of each source.
struct MergeLawTests {
    private static let count =
        ProcessInfo.processInfo.environment["FOLIO_MERGE_TRIPLES"].flatMap { Int($0) } ?? sweep(2, all: 12)

    @Test(arguments: MergeTriple.forms, [MergeTriple.Source.library, .random, .disjoint])
    func theLawsHold(_ form: DocumentForm, _ source: MergeTriple.Source) async throws {
        for index in 0..<Self.count {
            try await withFolder { folder in
                let seed = UInt64(index) &* 1_000_003
                let triple = try await MergeTriple(in: folder, form, source, seed: seed)
                for law in MergeLaw.allCases where law.applies(to: triple) {
                    let objections = try await law.objections(triple)
                    #expect(objections.isEmpty, "\(law), \(seed): \(objections.prefix(4))")
                }
            }
        }
    }
}
