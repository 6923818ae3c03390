internal import Foundation
package import ObjectGraph
internal import Query
package import Schema
package import TestSupport

/// Documents with every kind of property, and random edits of them.
package enum MergeFixture {
    package static func model() throws -> ManagedObjectModel {
        var description = ManagedObjectModel.Definition()
        description.versionIdentifiers = ["1"]
        description.composites = [
            CompositeDescription("Place", attributes: [.init("city", .string), .init("country", .string)])
        ]
        description.entities = [
            EntityDefinition(
                "Author", attributes: [.init("name", .string), .init("place", .composite, compositeName: "Place")],
                relationships: [
                    .init(
                        "books", to: "Book", inverse: "author", maxCount: 0, isOrdered: true, deleteRule: .cascade),
                    .init("profile", to: "Profile", inverse: "author", deleteRule: .cascade),
                    .init("partner", to: "Author", inverse: "partner"),
                ]),
            EntityDefinition(
                "Book",
                attributes: [
                    .init("title", .string),
                    .init("copies", .integer64, userInfo: ["folio.merge": "sum"]),
                    .init("rating", .double, userInfo: ["folio.merge": "max"]),
                    .init("text", .string, userInfo: ["folio.merge": "text"]),
                    .init("cover", .binary, allowsExternalBinaryDataStorage: true),
                ],
                relationships: [
                    .init("author", to: "Author", inverse: "books"),
                    .init("tags", to: "Tag", inverse: "books", maxCount: 0),
                    .init("similar", to: "Book", inverse: "similar", maxCount: 0),
                    .init("shelf", to: "Shelf", inverse: "books", maxCount: 0, isOrdered: true),
                ]),
            EntityDefinition("Novel", superentityName: "Book", attributes: [.init("genre", .string)]),
            EntityDefinition(
                "Tag", attributes: [.init("name", .string)],
                relationships: [.init("books", to: "Book", inverse: "tags", maxCount: 0)],
                uniquenessConstraints: [["name"]]),
            EntityDefinition(
                "Profile", attributes: [.init("bio", .string)],
                relationships: [.init("author", to: "Author", inverse: "profile")]),
            EntityDefinition(
                "Shelf", attributes: [.init("label", .string)],
                relationships: [.init("books", to: "Book", inverse: "shelf", maxCount: 0, isOrdered: true)]),
        ]
        return try ManagedObjectModel(description)
    }

    private static let entities = ["Author", "Book", "Novel", "Profile", "Shelf", "Tag"]

    package static func objects(_ context: ManagedObjectContext, _ entity: String) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.sortDescriptors = [.objectID]
        return try context.fetch(request)
    }

    /// Makes some random edits, each of which leaves the document valid.
    package static func edit(_ context: ManagedObjectContext, _ random: inout SplitMix, count: Int) throws {
        for _ in 0..<count { try edit(context, &random) }
    }

    private static func edit(_ context: ManagedObjectContext, _ random: inout SplitMix) throws {
        func any(_ entity: String) throws -> ManagedObject? {
            try objects(context, entity).randomElement(using: &random)
        }
        func word() -> String { ["a", "b", "c", "d", "e", "f", "g", "h"].randomElement(using: &random) ?? "a" }
        switch Int.random(in: 0..<24, using: &random) {
        case 0, 1:
            let author = try context.insert("Author")
            author["name"] = word() + word()
        case 2, 3, 4:
            let book = try context.insert(Bool.random(using: &random) ? "Book" : "Novel")
            book["title"] = word() + word()
            book["text"] = "1\n2\n3\n4\n5\n6\n"
            book["author"] = try any("Author")
        case 5:
            let name = word() + word()
            guard try !objects(context, "Tag").contains(where: { $0["name"] as? String == name }) else { return }
            let tag = try context.insert("Tag")
            tag["name"] = name
        case 6:
            let profile = try context.insert("Profile")
            profile["bio"] = word()
            profile["author"] = try any("Author")
        case 7:
            let shelf = try context.insert("Shelf")
            shelf["label"] = word()
        case 8: try any("Author")?["name"] = word() + word()
        case 9:
            let parts: [String: PropertyValue] = ["city": .string(word()), "country": .string(word())]
            try any("Author")?.setPropertyValue(.composite(parts), forKey: "place")
        case 10: try any("Book")?["title"] = word() + word()
        case 11:
            guard let book = try any("Book") else { return }
            var copies: Int64 = 0
            if case .int(let known) = try book.propertyValue(forKey: "copies") { copies = known }
            try book.setPropertyValue(.int(copies + 1), forKey: "copies")
        case 12: try any("Book")?["rating"] = Double(Int.random(in: 0..<10, using: &random))
        case 13:
            guard let book = try any("Book"), let text = book["text"] as? String else { return }
            var lines = text.split(separator: "\n").map(String.init)
            guard !lines.isEmpty else { return }
            lines[Int.random(in: 0..<lines.count, using: &random)] += word()
            book["text"] = lines.map { $0 + "\n" }.joined()
        case 14:
            let size = Int.random(in: 0...1, using: &random) == 0 ? 40 : 120_000
            let byte = UInt8.random(in: 0..<8, using: &random)
            try any("Book")?["cover"] = Data(repeating: byte, count: size)
        case 15: try any("Book")?["author"] = try any("Author")
        case 16, 17: try toggle(any("Book"), "tags", any("Tag"))
        case 18:
            let book = try any("Book"), other = try any("Book")
            if book !== other { try toggle(book, "similar", other) }
        case 19: try toggle(any("Shelf"), "books", any("Book"))
        case 20:
            guard let owner = try any(Bool.random(using: &random) ? "Author" : "Shelf") else { return }
            guard case .list(let books) = try owner.propertyValue(forKey: "books") else { return }
            try owner.setPropertyValue(.list(books.shuffled(using: &random)), forKey: "books")
        case 21:
            let author = try any("Author"), other = try any("Author")
            if author !== other { author?["partner"] = other }
        case 22:
            if let object = try any(entities.randomElement(using: &random) ?? "Tag") { context.delete(object) }
        default: try any("Profile")?["author"] = try any("Author")
        }
        context.processPendingChanges()
    }

    private static func toggle(_ owner: ManagedObject?, _ property: String, _ member: ManagedObject?) throws {
        guard let owner, let member else { return }
        var members: [PropertyValue] = []
        if case .list(let known) = try owner.propertyValue(forKey: property) { members = known }
        let id = PropertyValue.object(member.objectID)
        if let index = members.firstIndex(of: id) { members.remove(at: index) } else { members.append(id) }
        try owner.setPropertyValue(.list(members), forKey: property)
    }

    /// The document's objects as plain values.
    package static func world(_ context: ManagedObjectContext) throws -> PlainWorld {
        try PlainWorld(context, model())
    }
}
