import Foundation
import ObjectGraph
import Query
import TestSupport
import Testing

/// Random programs over two contexts of one store that merge each other's saves: after each step,
/// every live result is what a fetch finds, what was told leads there, and what is not edited is
/// what the store has.
///
/// `FOLIO_RANDOM_SEEDS` says how many seeds each kind of store runs, `FOLIO_RANDOM_FIRST` which
/// comes first.
struct RandomResultsTests {
    @Test(arguments: RandomEditor.seeds(12), StoreKind.allCases)
    func liveResultsFetchesAndNotificationsAgree_S38_S42_U5(seed: Int, kind: StoreKind) throws {
        do { try ResultsProgram.run(kind, seed: UInt64(seed), steps: 60) } catch {
            Issue.record("seed \(seed), \(kind.rawValue): \(error)")
        }
    }
}
