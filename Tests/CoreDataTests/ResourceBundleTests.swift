import CoreData
import Testing

/// Models among the resources of a target, which the package manager puts into a bundle of their
/// own beside the program.
struct ResourceBundleTests {
    @Test func modelsOfATargetsResourcesAreFound() throws {
        let folder = try Folder(), resources = folder.url.appendingPathComponent("Shop_Shop.resources")
        try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
        let model = try ModelSource("Shop").write(in: folder)
        try FileManager.default.moveItem(at: model, to: resources.appendingPathComponent(model.lastPathComponent))
        let bundle = try #require(Bundle(path: folder.url.path))
        #expect(NSManagedObjectModel.mergedModel(from: [bundle])?.entities.count == 1)
        // Models of the bundle itself come first.
        _ = try ModelSource("Other").write(in: folder)
        #expect(NSManagedObjectModel.mergedModel(from: [bundle])?.entities.count == 1)
    }
}
