import Foundation
import TestSupport
import Testing

/// The order of objects without `--sort`: by the name of their entity, then by number, whatever
/// else is asked for.
struct OrderTests {
    /// Harbours have the lowest and the highest numbers of the hierarchy, camps those between.
    private static let places = ["Camp/p3", "Camp/p4", "Camp/p5", "Camp/p6", "Harbour/p1", "Harbour/p2", "Harbour/p7"]

    /// The objects that are printed, in their order, whatever the format; not those that they are
    /// related to.
    private static func names(_ output: String) -> [String] {
        output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /(?:^|\"id\": ?\"|^id: )x-coredata:\/\/[^\/]*\/(\w+\/p\d+)/).map { String($0.1) }
        }
    }

    private func withDocument(_ form: String, _ body: (String, [String]) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let package = try FolioCommand.copyOfDocument(in: folder), document = folder.path + "/Doc.folio-test"
            #expect(
                try FolioCommand.run("insert", package, "Harbour", "name=Bergen", "code=BERG").output.hasSuffix(
                    "Harbour/p7\n"))
            #expect(
                try FolioCommand.run(["save-as", package, document] + form.split(separator: " ").map(String.init)).exit
                    == 0)
            try body(document, ["--model", FolioCommand.model])
        }
    }

    @Test(
        arguments: sweep(
            ["--package"], all: ["--package", "--archive", "--store sqlite", "--store binary", "--store xml"]))
    func objectsComeByEntityAndNumber(form: String) throws {
        try withDocument(form) { document, model in
            func fetch(_ words: String...) throws -> [String] {
                let outcome = try FolioCommand.run(["fetch", document, "Place"] + words + model)
                #expect(outcome.exit == 0, "\(outcome.messages)")
                return Self.names(outcome.output)
            }
            for format in ["csv", "json", "jsonl", "lines"] {
                #expect(try fetch("--format", format) == Self.places)
                #expect(try fetch("--format", format, "--columns", "name") == Self.places)
            }
            #expect(try fetch("--format", "csv", "--columns", "name", "--where", "code > 'A'") == Self.places)
            #expect(try fetch("--format", "csv", "--where", "name MATCHES '.*'") == Self.places)
            #expect(
                try fetch("--format", "csv", "--sort", "isCharted") == ["Camp/p5", "Camp/p6", "Camp/p3", "Camp/p4"]
                    + Self.places.suffix(3))
            #expect(try fetch("--format", "csv", "--sort", "-objectID") == Self.places.reversed())
            let windows = try (0..<4).flatMap {
                try fetch("--format", "jsonl", "--columns", "name", "--limit", "2", "--offset", "\($0 * 2)")
            }
            #expect(windows == Self.places)
            let rows = try FolioCommand.run(
                ["fetch", document, "Place", "--columns", "objectID AS place", "--format", "csv"] + model
            ).output
            let prefix = try Self.prefix(of: document, model)
            #expect(rows == "place\n" + Self.places.map { "\(prefix)\($0)\n" }.joined())
            let changed = try FolioCommand.run(
                ["set", document, "Place", "isCharted=true", "--where", "TRUEPREDICATE", "--dry-run", "--json"] + model)
            #expect(
                (changed.object["objects"] as? [String] ?? []).map {
                    $0.split(separator: "/").suffix(2).joined(separator: "/")
                } == Self.places)
            #expect(
                try FolioCommand.run(["fetch", document, "Place", "--count", "--limit", "5"] + model).output == "5\n")
        }
    }

    /// The URIs of the document up to the entity.
    private static func prefix(of document: String, _ model: [String]) throws -> String {
        "x-coredata://\(try #require(FolioCommand.run(["info", document, "--json"] + model).object["uuid"] as? String))/"
    }

    @Test func groupsAndDistinctRowsComeByTheirColumns() throws {
        func rows(_ words: String...) throws -> [String] {
            try FolioCommand.run(["fetch", FolioCommand.document, "Journey", "--format", "csv"] + words).output.split(
                separator: "\n"
            ).dropFirst().map(String.init)
        }
        let years = try rows("--distinct", "--columns", "year")
        #expect(years == years.sorted() && years.count == 3)
        #expect(try rows("--distinct", "--columns", "year", "--where", "year > 0 AND title > 'A'") == years)
        #expect(try rows("--group-by", "year", "--columns", "year") == years)
    }
}
