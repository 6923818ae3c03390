import RowMemory
import Testing

struct ShortNameTests {
    @Test func shortNamesAreToldApartByTheirText() throws {
        #expect(ShortName.isSupported)
        let names = ["", "a", "b", "ab", "ba", "name", "number", "fifteen letters"]
        for (place, name) in names.enumerated() {
            // Built at run time, where a literal may stand elsewhere.
            let built = try #require(ShortName(String(decoding: Array(name.utf8), as: UTF8.self)))
            for (other, text) in names.enumerated() { #expect((ShortName(text) == built) == (place == other)) }
        }
    }

    @Test func longNamesAreNone() {
        #expect(ShortName("sixteen letters!") == nil)
        #expect(ShortName(String(repeating: "n", count: 100)) == nil)
    }
}
