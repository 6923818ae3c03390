import Folio
import Foundation
import TestSupport
import Testing

final class ContactInfo: ManagedObject {
    var name: String? {
        get { self["name"] as? String }
        set { self["name"] = newValue }
    }
    var details: ContactDetailInfo? {
        get { self["details"] as? ContactDetailInfo }
        set { self["details"] = newValue }
    }
}

final class ContactDetailInfo: ManagedObject {
    var phone: String? {
        get { self["phone"] as? String }
        set { self["phone"] = newValue }
    }
    var contact: ContactInfo? { self["contact"] as? ContactInfo }
}

/// A contact and its details: one to one with an inverse, deleted together, by key and by property.
@Suite("Classic program: ContactInfo")
struct ContactInfoTests {
    private func container(_ folder: URL) throws -> PersistentContainer {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "ContactInfo", managedObjectClassName: "ContactInfo",
                attributes: [.init("name", .string), .init("city", .string, defaultValue: .string("London"))],
                relationships: [.init("details", to: "ContactDetailInfo", inverse: "contact", deleteRule: .cascade)]),
            EntityDefinition(
                "ContactDetailInfo", managedObjectClassName: "ContactDetailInfo",
                attributes: [.init("phone", .string), .init("born", .date)],
                relationships: [.init("contact", to: "ContactInfo", inverse: "details")]),
        ])
        let container = PersistentContainer(
            name: "Contacts", managedObjectModel: model,
            classes: ["ContactInfo": ContactInfo.self, "ContactDetailInfo": ContactDetailInfo.self])
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(url: folder.appendingPathComponent("Contacts.sqlite"))
        ]
        try container.loadPersistentStores()
        return container
    }

    @Test func aContactAndItsDetailsLiveAndDieTogether() throws {
        try withTemporaryDirectory { folder in
            do {
                let context = try container(folder).viewContext
                // By key…
                let ada = try context.insert("ContactInfo")
                ada.setValue("Ada", forKey: "name")
                let details = try context.insert("ContactDetailInfo")
                details.setValue("555 1234", forKey: "phone")
                details.setValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "born")
                ada.setValue(details, forKey: "details")
                #expect(details.value(forKey: "contact") as? ManagedObject === ada)
                // …and by property.
                let grace = ContactInfo(context: context)
                grace.name = "Grace"
                grace.details = ContactDetailInfo(context: context)
                grace.details?.phone = "555 9876"
                #expect(grace.details?.contact === grace && grace["city"] as? String == "London")
                try context.save()
            }
            let opened = try container(folder)
            let context = opened.viewContext
            var request = FetchRequest<ContactInfo>(entityName: "ContactInfo")
            request.predicate = try FetchPredicate(format: "details.phone BEGINSWITH '555 9'")
            let found = try context.fetch(request)
            #expect(found.map(\.name) == ["Grace"])
            #expect(found[0].details?.phone == "555 9876" && found[0].details?.contact === found[0])
            context.delete(found[0])
            try context.save()
            #expect(
                try context.fetch(FetchRequest<ContactDetailInfo>(entityName: "ContactDetailInfo")).map(\.phone) == [
                    "555 1234"
                ])
            #expect(try context.fetch(FetchRequest<ContactInfo>(entityName: "ContactInfo")).map(\.name) == ["Ada"])
        }
    }
}
