import Foundation
import Testing
import TestSupport

/// Each hostile document gets the answer that the table says, quickly, in little memory, and
/// nothing outside is touched (Reliability, Hostile documents).
struct HostileDocumentsTests {
    /// Commands that write, if they can.
    private static let writers: Set<String> = ["insert", "set", "delete", "recover"]

    private static func prepare(_ document: String) -> (URL) throws -> String {
        { box in
            for name in try FileManager.default.contentsOfDirectory(atPath: HostileTable.folder.path)
            where name.hasPrefix("outside") || name == document || name == document + "-journal" {
                try FileManager.default.copyContents(
                    of: HostileTable.folder.appendingPathComponent(name), to: box.appendingPathComponent(name))
            }
            return document
        }
    }

    @Test(.enabled(if: runsSweeps), arguments: try HostileTable.rows()) func isAnsweredAsTheTableSays(
        row: HostileTable.Row
    ) throws {
        let run = try HostileRun(
            row.command, mayChange: row.exit == 0 && Self.writers.contains(row.command[0]),
            prepare: Self.prepare(row.document))
        #expect(!run.isKilled, "\(run.exit)")
        #expect(run.exit == row.exit, "\(run.messages)\(run.output.prefix(500))")
        let said = run.exit == 0 || run.exit == 1 ? run.output : run.messages
        #expect(row.fragment.isEmpty || said.contains(row.fragment), "\(run.messages)\(run.output.prefix(500))")
        if run.exit > 1 {
            let errors = run.messages.split(separator: "\n").filter { $0.hasPrefix("folio: ") }
            #expect(errors.count == 1, "\(run.messages)")
        }
        // Nothing that a terminal would obey; JSON may keep directions as they are.
        let shown =
            row.command[0] == "export"
            ? run.messages + run.output.filter { !("\u{202A}"..."\u{202E}").contains($0) } : run.output + run.messages
        for scalar in shown.unicodeScalars
        where scalar.value < 32 || (0x7F..<0xA0).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value) {
            #expect(scalar == "\n", "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test func everyDocumentHasALineInTheTable() throws {
        #expect(Set(try HostileTable.documents()) == Set(try HostileTable.rows().map(\.document)))
    }

    @Test func theFolderIsSmall() throws {
        var bytes = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: HostileTable.folder.path) {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: HostileTable.folder.appendingPathComponent(name).path)
            if attributes[.type] as? FileAttributeType == .typeRegular { bytes += attributes[.size] as? Int ?? 0 }
        }
        #expect(bytes < 1 << 20, "\(bytes) bytes")
    }
}
