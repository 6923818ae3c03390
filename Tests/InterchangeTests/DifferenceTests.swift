import Coding
import Folio
import Foundation
import Interchange
import TestSupport
import Testing

struct DifferenceTests {
    @Test func theDifferencesOfTwoStatesAreValuesAndJSON() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let book = try document.context.insert("Book")
            book["isbn"] = "3"
            try await document.save()
            let url = document.url
            try await document.close()
            let difference = try await DocumentDifference(from: url, .version(1), to: url)
            #expect(difference.isDifferent)
            #expect(difference.objects.map(\.object) == ["Book/p3"])
            #expect(difference.objects.map(\.change) == [.added])
            let json = try JSONReader.value(of: difference.json)
            #expect(json["entities"]?["Book"]?["added"] == .number("1"))
            #expect(json["differences"]?.array?.first?["properties"]?["isbn"]?["new"] == .string("3"))
            let ofAuthors = try await DocumentDifference(from: url, .version(1), to: url, entity: "Author")
            #expect(!ofAuthors.isDifferent)
            let same = try await DocumentDifference(from: url, .saved, to: url)
            #expect(!same.isDifferent && same.objects.isEmpty)
        }
    }

    @Test func anEntityThatNeitherModelHasIsAnError() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let url = document.url
            try await document.close()
            let error = await #expect(throws: InterchangeError.self) {
                try await DocumentDifference(from: url, to: url, entity: "Buch")
            }
            #expect(error?.code == "unknownEntity")
        }
    }
}
