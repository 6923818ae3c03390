import Coding
import Foundation
import Testing

/// As Foundation writes and reads them.
@Suite struct UUIDTextTests {
    @Test func uuidsAreWrittenAndReadAsFoundationDoes() {
        for _ in 0..<200 {
            let uuid = UUID()
            var text: [UInt8] = []
            UUIDText.append(uuid, to: &text)
            #expect(String(decoding: text, as: UTF8.self) == uuid.uuidString && text.count == UUIDText.count)
            #expect(UUIDText.uuid(uuid.uuidString) == uuid && UUIDText.uuid(uuid.uuidString.lowercased()) == uuid)
        }
    }

    @Test(arguments: [
        "", "A9D4C1F2", "A9D4C1F2-0000-4000-8000-00000000000", "A9D4C1F2-0000-4000-8000-0000000000011", "A9D4C1F200000-4000-8000-000000000001", "G9D4C1F2-0000-4000-8000-000000000001",
        "A9D4C1F2-0000-4000-8000-00000000000é", " 9D4C1F2-0000-4000-8000-000000000001",
    ])
    func whatIsNoneIsRefused(text: String) { #expect(UUIDText.uuid(text) == nil) }

    /// Digits are looked at many at a time: each byte in each place must be taken for what it is.
    @Test func everyByteInEveryPlaceIsReadAsFoundationDoes() {
        let plain = Array("a9D4c1F2-0bCd-4EeF-8123-456789abcdef".utf8)
        for place in plain.indices {
            for byte in UInt8.min...UInt8.max {
                var text = plain
                text[place] = byte
                let isLegal = byte < 0x80 && (place == 8 || place == 13 || place == 18 || place == 23 ? byte == 0x2D : Character(Unicode.Scalar(byte)).isHexDigit)
                let uuid = text.withUnsafeBytes { UUIDText.uuid($0) }
                #expect((uuid != nil) == isLegal)
                if isLegal { #expect(uuid == UUID(uuidString: String(decoding: text, as: UTF8.self))) }
            }
        }
    }
}
