import Foundation
import TestSupport
import Testing

/// Parts of composite attributes, and names of groups, among the columns.
struct CompositeColumnTests {
    private func withCamps(_ body: (String) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/Doc.folio"
            let model = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
            #expect(try FolioCommand.run("new", document, "--model", model).exit == 0)
            for (code, position) in [("AA", "{\"latitude\":3.5,\"longitude\":7}"), ("BB", "null")] {
                let outcome = try FolioCommand.run(
                    "insert", document, "Camp", "code=\(code)", "name=\(code)", "position:=\(position)")
                #expect(outcome.exit == 0, "\(outcome.messages)")
            }
            try body(document)
        }
    }

    @Test func aPartIsAColumn() throws {
        try withCamps { document in
            let command = ["fetch", document, "Place", "--sort", "code", "--columns"]
            let csv = try FolioCommand.run(command + ["code,position.latitude", "--format", "csv"])
            let lines = csv.output.split(separator: "\n")
            #expect(
                lines.first == "id,code,position.latitude" && lines.count == 3 && lines[1].hasSuffix(",AA,3.5")
                    && lines[2].hasSuffix(",BB,"), "\(csv.output) \(csv.messages)")
            let json = try FolioCommand.run(command + ["position.latitude", "--json"]).json as? [[String: Any]]
            #expect(json?.first?["position.latitude"] as? Double == 3.5)
            #expect(json?.last?["position.latitude"] is NSNull)
            let distinct = try FolioCommand.run(command + ["position.latitude,code", "--distinct", "--format", "csv"])
            #expect(distinct.output == "position.latitude,code\n3.5,AA\n,BB\n", "\(distinct.messages)")
            let table = try FolioCommand.run(command + ["position.latitude"]).output.split(separator: "\n")
            #expect(table.last == "             NULL")
        }
    }

    @Test func anUnknownPartIsSaidToBe() throws {
        try withCamps { document in
            let outcome = try FolioCommand.run("fetch", document, "Place", "--columns", "position.latitud")
            #expect(outcome.exit == 64 && outcome.errors.first?.hasSuffix("position has no part latitud") == true)
            #expect(outcome.hints == ["hint: did you mean latitude?"])
            let path = try FolioCommand.run("fetch", document, "Place", "--columns", "name.latitude")
            #expect(path.exit == 64 && path.messages.contains("name.latitude: name is no relationship of Place"))
        }
    }

    @Test func aPartIsSetWithTheWhole() throws {
        try withCamps { document in
            let outcome = try FolioCommand.run("set", document, "Camp/p1", "position.latitude=3")
            #expect(outcome.exit == 64)
            #expect(outcome.hints == [#"hint: position:='{"latitude": …, "longitude": …}'"#], "\(outcome.messages)")
        }
    }

    @Test func columnsKnowTheNamesOfGroups() throws {
        let command = ["fetch", FolioCommand.document, "Person", "--group-by", "year(born) AS year", "--sort", "year"]
        let outcome = try FolioCommand.run(
            command + ["--columns", "year,count", "--limit", "1", "--format", "csv"])
        #expect(outcome.output == "year,count\n1861,1\n", "\(outcome.messages)")
    }
}
