import CoreData
import Testing

struct MappingModelEqualityTests {
    @Test func mappingModelsThatSayTheSameAreEqual() throws {
        let model = Library.model()
        let one = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model),
            other = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model)
        #expect(one == other && one.hash == other.hash && !one.entityMappings.isEmpty)
        other.entityMappings.removeLast()
        #expect(one != other && one != NSMappingModel())
    }
}
