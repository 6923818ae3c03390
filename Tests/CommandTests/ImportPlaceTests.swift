import Foundation
import TestSupport
import Testing

/// What is wrong in a file is told with the file and the line, whichever part of the import finds
/// it.
struct ImportPlaceTests {
    /// Imports files into a new document of the sample model.
    private func importing(_ files: [(name: String, text: String)], _ options: String..., into document: String? = nil)
        throws -> FolioCommand.Outcome
    {
        try withTemporaryDirectory { folder in
            let copy = folder.path + "/Doc.folio"
            let made = try FolioCommand.run(
                document.map { ["save-as", $0, copy] } ?? ["new", copy, "--model", FolioCommand.model])
            #expect(made.exit == 0, "\(made.messages)")
            for file in files { try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name)) }
            let before = try FolioCommand.run("export", copy).output
            let outcome = try FolioCommand.run(["import", "Doc.folio"] + files.map(\.name) + options, in: folder)
            if outcome.exit != 0 { #expect(try FolioCommand.run("export", copy).output == before) }
            return outcome
        }
    }

    private func code(_ number: Int) -> String {
        String(decoding: (0..<4).map { UInt8(ascii: "A") + UInt8((number >> ($0 * 4)) & 15) }, as: UTF8.self)
    }

    @Test func twoObjectsOfAHierarchyWithOneNumberAreNamed() throws {
        let rule = "have one number, and all objects of Place are numbered together"
        let csv = try importing([("Camp.csv", "id,code,name\nCamp/p1,AA,a\nHarbour/p1,AB,b\n")])
        #expect(
            csv.exit == 65 && csv.errors == ["folio: import: Camp.csv: line 3: Harbour/p1 and Camp/p1 \(rule)"],
            "\(csv.messages)")
        let json = try importing([
            (
                "places.json",
                #"[{"id": "Camp/p1", "code": "AA", "name": "a"},\#n{"id": "Harbour/p1", "code": "AB", "name": "b"}]"#
            )
        ])
        #expect(
            json.exit == 65
                && json.errors == ["folio: import: places.json: line 2, object 2: Harbour/p1 and Camp/p1 \(rule)"],
            "\(json.messages)")
        let files = try importing([
            ("Camp.csv", "id,code,name\nCamp/p1,AA,a\n"),
            ("Harbour.csv", "id,code,name\nHarbour/p2,AB,b\nHarbour/p1,AC,b\n"),
        ])
        #expect(
            files.errors == ["folio: import: Harbour.csv: line 3: Harbour/p1 and Camp/p1 \(rule)"], "\(files.messages)")
        // The first of them was written long before the second is read.
        let rows = (1...10_001).map { "Camp/p\($0),\(code($0)),a\n" }.joined()
        let far = try importing([("Camp.csv", "id,code,name\n\(rows)Harbour/p7,ABC,b\n")])
        #expect(
            far.errors == ["folio: import: Camp.csv: line 10003: Harbour/p7 and Camp/p7 \(rule)"], "\(far.messages)")
    }

    /// A name that a record has for an object of an earlier one is no number.
    @Test func aNameOfAnObjectThatIsUpdatedTakesNoNumber() throws {
        let outcome = try importing(
            [("Camp.csv", "id,code,name\nCamp/p1,AA,a\nCamp/p2,AA,b\nHarbour/p2,AB,c\n")], "--match", "code")
        #expect(outcome.exit == 0 && outcome.messages.contains("2 inserted, 1 updated"), "\(outcome.messages)")
    }

    @Test func aRowOfAnUnknownEntityIsMalformed() throws {
        let outcome = try importing([("Camp.csv", "id,code,name\nCamp/p1,AA,a\nKamp/p2,AB,b\n")])
        #expect(
            outcome.exit == 65
                && outcome.errors == ["folio: import: Camp.csv: line 3, column 1: there is no entity Kamp"],
            "\(outcome.messages)")
        #expect(outcome.hints == ["hint: did you mean Camp?"])
    }

    @Test func aValueThatIsNotUniqueIsToldOfTheFirstLine() throws {
        let outcome = try importing([
            ("Camp.csv", "code,name\nAA,a\nAB,b\nAA,c\n"), ("Harbour.csv", "code,name\nAB,d\n"),
        ])
        #expect(
            outcome.exit == 65 && outcome.errors.count == 1
                && outcome.messages.contains("Camp.csv: line 2: Camp.code must be unique"), "\(outcome.messages)")
    }
}

extension ImportPlaceTests {
    /// An object that a natural key has made stands in the line that names it first.
    @Test func anObjectThatIsMadeAndViolatesARuleHasThePlaceOfItsKey() throws {
        let journeys = "title,year,leader,stops.nights\nA,1900,Person/p1,\nB,1900,Person/p1,77\n"
        let outcome = try importing(
            [("Person.csv", "id,name\nPerson/p1,Ada\n"), ("Journey.csv", journeys)], "--create-missing")
        #expect(
            outcome.exit == 65
                && outcome.errors == [
                    "folio: import: Journey.csv: line 3: Stop.place is required (a rule is violated)"
                ], "\(outcome.messages)")
    }

    /// An object of the document stands in no file.
    @Test func anObjectOfTheDocumentThatViolatesARuleIsNamedItself() throws {
        let outcome = try importing(
            [("Journey.json", #"[{"title": "Farthest North", "stops": []}]"#)], "--match", "title",
            into: FolioCommand.document)
        #expect(
            outcome.exit == 65
                && outcome.errors == [
                    "folio: import: Doc.folio: Stop/p3: Stop.journey is required (a rule is violated)"
                ], "\(outcome.messages)")
    }

    /// A newer format may have anything beside its version.
    @Test(
        arguments: [
            (#"{"format": "folio-export", "formatVersion": 2, "entities": {"Kamp": []}}"#, 76, "newer format"),
            (#"{"formatVersion": 2, "format": "folio-export"}"#, 76, "newer format"),
            (#"{"format": "folio-export", "entities": {"Camp": []}}"#, 65, "does not say its formatVersion"),
            (#"{"formatVersion": 1, "format": "folio-export"}"#, 65, "has no entities"),
        ] as [(String, Int32, String)]) func anExportOfANewerFormatIsToldAsSuch(
            text: String, exit: Int32, message: String
        ) throws
    {
        let outcome = try importing([("all.json", text)])
        #expect(
            outcome.exit == exit && outcome.errors.count == 1 && outcome.messages.contains(message),
            "\(outcome.exit) \(outcome.messages)")
    }
}
