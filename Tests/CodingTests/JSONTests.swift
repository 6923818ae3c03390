import Coding
import Testing

struct JSONTests {
    @Test func valuesAreRead() throws {
        let value = try JSONReader.value(
            of: #" {"a": [1, -2.5e3, true, false, null], "b\n": {"c": "x\"\\\u00e9\ud83d\ude00y"}, "d": "plain é"} "#)
        #expect(value["a"] == .array([.number("1"), .number("-2.5e3"), .bool(true), .bool(false), .null]))
        #expect(value["b\n"]?["c"]?.string == "x\"\\é😀y")
        #expect(value["d"]?.string == "plain é")
        #expect(value["a"]?.array?.first?.int(Int.self) == 1)
    }

    @Test(arguments: [
        "", "{", "[1,]", #"{"a" 1}"#, #"{"a": 1, "a": 2}"#, "01", "1 2", #""\x""#, #""\ud83d""#, "\"a\nb\"", "nul",
        #"{"a": tru}"#, "[\"open",
    ])
    func whatIsNoJSONIsRefused(_ text: String) {
        #expect(throws: JSONReader.Failure.self) { try JSONReader.value(of: text) }
    }

    @Test func depthIsBounded() {
        let text = String(repeating: "[", count: 9) + String(repeating: "]", count: 9)
        #expect(throws: JSONReader.Failure.self) { try JSONReader.value(of: Array(text.utf8), greatestDepth: 8) }
        #expect((try? JSONReader.value(of: Array(text.utf8), greatestDepth: 9)) != nil)
    }

    @Test func membersSayWhereTheyAreMissingOrWrong() throws {
        let fields = try JSONFields(
            JSONReader.value(
                of: #"{"n": 3, "big": 9223372036854775808, "text": "t", "inner": {"flag": true}, "nothing": null}"#))
        #expect(try fields.int("n") as Int == 3)
        #expect(try fields.string("text") == "t")
        #expect(try fields.optional("nothing", \.string) == nil)
        func failure(_ body: () throws -> Void) -> String? {
            do { try body() } catch { return "\(error)" }
            return nil
        }
        #expect(failure { _ = try fields.string("n") } == "“n” has the wrong type")
        #expect(failure { _ = try fields.int("big") as Int64 } == "“big” has the wrong type")
        #expect(failure { _ = try fields.string("nothing") } == "“nothing” is missing")
        #expect(failure { _ = try fields.object("inner").string("text") } == "“inner.text” is missing")
        #expect(failure { _ = try fields.object("text") } == "“text” has the wrong type")
    }
}
