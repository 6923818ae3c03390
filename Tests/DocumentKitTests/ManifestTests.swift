import DocumentFiles
import DocumentKit
import Foundation
import Testing

struct ManifestTests {
    private static let good = """
        {"format": "folio-document", "formatVersion": 1, "minimumReader": 1, "uuid": "6F0C9A44-0000-4000-8000-000000000001", "generation": 3,
         "created": "2026-01-01T00:00:00Z", "saved": "2026-01-02T00:00:00Z", "model": {"name": "M", "identifiers": ["1"], "digest": "x"},
         "store": {"type": "SQLite", "bytes": 10}, "entities": {"A": 2}, "attachments": {"count": 0, "bytes": 0}, "future": {"more": [1]}}
        """

    private func refusal(_ text: String) -> DocumentError? {
        do {
            _ = try DocumentManifest.decode(Array(text.utf8), path: "manifest.json")
            return nil
        } catch {
            return error as? DocumentError
        }
    }

    @Test func isReadBackAsWritten() throws {
        let manifest = try DocumentManifest.decode(Array(Self.good.utf8), path: "m")
        #expect(try DocumentManifest.decode(manifest.encoded, path: "m") == manifest)
        #expect(manifest.generation == 3)
    }

    /// The text of the time of a save has whole seconds, as earlier programs read it.
    @Test func theTimeOfASaveIsKeptInMilliseconds() throws {
        var manifest = try DocumentManifest.decode(Array(Self.good.utf8), path: "m")
        #expect(manifest.saved.timeIntervalSince1970 == 1_767_312_000)
        manifest.saved = Date(timeIntervalSince1970: 1_767_312_000.2591943)
        let written = try manifest.encoded
        #expect(String(decoding: written, as: UTF8.self).contains("\"saved\" : \"2026-01-02T00:00:00Z\""))
        #expect(try DocumentManifest.decode(written, path: "m").saved == Date(milliseconds: 1_767_312_000_259))
        manifest.saved = Date(timeIntervalSince1970: 1_767_311_999.9996)
        #expect(
            try DocumentManifest.decode(manifest.encoded, path: "m").saved == Date(milliseconds: 1_767_312_000_000))
    }

    @Test func aNewerFormatNeedsANewerProgram() {
        let text = Self.good.replacingOccurrences(
            of: "\"formatVersion\": 1, \"minimumReader\": 1", with: "\"formatVersion\": 9, \"minimumReader\": 7")
        #expect(refusal(text)?.code == .newer)
        // A newer document that old programs can still read is read.
        #expect(
            refusal(Self.good.replacingOccurrences(of: "\"formatVersion\": 1,", with: "\"formatVersion\": 9,")) == nil)
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{\"format\": \"other\", \"formatVersion\": 1}",
        good.replacingOccurrences(of: "\"generation\": 3", with: "\"generation\": \"x\""),
        good.replacingOccurrences(of: "6F0C9A44-0000", with: "../../etc"),
        good.replacingOccurrences(of: "\"name\": \"M\"", with: "\"name\": \"../M\""),
        good.replacingOccurrences(of: "\"generation\": 3", with: "\"generation\": 3, \"generation\": 4"),
        String(repeating: "[", count: 100_000), good + String(repeating: " ", count: 1 << 20),
        good.replacingOccurrences(
            of: "[1]", with: String(repeating: "[", count: 70) + String(repeating: "]", count: 70)),
    ])
    func damageIsRefused(_ text: String) {
        #expect(refusal(text)?.code == .malformed)
    }
}
