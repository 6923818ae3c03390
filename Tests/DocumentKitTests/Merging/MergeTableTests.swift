import Merging
import DocumentKit
import Schema
import TestSupport
import Testing

/// The tables in which a merge keeps objects and values.
struct MergeTableTests {
    @Test func valuesAreFoundByTheirPropertiesInWhateverOrderTheyAreSet() {
        var random = SplitMix(state: 7)
        for _ in 0..<200 {
            var values = ObjectValues(), expected: [Int: Int64] = [:]
            for _ in 0..<Int.random(in: 0..<24, using: &random) {
                let property = Int.random(in: 0..<12, using: &random)
                let value = Bool.random(using: &random) ? Int64.random(in: 0..<100, using: &random) : nil
                values[property] = value.map { .plain(.int($0)) }
                expected[property] = value
            }
            #expect(values.map(\.property) == expected.keys.sorted())
            for property in 0..<13 {
                #expect(values[property]?.attribute == expected[property].map { .int($0) })
            }
        }
    }

    @Test func objectsAreFoundByTheirNamesAndFollowTheirOrder() {
        var random = SplitMix(state: 8)
        for _ in 0..<200 {
            let origins: [MergeName.Origin] = [.base, .ours, .theirs]
            var names: Set<MergeName> = []
            for _ in 0..<Int.random(in: 0..<24, using: &random) {
                names.insert(
                    MergeName(
                        Int.random(in: 0..<3, using: &random), Int64.random(in: -4..<5, using: &random),
                        origins.randomElement(using: &random) ?? .base))
            }
            let table = ObjectTable(names.map { ($0, "\($0)") })
            #expect(table.names == names.sorted() && table.map(\.value) == names.sorted().map { "\($0)" })
            for entity in 0..<3 {
                for number in Int64(-4)..<5 {
                    for origin in origins {
                        let name = MergeName(entity, number, origin)
                        #expect(table[name] == (names.contains(name) ? "\(name)" : nil))
                    }
                }
            }
        }
    }
}
