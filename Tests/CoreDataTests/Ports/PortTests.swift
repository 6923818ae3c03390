import CoreData
import Testing

/// Programs in Core Data's form, with what they print. One runs at a time: they share their output.
@Suite(.serialized) struct PortTests {
    private func container(_ model: NSManagedObjectModel) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Program", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        try Library.load(container)
        return container
    }

    @Test func studentsAreAddedListedChangedAndDeleted() throws {
        let container = try container(StudentProgram.model())
        #expect(
            try Output.of { try StudentProgram.run(container) } == [
                "Ada 36", "Alan 41", "Grace 85", "Alan is 42", "2 students",
            ])
    }

    @Test func aContactAndItsDetailsGoTogether() throws {
        let container = try container(ContactInfoProgram.model())
        #expect(
            try Output.of { try ContactInfoProgram.run(container) } == [
                "Ada London 555 1234", "Grace London 555 9876", "[\"Ada\"]",
            ])
    }

    @Test func employeesWorkInDepartments() throws {
        let container = try container(EmployeesProgram.model())
        #expect(
            try Output.of { try EmployeesProgram.run(container.viewContext) } == [
                "Engineering [\"Ada\", \"Grace\"] 2501.0", "Sales [\"Willy\"] 1000.5", "[\"Grace\"]", "0 in Sales",
                "3501.5",
            ])
    }

    @Test func aDocumentKeepsNotes() throws {
        let folder = try Folder()
        #expect(
            try Output.of { try DocumentProgram.run(folder.url) } == [
                "edited: true", "edited: false Notes", "Buy milk", "Copy Buy bread false", "[\"Buy milk\"]",
                "[\"Buy bread\"]",
            ])
    }

    @Test func aShoppingListFeedsATable() throws {
        let folder = try Folder()
        let lines = try Output.of { try ShoppingProgram.run(folder.url.appendingPathComponent("Shopping.sqlite")) }
        #expect(
            lines == [
                "[\"Apples\", \"Bread\", \"Pears\"]", "Bakery (1): Bread", "Fruit (2): Apples, Pears", "begin",
                "+ Cake 0.1", "end", "begin", "+ section 2 Sweets", "> Cake 0.1 to 2.0", "end", "begin",
                "- section 2 Sweets", "> Cake 2.0 to 0.1", "end", "Bakery true", "begin", "* Pears 1.1", "end",
                "not saved: Pears needs a quantity", "begin", "* Pears 1.1", "end",
                "1 false", "begin", "- Cake 0.1", "* Pears 1.1", "end",
                "[\"Apples\", \"Bread\"] [[\"Bread\"], [\"Apples\", \"Pears\"]]", "[\"Apples\", \"Bread\"]",
                "Weekend 3 true true", "0",
            ])
    }

    @Test func anImporterFollowsTheHistory() async throws {
        let folder = try Folder()
        let lines = try await Output.of {
            try await ImporterProgram.run(folder.url.appendingPathComponent("Quakes.sqlite"))
        }
        #expect(
            lines == [
                "true", "inserted 40", "importQuakes: 40 insert", "[\"q39\", \"q38\", \"q37\"]", "inserted 1", "5",
                "5", "importQuakes: 1 update", "objects: 5 insert", "rounding: 5 update", "q44 45", "deleted 2",
                "deletion: 2 delete", "[\"q1\", \"q2\"]", "nothing new", "[\"draft\"] false", "deleted all 44", "0",
            ])
    }
}
