import Foundation
import Schema

/// What a store must say after a migration, worked out from what it said before and from the two
/// models alone, by names.
///
/// Written apart from the inference, object by object, so that one checks the other.
struct ExpectedMigration {
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    let before: StoreSnapshot

    private func canonical(_ name: String, _ identifier: String?) -> String { identifier ?? name }

    func former(_ entity: EntityDescription) -> EntityDescription? {
        let name = canonical(entity.name, entity.definition.renamingIdentifier)
        return old.entities.first { canonical($0.name, $0.definition.renamingIdentifier) == name } ?? old.entity(
            named: name) ?? old.entity(named: entity.name)
    }

    private func former(_ property: PropertyDescription, in entity: EntityDescription) -> PropertyDescription? {
        func identifier(_ property: PropertyDescription) -> String? {
            property.attribute?.renamingIdentifier ?? property.relationship?.renamingIdentifier
        }
        let name = canonical(property.name, identifier(property))
        let candidates = entity.properties.filter {
            ($0.attribute == nil) == (property.attribute == nil) && !$0.isTransient
        }
        if let same = candidates.first(where: {
            $0.name == property.name && identifier($0) == identifier(property) && identifier($0) != nil
        }) {
            return same
        }
        return candidates.first { canonical($0.name, identifier($0)) == name } ?? candidates.first { $0.name == name }
            ?? candidates.first { $0.name == property.name }
    }

    /// What became of each object; those of entities that are gone are missing.
    private var images: [StoreSnapshot.Object: StoreSnapshot.Object] {
        var entities: [String: String] = [:]
        for entity in new.entities { if let former = former(entity) { entities[former.name] = entity.name } }
        var images: [StoreSnapshot.Object: StoreSnapshot.Object] = [:]
        for object in before.objects.keys {
            if let entity = entities[object.entity] {
                images[object] = StoreSnapshot.Object(entity: entity, key: object.key)
            }
        }
        return images
    }

    /// Compares with what is there; answers what is different, in words.
    func differences(from after: StoreSnapshot) throws -> [String] {
        let images = images
        var found: [String] = []
        if Set(images.values) != Set(after.objects.keys) {
            found.append("objects: \(images.count) expected, \(after.objects.count) there")
        }
        for (source, image) in images {
            guard let content = after.objects[image], let original = before.objects[source],
                let entity = new.entity(named: image.entity),
                let formerEntity = old.entity(named: source.entity)
            else { continue }
            for property in entity.properties where !property.isTransient {
                let origin = former(property, in: formerEntity)
                if let attribute = property.attribute {
                    if attribute.type == .undefined || attribute.type == .objectID { continue }
                    let expected = try value(attribute, origin.map { original.attributes[$0.name] ?? .null })
                    if content.attributes[property.name] != expected {
                        found.append(
                            "\(image).\(property.name): \(content.attributes[property.name] ?? .null) instead of \(expected)"
                        )
                    }
                    continue
                }
                let expected = links(of: source, property, origin, images)
                if property.isToMany {
                    let members = content.toManys[property.name] ?? []
                    let keepsOrder =
                        property.relationship?.isOrdered == true && origin?.relationship?.isOrdered == true
                        && origin?.isToMany == true
                    if keepsOrder ? members != expected : members.sorted() != expected.sorted() {
                        found.append("\(image).\(property.name): \(members) instead of \(expected)")
                    }
                } else if (content.toOnes[property.name] ?? nil) != expected.first || expected.count > 1 {
                    found.append(
                        "\(image).\(property.name): \(String(describing: content.toOnes[property.name] ?? nil)) instead of \(expected)"
                    )
                }
            }
        }
        return found.sorted()
    }

    private func value(_ attribute: AttributeDescription, _ former: PropertyValue?) throws -> PropertyValue {
        guard let former, !former.isNull || attribute.isOptional else {
            return try StoreSnapshot.plain(attribute.isDerived ? .null : attribute.defaultValue ?? .null)
        }
        guard let text = Self.digits(former) else { return former }
        switch attribute.type {
        case .boolean: return .bool(Double(text) != 0)
        case .integer16, .integer32, .integer64:
            return Int64(text).map { .int($0) } ?? Double(text).map { .int(Int64($0)) } ?? .null
        case .decimal: return Decimal(string: text).map { .decimal($0) } ?? .null
        case .double: return Double(text).map { .double($0) } ?? .null
        case .float: return Float(text).map { .float($0) } ?? .null
        default: return former
        }
    }

    /// A number in decimal digits, nil for what is none.
    private static func digits(_ value: PropertyValue) -> String? {
        switch value {
        case .bool(let flag): flag ? "1" : "0"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .float(let number): "\(Double(number))"
        case .decimal(let number): "\(number)"
        default: nil
        }
    }

    /// The values and links that both versions have a place for and that are no longer there,
    /// whatever else is different: what a way through other versions must keep.
    func losses(in after: StoreSnapshot) throws -> [String] {
        let images = images
        var found = images.filter { after.objects[$0.value] == nil }.map { "\($0.key)" }
        for (source, image) in images {
            guard let content = after.objects[image], let original = before.objects[source],
                let entity = new.entity(named: image.entity),
                let formerEntity = old.entity(named: source.entity)
            else { continue }
            for property in entity.properties where !property.isTransient && property.attribute?.isDerived != true {
                guard let origin = former(property, in: formerEntity), origin.attribute?.isDerived != true else {
                    continue
                }
                if let attribute = property.attribute {
                    let value = original.attributes[origin.name] ?? .null
                    if !value.isNull, content.attributes[property.name] != (try self.value(attribute, value)) {
                        found.append("\(source).\(origin.name)")
                    }
                } else {
                    let links =
                        property.isToMany
                        ? content.toManys[property.name] ?? []
                        : [content.toOnes[property.name] ?? nil].compactMap { $0 }
                    if !Set(links).isSuperset(of: self.links(of: source, property, origin, images)) {
                        found.append("\(source).\(origin.name)")
                    }
                }
            }
        }
        return found.sorted()
    }

    /// The images of the objects that an object was related to, or that were related to it where
    /// only the other end is known.
    private func links(
        of source: StoreSnapshot.Object, _ property: PropertyDescription, _ origin: PropertyDescription?,
        _ images: [StoreSnapshot.Object: StoreSnapshot.Object]
    ) -> [StoreSnapshot.Object] {
        let destination = new.entities[property.destinationIndex]
        func surviving(_ objects: [StoreSnapshot.Object]) -> [StoreSnapshot.Object] {
            objects.compactMap { images[$0] }.filter { object in
                new.entity(named: object.entity).map { $0.isKind(of: destination) } ?? false
            }
        }
        if let origin, let content = before.objects[source] {
            return surviving(
                origin.isToMany
                    ? content.toManys[origin.name] ?? [] : [content.toOnes[origin.name] ?? nil].compactMap { $0 })
        }
        guard let inverse = new.inverse(of: property) else { return [] }
        return surviving(
            before.objects.filter { object, content in
                guard let entity = old.entity(named: object.entity),
                    let image = images[object].flatMap({ new.entity(named: $0.entity) }),
                    image.isKind(of: destination), let end = former(inverse, in: entity)
                else { return false }
                return end.isToMany
                    ? content.toManys[end.name]?.contains(source) == true : (content.toOnes[end.name] ?? nil) == source
            }.map(\.key))
    }
}
