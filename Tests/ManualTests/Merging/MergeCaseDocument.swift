import Folio
import Foundation

/// The cases in documents.
struct MergeCaseDocument {
    let folder: URL

    private static func model(_ version: Int) throws -> ManagedObjectModel {
        var definition = ManagedObjectModel.Definition()
        definition.versionIdentifiers = ["\(version)"]
        definition.composites = [
            CompositeDescription("Place", attributes: [.init("city", .string), .init("country", .string)])
        ]
        var book: [AttributeDescription] = [
            .init("name", .string), .init("title", .string), .init("note", .string),
            .init("copies", .integer64, userInfo: ["folio.merge": "sum"]),
            .init("rating", .double, userInfo: ["folio.merge": "max"]),
            .init("text", .string, userInfo: ["folio.merge": "text"]),
            .init("cover", .binary, allowsExternalBinaryDataStorage: true),
        ]
        if version > 1 { book.append(.init("shelf", .string)) }
        definition.entities = [
            EntityDefinition(
                "Author", attributes: [.init("name", .string), .init("place", .composite, compositeName: "Place")],
                relationships: [
                    .init("books", to: "Book", inverse: "author", maxCount: 0, isOrdered: true, deleteRule: .cascade),
                    .init("profile", to: "Profile", inverse: "author"),
                    .init("partner", to: "Author", inverse: "partner"),
                ]),
            EntityDefinition(
                "Book", attributes: book,
                relationships: [
                    .init("author", to: "Author", inverse: "books"),
                    .init("tags", to: "Tag", inverse: "books", maxCount: 0),
                    .init("chapters", to: "Chapter", inverse: "book", maxCount: 0, deleteRule: .cascade),
                    .init("loans", to: "Loan", inverse: "book", maxCount: 0, deleteRule: .deny),
                ]),
            EntityDefinition(
                "Tag", attributes: [.init("name", .string), .init("label", .string)],
                relationships: [.init("books", to: "Book", inverse: "tags", maxCount: 0)],
                uniquenessConstraints: [["name"], ["label"]]),
            EntityDefinition(
                "Chapter", attributes: [.init("name", .string)],
                relationships: [.init("book", to: "Book", inverse: "chapters", isOptional: false)]),
            EntityDefinition(
                "Loan", attributes: [.init("name", .string)],
                relationships: [.init("book", to: "Book", inverse: "loans", isOptional: false)]),
            EntityDefinition(
                "Profile", attributes: [.init("name", .string)],
                relationships: [.init("author", to: "Author", inverse: "profile")]),
        ]
        return try ManagedObjectModel(definition)
    }

    private func url(_ name: String) -> URL { folder.appendingPathComponent(name + ".folio") }

    func result(_ merge: MergeCase) async throws -> MergeCaseResult {
        for name in ["base", "ours", "theirs"] { try? FileManager.default.removeItem(at: url(name)) }
        let base = try await PersistentDocument.create(at: url("base"), model: Self.model(1))
        try Self.fill(base.context)
        try await base.close(.save)
        for (name, edits, model) in [
            ("ours", merge.ours, MergeCase.NewModel.ours), ("theirs", merge.theirs, .theirs),
        ] {
            try FileManager.default.copyItem(at: url("base"), to: url(name))
            if merge.newModel == model { try await PersistentDocument.migrate(url(name), to: Self.model(2)) }
            try await DocumentOpening.withDocument(at: url(name), mode: .editing) { document in
                for edit in edits { try Self.apply(edit, document.context) }
                try await document.save()
            }
        }
        return try await DocumentOpening.withDocument(at: url("ours"), mode: .editing) { document in
            let report: DocumentMerge.Report
            do {
                report = try await document.merge(url("theirs"))
            } catch let error as DocumentError where error.code == .modelMismatch {
                return .refused("ours is to be migrated first")
            }
            if !report.isApplied {
                return .asks(report.conflicts.map { "\($0.kind.rawValue) `\($0.name)`" }.joined(separator: ", "))
            }
            try await document.save()
            return .merged(lost: try merge.wanted.filter { try !Self.holds($0.fact, document.context) }.map(\.words))
        }
    }

    private static func fill(_ context: ManagedObjectContext) throws {
        for name in ["Ada", "Ben", "Cyd", "Dan"] {
            let author = try context.insert("Author")
            author["name"] = name
            try author.setPropertyValue(
                .composite(["city": .string("London"), "country": .string("England")]), forKey: "place")
        }
        for name in ["a", "b", "c", "d", "e", "f"] {
            let book = try context.insert("Book")
            book["name"] = name
            book["title"] = "Title of \(name)"
            try book.setPropertyValue(.int(10), forKey: "copies")
            try book.setPropertyValue(.double(3), forKey: "rating")
            guard case .text(let text) = MergeCase.text() else { continue }
            book["text"] = text
            book["cover"] = Data(repeating: 1, count: 120_000)
            try apply(
                .link("Book", name, "author", ["a", "b", "c"].contains(name) ? "Ada" : name == "f" ? "Ben" : nil),
                context)
        }
        for (entity, names) in [("Tag", ["red", "blue", "green"]), ("Chapter", ["c1"]), ("Profile", ["p"])] {
            for name in names { try apply(.insert(entity, name), context) }
        }
        try apply(.add("Book", "a", "tags", "red"), context)
        try apply(.link("Chapter", "c1", "book", "a"), context)
        try apply(.link("Author", "Ada", "partner", "Ben"), context)
    }

    // MARK: Edits

    private static func find(_ context: ManagedObjectContext, _ entity: String, _ name: String) throws -> ManagedObject?
    {
        context.processPendingChanges()
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try FetchPredicate(format: "name == %@", name)
        return try context.fetch(request).first
    }

    private static func object(_ context: ManagedObjectContext, _ entity: String, _ name: String) throws
        -> ManagedObject
    {
        guard let object = try find(context, entity, name) else { throw ManualFailure("there is no \(entity) \(name)") }
        return object
    }

    private static func apply(_ edit: MergeCase.Edit, _ context: ManagedObjectContext) throws {
        switch edit {
        case .set(let entity, let name, let property, let value):
            let object = try object(context, entity, name)
            if ["city", "country"].contains(property) {
                var parts: [String: PropertyValue] = [:]
                if case .composite(let known) = try object.propertyValue(forKey: "place") { parts = known }
                parts[property] = propertyValue(value)
                try object.setPropertyValue(.composite(parts), forKey: "place")
            } else {
                try object.setPropertyValue(propertyValue(value), forKey: property)
            }
        case .link(let entity, let name, let property, let target):
            let object = try object(context, entity, name)
            object[property] = try target.map { try Self.object(context, destination(property), $0) }
        case .add(let entity, let name, let property, let member):
            let object = try object(context, entity, name)
            var members = try members(object, property)
            members.append(.object(try Self.object(context, "Tag", member).objectID))
            try object.setPropertyValue(.list(members), forKey: property)
        case .remove(let entity, let name, let property, let member):
            let object = try object(context, entity, name), id = try Self.object(context, "Tag", member).objectID
            try object.setPropertyValue(
                .list(try members(object, property).filter { $0 != .object(id) }), forKey: property)
        case .order(let author, let books):
            let ids = try books.map { PropertyValue.object(try object(context, "Book", $0).objectID) }
            try object(context, "Author", author).setPropertyValue(.list(ids), forKey: "books")
        case .insert(let entity, let name): try context.insert(entity)["name"] = name
        case .delete(let entity, let name): context.delete(try object(context, entity, name))
        }
    }

    private static func destination(_ property: String) -> String {
        switch property {
        case "author", "partner": "Author"
        case "book": "Book"
        default: "Tag"
        }
    }

    private static func members(_ object: ManagedObject, _ property: String) throws -> [PropertyValue] {
        if case .list(let members) = try object.propertyValue(forKey: property) { members } else { [] }
    }

    private static func propertyValue(_ value: MergeCaseValue) -> PropertyValue {
        switch value {
        case .null: .null
        case .text(let text): .string(text)
        case .integer(let number): .int(number)
        case .real(let number): .double(number)
        case .bytes(let byte, let count): .data(Data(repeating: byte, count: count))
        }
    }

    // MARK: Facts

    private static func holds(_ fact: MergeCase.Fact, _ context: ManagedObjectContext) throws -> Bool {
        func names(_ entity: String, _ name: String, _ property: String) throws -> [String] {
            guard let object = try find(context, entity, name) else { return [] }
            return try members(object, property).compactMap { value in
                guard case .object(let id) = value else { return nil }
                return try context.existingObject(with: id)["name"] as? String
            }
        }
        switch fact {
        case .value(let entity, let name, let property, let value):
            guard let object = try find(context, entity, name) else { return false }
            let isPart = ["city", "country"].contains(property)
            var found = try object.propertyValue(forKey: isPart ? "place" : property)
            if isPart, case .composite(let parts) = found { found = parts[property] ?? .null }
            if case .large(let large) = found { found = .data(try large.data()) }
            return found == propertyValue(value)
        case .link(let entity, let name, let property, let target):
            return try (find(context, entity, name)?[property] as? ManagedObject)?["name"] as? String == target
        case .has(let entity, let name, let property, let member):
            return try names(entity, name, property).contains(member)
        case .hasNot(let entity, let name, let property, let member):
            return try !names(entity, name, property).contains(member)
        case .order(let author, let books): return try names("Author", author, "books") == books
        case .there(let entity, let name): return try find(context, entity, name) != nil
        case .gone(let entity, let name): return try find(context, entity, name) == nil
        }
    }
}
