import Schema
import Synchronization
import Testing

struct RecentlyUsedTests {
    private struct Refusal: Error {}

    @Test func theSameBytesAreReadOnce() throws {
        let recent = Mutex(RecentlyUsed<[UInt8], String>())
        var count = 0
        for _ in 0..<3 {
            let text = recent.value(for: Array("abc".utf8)) {
                count += 1
                return "read"
            }
            #expect(text == "read")
        }
        #expect(count == 1)
        #expect(recent.value(for: Array("abd".utf8)) { "other" } == "other")
    }

    @Test func whatCouldNotBeReadIsNotKept() throws {
        let recent = Mutex(RecentlyUsed<[UInt8], Int>())
        #expect(throws: Refusal.self) { try recent.value(for: [1]) { throw Refusal() } }
        #expect(recent.value(for: [1]) { 2 } == 2)
    }

    @Test func fewAndSmallOnesAreKept() throws {
        let recent = Mutex(RecentlyUsed<[UInt8], Int> { $0.count < 1 << 20 })
        func isKept(_ bytes: [UInt8]) -> Bool { recent.value(for: bytes) { -1 } >= 0 }
        for number in 0..<8 { _ = recent.value(for: [UInt8(number)]) { number } }
        // The first is used again, so that the second is the one that goes.
        #expect(isKept([0]))
        _ = recent.value(for: [8]) { 8 }
        #expect(isKept([0]))
        #expect(!isKept([1]))
        let large = [UInt8](repeating: 0, count: 1 << 20)
        _ = recent.value(for: large) { 1 }
        #expect(!isKept(large))
    }
}
