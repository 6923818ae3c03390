import Folio
import Foundation
import TestSupport
import Testing

/// Every store of the corpus, taken from type to type in a circle: what comes back is what was
/// there.
@Suite(.enabled(if: corpus != nil))
struct ConversionCircleTests {
    @Test(arguments: StoreReadingTests.stores) func aStoreComesBackAsItWas(original: URL) throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("s0.sqlite")
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: original.path + suffix) {
                try FileManager.default.copyContents(
                    of: URL(fileURLWithPath: original.path + suffix), to: URL(fileURLWithPath: url.path + suffix))
            }
            guard
                let model = try StoreReadingTests().missingModel(of: original)
                    ?? SQLiteStoreFile(url).modelInfo().embeddedModel()
            else { return }
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            var store = try coordinator.addPersistentStore(PersistentStoreDescription(url: url))
            let before = try snapshot(coordinator)
            for (index, type) in [StoreType.xml, .binary, .inMemory, .sqlite].enumerated() {
                let old = store
                let result = try coordinator.migratePersistentStore(
                    store, to: folder.appendingPathComponent("s\(index + 1).store"), type: type)
                store = result.store
                #expect(result.objectIDs.count == before.count && store.identifier != old.identifier)
                // Written to the file and read from it.
                if type != .inMemory {
                    try coordinator.remove(store)
                    store = try coordinator.addPersistentStore(store.storeDescription)
                }
                let after = try snapshot(coordinator)
                #expect(after.count == before.count, "\(type.rawValue)")
                let different = before.filter { after[$0.key] != $0.value }.keys.sorted().prefix(3)
                #expect(
                    different.isEmpty,
                    "\(type.rawValue): \(different.map { "\($0): \(before[$0] ?? [:]) and \(after[$0] ?? [:])" })")
            }
            try coordinator.removePersistentStores()
        }
    }

    /// All objects by name, with all their values as text.
    private func snapshot(_ coordinator: PersistentStoreCoordinator) throws -> [String: [String: String]] {
        let context = ManagedObjectContext(coordinator)
        var objects: [String: [String: String]] = [:]
        for entity in coordinator.managedObjectModel.entities where !entity.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            for object in try context.fetch(request) {
                var values: [String: String] = [:]
                for property in entity.properties where !property.isTransient {
                    if property.isToMany {
                        let members = object.objectIDs(forRelationshipNamed: property.name).map(name)
                        values[property.name] = (property.relationship?.isOrdered == true ? members : members.sorted())
                            .joined(separator: " ")
                    } else {
                        values[property.name] = try text(object.propertyValue(forKey: property.name))
                    }
                }
                objects[name(object.objectID)] = values
            }
        }
        return objects
    }

    private func name(_ id: ManagedObjectID) -> String {
        id.uriRepresentation().pathComponents.suffix(2).joined(separator: "/")
    }

    private func text(_ value: PropertyValue) throws -> String {
        switch value {
        case .object(let id): return name(id)
        case .large(let large):
            // A file that is missing in the corpus stays missing.
            if let bytes = try? large.data() { return "\(bytes.count) bytes \(bytes.hashValue)" }
            return "missing"
        case .data(let bytes): return "\(bytes.count) bytes \(bytes.hashValue)"
        case .composite(let parts):
            return try parts.filter { !$0.value.isNull }.sorted { $0.key < $1.key }.map {
                "\($0.key)=\(try text($0.value))"
            }.joined(separator: ",")
        default: return "\(value)"
        }
    }
}
