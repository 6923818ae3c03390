import ObjectGraph
import Schema
import Storage
import Testing

/// What is kept of a model between coordinators is that of models without classes alone.
struct RecentModelsTests {
    private final class OwnAccount: ManagedObject {}
    private final class OtherAccount: ManagedObject {}

    @Test func eachCoordinatorMakesObjectsOfItsOwnClasses() throws {
        let model = try GraphFixture.makeModel()
        func kind(_ classes: [String: ManagedObject.Type]) throws -> ManagedObject.Type {
            var found: ManagedObject.Type = ManagedObject.self
            try GraphFixture.run(.inMemory, classes: classes, model: model) { fixture in
                found = type(of: try fixture.context().insert("Account"))
            }
            return found
        }
        #expect(try kind([:]) == ManagedObject.self)
        #expect(try kind(["Account": OwnAccount.self]) == OwnAccount.self)
        #expect(try kind(["Account": OtherAccount.self]) == OtherAccount.self)
        #expect(try kind([:]) == ManagedObject.self)
    }
}
