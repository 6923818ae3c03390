import Coding
import Foundation
import Testing

struct EditablePropertyListTests {
    private let first = Date(timeIntervalSinceReferenceDate: 1), second = Date(timeIntervalSinceReferenceDate: 2)

    private func decoded(_ list: EditablePropertyList) throws -> PropertyListValue {
        try PropertyList.decode(Data(list.bytes))
    }

    @Test func valuesOfTheSameWidthAreExchangedInPlace() throws {
        var pairs: [String: PropertyListValue] = [
            "counter": "0000000000000000001", "short": "ab", "date": .date(first), "flag": true, "ratio": .real(0.5),
            "data": .data(Data([1, 2])), "hashes": ["a": 300],
        ]
        var list = EditablePropertyList(pairs)
        #expect(Data(list.bytes) == PropertyList.encodeBinary(.dictionary(pairs)))
        let changes: [String: PropertyListValue] = [
            "counter": "0000000000000000002", "short": "cd", "date": .date(second), "flag": false, "ratio": .real(-1),
            "data": .data(Data([3, 4])),
        ]
        for (key, value) in changes {
            let isExchanged = list.exchange(key, for: value)
            #expect(isExchanged, "\(key)")
            pairs[key] = value
        }
        #expect(try decoded(list) == .dictionary(pairs))
    }

    @Test func whatWouldChangeKindOrWidthIsRefused() throws {
        let pairs: [String: PropertyListValue] = [
            "text": "abc", "long": "abcdefghijklmnopqrst", "number": 7, "flag": true, "list": .array([1]),
        ]
        var list = EditablePropertyList(pairs)
        let refused: [(String, PropertyListValue)] = [
            ("text", "abcd"), ("text", "äbc"), ("text", 3), ("long", "abcdefghijklmnopqrs"), ("long", "abc"),
            ("number", 70_000), ("number", "7"), ("flag", 1),
            ("list", .array([2])), ("absent", "abc"),
        ]
        for (key, value) in refused {
            let isExchanged = list.exchange(key, for: value)
            #expect(!isExchanged, "\(key) \(value)")
        }
        #expect(try decoded(list) == .dictionary(pairs))
    }

    @Test func whatStandsForSeveralIsRefused() throws {
        let pairs: [String: PropertyListValue] = [
            "created": .date(first), "saved": .date(first), "counter": "same", "names": .array(["same"]),
            "key": "saved", "own": .date(second),
        ]
        var list = EditablePropertyList(pairs)
        let refused: [(String, PropertyListValue)] = [
            ("created", .date(second)), ("saved", .date(second)), ("counter", "else"), ("key", "other"),
        ]
        for (key, value) in refused {
            let isExchanged = list.exchange(key, for: value)
            #expect(!isExchanged, "\(key)")
        }
        let isExchanged = list.exchange("own", for: .date(first))
        #expect(isExchanged)
        #expect(try decoded(list) == .dictionary(pairs.merging(["own": .date(first)]) { $1 }))
    }
}
