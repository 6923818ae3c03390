import Coding
import Testing

@Suite struct RecentReadingsTests {
    private struct Refusal: Error {}

    @Test func theSameBytesAreReadOnce() throws {
        let recent = RecentReadings<String>()
        var count = 0
        for _ in 0..<3 {
            let text = recent.value(of: Array("abc".utf8)) {
                count += 1
                return "read"
            }
            #expect(text == "read")
        }
        #expect(count == 1)
        #expect(recent.value(of: Array("abd".utf8)) { "other" } == "other")
    }

    @Test func whatCouldNotBeReadIsNotKept() throws {
        let recent = RecentReadings<Int>()
        #expect(throws: Refusal.self) { try recent.value(of: [1]) { throw Refusal() } }
        #expect(recent.value(of: [1]) { 2 } == 2)
    }

    @Test func fewAndSmallOnesAreKept() throws {
        let recent = RecentReadings<Int>()
        func isKept(_ bytes: [UInt8]) -> Bool { recent.value(of: bytes) { -1 } >= 0 }
        for number in 0..<8 { _ = recent.value(of: [UInt8(number)]) { number } }
        // The first is used again, so that the second is the one that goes.
        #expect(isKept([0]))
        _ = recent.value(of: [8]) { 8 }
        #expect(isKept([0]))
        #expect(!isKept([1]))
        let large = [UInt8](repeating: 0, count: 1 << 20)
        _ = recent.value(of: large) { 1 }
        #expect(!isKept(large))
    }
}
