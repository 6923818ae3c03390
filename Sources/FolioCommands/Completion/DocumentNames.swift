import Folio
import Foundation

/// The names in a document, for completion: entities, properties and versions. If the document
/// can't be read, there are no names.
struct DocumentNames {
    private let position: CommandLinePosition

    init(_ position: CommandLinePosition) {
        self.position = position
    }

    typealias Name = (text: String, summary: String)

    private var model: ManagedObjectModel? {
        guard let text = position.document, FileManager.default.fileExists(atPath: DocumentArgument(text).path) else {
            return nil
        }
        let argument = DocumentArgument(text)
        let choice = try? FittingModel.choice(position.model)
        if let model = try? DocumentOpening.model(of: URL(fileURLWithPath: argument.path), state: argument.state) {
            return model
        }
        return try? choice?.model(fitting: [:])
    }

    var entities: [Name] {
        (model?.entities ?? []).map { ($0.name, $0.isAbstract ? "abstract entity" : "entity") }.sorted {
            $0.text < $1.text
        }
    }

    /// The keys that can follow a path of relationships.
    func keys(behind path: [Substring]) -> [Name] {
        guard let model, let name = position.entityName, var entity = model.entity(named: name) else { return [] }
        for key in path {
            guard let relationship = entity.property(named: String(key))?.relationship,
                let next = model.destination(of: relationship)
            else { return [] }
            entity = next
        }
        return entity.properties.filter { !$0.isTransient }.map { ($0.name, Self.summary($0, in: model)) }.sorted {
            $0.text < $1.text
        }
    }

    private static func summary(_ property: PropertyDescription, in model: ManagedObjectModel) -> String {
        if let relationship = property.relationship {
            return (property.isToMany ? "to-many, " : "to-one, ") + (model.destination(of: relationship)?.name ?? "")
        }
        return property.attribute.map { "\($0.type)" } ?? ""
    }

    /// The possible values of an attribute or relationship, if they can be enumerated.
    func values(of key: String) -> [Name] {
        guard let model, let name = position.entityName, let property = model.entity(named: name)?.property(named: key)
        else { return [] }
        if property.attribute?.type == .boolean { return [("true", ""), ("false", "")] }
        guard let relationship = property.relationship, let destination = model.destination(of: relationship) else {
            return []
        }
        return model.entities.filter { !$0.isAbstract && $0.isKind(of: destination) }.map { ("\($0.name)/p", "") }
    }

    var templates: [Name] {
        (model?.definition.fetchRequestTemplates ?? []).map { ($0.name, "fetch request") }.sorted { $0.text < $1.text }
    }

    /// The states that can follow `DOC@`, newest first.
    static func states(ofDocumentAt path: String) async -> [Name] {
        guard
            let document = try? await DocumentOpening.open(
                URL(fileURLWithPath: path), mode: .reading, state: .newest, fitting: .own)
        else { return [] }
        var names: [Name] = []
        if document.hasAutosavedWork {
            names.append(("autosaved", document.autosaved.map { ValueText.moment($0) } ?? ""))
        }
        if let saved = document.saved { names.append(("saved", ValueText.moment(saved))) }
        for version in ((try? document.versions()) ?? []).reversed() {
            names.append(
                (
                    String(version.generation),
                    ([ValueText.moment(version.saved)] + [version.name].compactMap { $0 }).joined(separator: ", ")
                ))
        }
        try? await document.close()
        return names
    }

    /// The versions of a model in a file.
    static func versions(ofModelAt path: String) -> [Name] {
        ((try? ModelFile(contentsOf: URL(fileURLWithPath: path)))?.versionNames ?? []).map { ($0, "version") }
    }
}
