import Folio
import Foundation
import PortReport

/// The models among sources: their classes, which Xcode generates, stand in no file.
struct PortedModels {
    /// An entity's class, and the file that says how it is generated.
    private struct Entity {
        let name: String
        let className: String
        let contents: (path: String, name: String)
    }

    private(set) var classes: [PortRequest.ModelClass] = []
    /// The models that can't be read, with the reasons.
    private(set) var unreadable: [(name: String, reason: String)] = []
    private var entities: [Entity] = []

    /// - Parameter files: The models with their names relative to the folder of the sources.
    init(_ files: [(path: String, name: String)]) {
        for file in files {
            do { try add(file) } catch { unreadable.append((file.name, "the model can't be read: \(error)")) }
        }
    }

    private mutating func add(_ file: (path: String, name: String)) throws {
        let source = try ModelFile(contentsOf: URL(fileURLWithPath: file.path))
        let model = try source.model()
        let version = file.path.hasSuffix(".xcdatamodeld") ? "/\(source.currentVersionName).xcdatamodel" : ""
        let contents = (path: "\(file.path)\(version)/contents", name: "\(file.name)\(version)/contents")
        for entity in model.entities {
            let generation = entity.definition.extraMarkup["codeGenerationType"]
            guard let generation, let name = Self.className(entity) else { continue }
            let attributes = entity.definition.attributes, relationships = entity.definition.relationships
            classes.append(
                PortRequest.ModelClass(
                    name: name, superclass: Self.superclass(entity), isGenerated: generation == "class",
                    properties: attributes.map(\.name) + relationships.map(\.name),
                    sets: relationships.filter { $0.isToMany && !$0.isOrdered }.map(\.name)))
            entities.append(Entity(name: entity.name, className: name, contents: contents))
        }
    }

    private static func className(_ entity: EntityDescription) -> String? {
        let name = entity.managedObjectClassName?.split(separator: ".").last.map(String.init)
        return name == "NSManagedObject" ? nil : name
    }

    private static func superclass(_ entity: EntityDescription) -> String {
        var next = entity.superentity
        while let parent = next {
            if let name = className(parent) { return name }
            next = parent.superentity
        }
        return "NSManagedObject"
    }

    /// What becomes of the models where the sources declare classes now: their properties alone
    /// are generated, which Xcode calls “Category/Extension”.
    func declaring(_ classNames: [String]) -> [(source: PortedSource, name: String)] {
        var texts: [String: PortedSource] = [:], order: [(path: String, name: String)] = []
        for entity in entities where classNames.contains(entity.className) {
            let path = entity.contents.path
            guard
                let text = texts[path]?.text
                    ?? FileManager.default.contents(atPath: path).flatMap({ String(validating: $0, as: UTF8.self) }),
                let changed = Self.text(text, generatingPropertiesOf: entity.name)
            else { continue }
            if texts[path] == nil { order.append(entity.contents) }
            let count = texts[path]?.changeCount ?? 0
            texts[path] = PortedSource(path: path, text: changed, changeCount: count + 1, notes: [])
        }
        return order.compactMap { file in texts[file.path].map { ($0, file.name) } }
    }

    private static func text(_ text: String, generatingPropertiesOf entity: String) -> String? {
        let name = text.matches(of: /<entity\s[^>]*>/).first { tag in
            tag.output.firstMatch(of: /\sname="([^"]*)"/).map { String($0.output.1) == entity } ?? false
        }
        guard let tag = name else { return nil }
        let new = tag.output.replacing("codeGenerationType=\"class\"", with: "codeGenerationType=\"category\"")
        guard new != tag.output else { return nil }
        return text.replacingCharacters(in: tag.range, with: String(new))
    }
}
