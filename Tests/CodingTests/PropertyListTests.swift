import Coding
import Foundation
import Testing

struct PropertyListTests {
    private let sample: PropertyListValue = .dictionary([
        "ascii": "plain", "unicode": "Grüße 🗂", "empty": "", "long": .string(String(repeating: "x", count: 70_000)),
        "numbers": .array([0, 1, 255, 256, 65_536, 4_294_967_296, -1, .integer(.min), .integer(.max), .unsigned(.max)]),
        "reals": .array([.real(0.1), .real(-.infinity), .real(1e300)]), "flags": .array([true, false, 1, 0]),
        "date": .date(Date(timeIntervalSinceReferenceDate: 86_400)), "data": .data(Data(0...255)),
        "nested": .dictionary(["a": .array([.dictionary([:]), .array([])])]),
        "many": .array((0..<300).map { .integer($0) }),
    ])

    @Test func aBinaryListComesBackAsItWas() throws {
        let data = PropertyList.encodeBinary(sample)
        #expect(try PropertyList.decode(data) == sample)
        #expect(PropertyList.encodeBinary(sample) == data)
        let reference = PropertyListValue.array([.uid(3), .uid(70_000)])
        #expect(try PropertyList.decode(PropertyList.encodeBinary(reference)) == reference)
        #expect(String(describing: try PropertyList.decode(PropertyList.encodeBinary(.real(-0.0)))).contains("-0.0"))
    }

    @Test func foundationReadsWhatIsWritten() throws {
        for data in [PropertyList.encodeBinary(sample), try PropertyList.encodeXML(sample)] {
            let object = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            #expect(object?["unicode"] as? String == "Grüße 🗂")
            #expect(object?["data"] as? Data == Data(0...255))
            #expect((object?["many"] as? [Int])?.count == 300)
            #expect(object?["date"] as? Date == Date(timeIntervalSinceReferenceDate: 86_400))
        }
    }

    @Test func anXMLListComesBackAsItWas() throws {
        #expect(try PropertyList.decode(try PropertyList.encodeXML(sample)) == sample)
    }

    @Test func listsOfFoundationAreRead() throws {
        let object: [String: Any] = [
            "a": [1, 2.5, true, "é"], "d": Data([1, 2]), "t": Date(timeIntervalSinceReferenceDate: 5),
        ]
        let expected: PropertyListValue = [
            "a": .array([1, .real(2.5), true, "é"]), "d": .data(Data([1, 2])),
            "t": .date(Date(timeIntervalSinceReferenceDate: 5)),
        ]
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let data = try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
            #expect(try PropertyList.decode(data) == expected)
        }
    }

    @Test func equalDictionariesGiveEqualBytes() {
        let names = (0..<50).map { "key\($0)" }
        let forward = PropertyListValue.dictionary(Dictionary(uniqueKeysWithValues: names.map { ($0, .string($0)) }))
        let backward = PropertyListValue.dictionary(
            Dictionary(uniqueKeysWithValues: names.reversed().map { ($0, .string($0)) }))
        #expect(PropertyList.encodeBinary(forward) == PropertyList.encodeBinary(backward))
    }
}
