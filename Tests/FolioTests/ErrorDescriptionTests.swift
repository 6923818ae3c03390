import ArchiveKit
import Coding
import FileSystem
import Folio
import Foundation
import Interchange
import SQLiteKit
import Testing

struct ErrorDescriptionTests {
    static let errors: [any Error] = [
        ArchiveError(.damaged, "what went wrong", path: "/a/b"), CodingError(.malformed, "what went wrong"),
        DocumentError(.usage, "what went wrong"),
        FileSystemError(.notFound, operation: "open", path: "/a/b", errno: 2, detail: "what went wrong"),
        GraphError(.conflict, "what went wrong"),
        InterchangeError(.usage, "usage", "what went wrong"),
        MigrationError(.invalidMapping, "what went wrong"), ModelError(.unreadable, "what went wrong"),
        QueryError(.syntax, "what went wrong"),
        SQLiteError(.corrupt, message: "what went wrong", path: "/a/b"),
        StorageError(.cannotCreate, "what went wrong", path: "/a/b"),
        ValidationError(.generic, "what went wrong"), refusal(),
    ]

    /// The transformer keeps no object of a class that it does not know.
    private static func refusal() -> any Error {
        final class Unknown {}
        do {
            _ = try SecureArchiveTransformer().data(from: Unknown())
            return CancellationError()
        } catch { return error }
    }

    @Test func everyPublicErrorTypeIsAmongThoseTested() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let declaration = try Regex<(Substring, Substring)>(
            "public (?:struct|enum|final class) (\\w+)\\s*:[^{]*\\bError\\b[^{]*\\{")
        var names: Set<String> = []
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: declaration) { names.insert(String(match.output.1)) }
        }
        #expect(names.count >= 12)
        #expect(names.symmetricDifference(Self.errors.map { "\(type(of: $0))" }).isEmpty)
    }

    @Test(arguments: Self.errors.indices) func localizedDescriptionSaysWhatTheDescriptionDoes(index: Int) throws {
        let error = Self.errors[index]
        let localized = try #require(error as? any LocalizedError, "\(type(of: error))")
        #expect(localized.errorDescription == "\(error)")
        #expect(error.localizedDescription == "\(error)" && !error.localizedDescription.isEmpty)
    }

    @Test func failuresThatCoreDataHasNumbersForCarryThem() throws {
        let one = ValidationError(.stringTooLong, "too long", key: "name", value: .string("Ada"))
        #expect((one as any CustomNSError).errorCode == 1660 && type(of: one).errorDomain == NSCocoaErrorDomain)
        #expect(
            one.errorUserInfo["NSValidationErrorKey"] as? String == "name"
                && one.errorUserInfo["NSValidationErrorValue"] as? PropertyValue == .string("Ada"))
        let two = ValidationError(one.failures + one.failures)
        #expect(
            two.errorCode == 1560
                && (two.errorUserInfo["NSDetailedErrors"] as? [ValidationError])?.map(\.code) == [
                    .stringTooLong, .stringTooLong,
                ])
        #expect(
            GraphError(.conflict, "conflict").errorCode == 133_020
                && GraphError(.unknownKey, "no key").errorCode == 134_060)
    }
}
