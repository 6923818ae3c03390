import Folio
import Foundation
import TestSupport
import Testing

/// The README's program, as it stands there.
@Suite struct ReadmeTests {
    @Model final class Person: ManagedObject {
        @Attribute(.unique) var name: String
        var born: Date?
        @Relationship(inverse: \Journey.members) var journeys: Set<Journey>
    }

    @Model final class Journey: ManagedObject {
        var title: String
        var year: Int = 1900
        @Relationship(isOrdered: true) var members: [Person]
    }

    @Test func theProgramPrintsWhatItSays() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("folio-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Journeys.folio")
        var lines: [String] = []

        let model = try ManagedObjectModel(schema: [Person.self])
        let document = try await PersistentDocument.create(
            at: url, model: model, classes: ManagedObject.classesByName([Person.self]))
        let context = document.context

        let fram = Journey(context: context)
        (fram.title, fram.year) = ("The drift of the Fram", 1893)
        for name in ["Fridtjof Nansen", "Hjalmar Johansen"] {
            let person = Person(context: context)
            person.name = name
            fram.members.append(person)
        }
        try await document.save()

        for person in try context.fetch(Person.self, where: \.name > "G", sort: [.ascending(\.name)]) {
            lines.append("\(person.name) \(person.journeys.map(\.title))")
        }
        try await document.close()
        #expect(lines == [#"Hjalmar Johansen ["The drift of the Fram"]"#])
    }
}
