import DocumentFiles
import DocumentKit
import Foundation
import Migration
import ObjectGraph
import Query
import Schema
import Storage

/// The documents of the sweeps: in state n every part says n, so that a mixture of two states
/// shows.
enum Notes {
    /// More than a row may hold, so that it has a file of its own.
    private static let bodySize = 100_100
    private static let count = 3

    static func model(version: Int = 1) throws -> ManagedObjectModel {
        let added = version > 1 ? [AttributeDescription("color", .string)] : []
        return try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Folder", attributes: [.init("name", .string)],
                    relationships: [
                        .init(
                            "notes", to: "Note", inverse: "folder", maxCount: 0, isOrdered: true, deleteRule: .cascade)
                    ]),
                EntityDefinition(
                    "Note",
                    attributes: [
                        .init("number", .integer64), .init("text", .string),
                        .init("body", .binary, allowsExternalBinaryDataStorage: true),
                    ] + added, relationships: [.init("folder", to: "Folder", inverse: "notes")]),
            ], versionIdentifiers: ["\(version)"])
    }

    /// From the first version to the second, with a value that no table gives.
    static func mapping() throws -> MappingModel {
        var mapping = try MappingModel.inferred(from: model(), to: model(version: 2))
        for entity in mapping.entityMappings.indices {
            for attribute in mapping.entityMappings[entity].attributeMappings.indices
            where mapping.entityMappings[entity].attributeMappings[attribute].name == "text" {
                mapping.entityMappings[entity].attributeMappings[attribute].valueExpression = try QueryExpression(
                    format: "lowercase($source.text)")
            }
        }
        return mapping
    }

    static func body(_ state: Int) -> Data {
        var data = Data(repeating: UInt8(truncatingIfNeeded: state &* 37), count: bodySize)
        data[bodySize - 1] = 1
        return data
    }

    /// From this state on texts are long, so that the file of the store grows.
    static let firstLarge = 100
    private static func text(_ state: Int) -> String {
        "state \(state)" + String(repeating: " ", count: state < firstLarge ? 0 : 20_000)
    }

    /// Brings a document to a state: one object goes, one comes, the others change.
    static func write(_ state: Int, to document: PersistentDocument) throws {
        let context = document.context
        let folder =
            try context.fetch(FetchRequest<ManagedObject>(entityName: "Folder")).first ?? context.insert("Folder")
        folder["name"] = "state \(state)"
        var notes = try all(document)
        if notes.count == count, let first = notes.first {
            context.delete(first)
            notes.removeFirst()
        }
        while notes.count < count {
            let note = try context.insert("Note")
            note["number"] = number(of: notes.last) + 1
            note["folder"] = folder
            notes.append(note)
        }
        for note in notes { note["text"] = text(state) }
        notes[0]["body"] = body(state)
        notes[1]["body"] = nil as Data?
    }

    /// What another person does to a document in state 1: a change that contradicts those of state
    /// 2, and one that no state has.
    static func rename(_ document: PersistentDocument) throws {
        try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Folder")).first?["name"] = "renamed"
        try all(document).last?["body"] = Data(repeating: 5, count: bodySize)
    }

    /// The state that a document is in, 0 where it is empty; throws where its parts say different
    /// things.
    static func read(_ document: PersistentDocument) throws -> Int {
        let notes = try all(document),
            folders = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Folder"))
        if notes.isEmpty, folders.isEmpty { return 0 }
        guard folders.count == 1, notes.count == count else {
            throw Half("\(folders.count) folders with \(notes.count) notes")
        }
        let names = Set(
            notes.map { ($0["text"] as? String)?.trimmingCharacters(in: .whitespaces) }
                + folders.map { $0["name"] as? String })
        guard names.count == 1, let name = names.first ?? nil, name.hasPrefix("state "),
            let state = Int(name.dropFirst("state ".count))
        else {
            throw Half("parts of \(names.compactMap { $0 }.sorted())")
        }
        let numbers = notes.map { number(of: $0) }
        guard let first = numbers.first, numbers == Array(first..<first + count) else { throw Half("notes \(numbers)") }
        guard try (notes[0]["body"] as? LargeValue)?.data() == body(state) else {
            throw Half("the large value is not that of state \(state)")
        }
        guard notes.allSatisfy({ ($0["folder"] as? ManagedObject) === folders[0] }) else {
            throw Half("a note without a folder")
        }
        return state
    }

    private static func all(_ document: PersistentDocument) throws -> [ManagedObject] {
        try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Note")).sorted {
            number(of: $0) < number(of: $1)
        }
    }

    private static func number(of note: ManagedObject?) -> Int { note?["number"] as? Int ?? 0 }

    /// A document that is not in one state.
    struct Half: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
