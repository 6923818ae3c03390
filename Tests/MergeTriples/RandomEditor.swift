internal import Foundation
package import ObjectGraph
package import Schema
package import TestSupport

/// Edits documents of any model at random, so that they stay valid.
package struct RandomEditor {
    /// One of several people whose edits have nothing to do with each other: each edits the objects
    /// whose primary keys leave the same remainder, and new ones.
    package struct Share: Sendable {
        let index: Int
        let count: Int64

        package init(_ index: Int, of count: Int) {
            self.index = index
            self.count = Int64(count)
        }
    }

    private struct Invalid: Error {}

    private let context: ManagedObjectContext
    private let entities: [EntityDescription]
    private let model: ManagedObjectModel
    private let share: Share?
    private var made: Set<ManagedObject> = []

    package init(_ context: ManagedObjectContext, _ model: ManagedObjectModel, share: Share? = nil) {
        self.context = context
        self.model = model
        self.share = share
        entities = model.entities.filter { !$0.isAbstract }
    }

    /// - Throws: What reading throws.
    package mutating func edit(_ random: inout SplitMix, count: Int) throws {
        for _ in 0..<count {
            do {
                try context.edits.asOneStep {
                    try edit(&random)
                    context.processPendingChanges()
                    guard try context.saving.validationFailures(limit: 1).isEmpty else { throw Invalid() }
                }
            } catch is Invalid {
                made = made.filter { $0.managedObjectContext != nil && !$0.isDeleted }
            }
        }
    }

    private mutating func edit(_ random: inout SplitMix) throws {
        guard let entity = entities.randomElement(using: &random) else { return }
        let all = try objects(entity.name)
        let dice = Int.random(in: 0..<20, using: &random)
        if all.isEmpty || dice < 5 { return try insert(entity, &random) }
        guard let object = all.randomElement(using: &random) else { return }
        if dice == 5 {
            if share == nil || isAlone(object) { try delete(object) }
            return
        }
        let properties = object.entity.properties
        guard let property = properties.randomElement(using: &random) else { return }
        try change(object, property, &random)
    }

    /// Nothing says who leads to an object by a relationship without an inverse: that is for
    /// whoever deletes it.
    private func delete(_ object: ManagedObject) throws {
        let links = entities.flatMap { entity in
            entity.properties.filter { $0.relationship != nil && model.inverse(of: $0) == nil }.map {
                (entity: entity.name, property: $0.name)
            }
        }
        let owners = try links.flatMap { link in
            try MergeFixture.objects(context, link.entity).compactMap { owner in
                (owner[link.property] as? ManagedObject).map { (owner: owner, property: link.property, target: $0) }
            }
        }
        context.delete(object)
        // The delete rules may take others along.
        context.processPendingChanges()
        for link in owners where link.target.isDeleted && !link.owner.isDeleted {
            try link.owner.setPropertyValue(.null, forKey: link.property)
        }
    }

    /// Those that may be edited.
    private func objects(_ entity: String) throws -> [ManagedObject] {
        try MergeFixture.objects(context, entity).filter(isMine)
    }

    private func isMine(_ object: ManagedObject) -> Bool {
        guard let share else { return true }
        return made.contains(object)
            || !object.objectID.isTemporaryID && object.objectID.key % share.count == share.index
    }

    private mutating func insert(_ entity: EntityDescription, _ random: inout SplitMix) throws {
        let object = try context.insert(entity.name)
        made.insert(object)
        for property in object.entity.properties where property.attribute != nil || !property.isOptional {
            if property.isOptional, Bool.random(using: &random) { continue }
            try change(object, property, &random)
        }
    }

    private func change(
        _ object: ManagedObject, _ property: Schema.PropertyDescription, _ random: inout SplitMix
    ) throws {
        if let attribute = property.attribute {
            let isUnique = property.name.hasPrefix("key")
            let value = isUnique ? try key(property.name, object, &random) : Self.value(attribute, &random)
            return try object.setPropertyValue(value, forKey: property.name)
        }
        guard let relationship = property.relationship else { return }
        let others = try objects(relationship.destinationEntityName)
        guard let other = others.randomElement(using: &random) else { return }
        let old = try object.propertyValue(forKey: property.name)
        guard relationship.isToMany else {
            guard share == nil || isOwn(old) && isFree(other, model.inverse(of: property)) else { return }
            let isKept = !property.isOptional || Int.random(in: 0..<4, using: &random) > 0
            return try object.setPropertyValue(isKept ? .object(other.objectID) : .null, forKey: property.name)
        }
        var members: [PropertyValue] = []
        if case .list(let known) = old { members = known }
        if relationship.isOrdered, Int.random(in: 0..<3, using: &random) == 0 {
            guard share == nil || isOwn(old) else { return }
            members.shuffle(using: &random)
        } else if let index = members.firstIndex(of: .object(other.objectID)) {
            members.remove(at: index)
        } else {
            guard share == nil || isFree(other, model.inverse(of: property)) else { return }
            members.insert(.object(other.objectID), at: Int.random(in: 0...members.count, using: &random))
        }
        try object.setPropertyValue(.list(members), forKey: property.name)
    }

    // MARK: What is whose

    private func isOwn(_ value: PropertyValue) -> Bool {
        switch value {
        case .object(let id): context.registeredObject(for: id).map(isMine) ?? false
        case .list(let values): values.allSatisfy(isOwn)
        default: true
        }
    }

    /// Whether nobody else loses an object by a link to it.
    private func isFree(_ object: ManagedObject, _ inverse: Schema.PropertyDescription?) -> Bool {
        guard let inverse, inverse.relationship?.isToMany == false else { return true }
        return (try? object.propertyValue(forKey: inverse.name)).map(isOwn) ?? false
    }

    private func isAlone(_ object: ManagedObject) -> Bool {
        object.entity.properties.allSatisfy { property in
            guard property.relationship != nil else { return true }
            // What leads to it without an inverse is not known.
            if model.inverse(of: property) == nil { return false }
            switch try? object.propertyValue(forKey: property.name) {
            case .null?: return true
            case .list(let members)?: return members.isEmpty
            default: return false
            }
        } && made.contains(object)
    }

    // MARK: Values

    private static let words = ["a", "b", "c", "d", "e", "f", "g", "h"]

    private static func word(_ random: inout SplitMix) -> String {
        (0..<2).map { _ in words.randomElement(using: &random) ?? "" }.joined()
    }

    /// Nobody else's, within the document.
    private func key(_ name: String, _ object: ManagedObject, _ random: inout SplitMix) throws -> PropertyValue {
        let key = Self.word(&random) + (share.map { "\($0.index)" } ?? "")
        let isTaken = try entities.filter { $0.property(named: name) != nil }.contains { entity in
            try MergeFixture.objects(context, entity.name).contains {
                $0 != object && ($0[name] as? String) == key
            }
        }
        return isTaken ? .null : .string(key)
    }

    private static func value(_ attribute: AttributeDescription, _ random: inout SplitMix) -> PropertyValue {
        if Int.random(in: 0..<8, using: &random) == 0 { return .null }
        let number = Int.random(in: 0..<10, using: &random)
        switch attribute.type {
        case .string:
            guard attribute.userInfo["folio.merge"] == "text" else { return .string(word(&random)) }
            var lines = ["1", "2", "3", "4", "5", "6"]
            lines[number % 6] += word(&random)
            return .string(lines.map { $0 + "\n" }.joined())
        case .integer64: return .int(Int64(number))
        case .double: return .double(Double(number) / 4)
        case .decimal: return .decimal(Decimal(number))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1000))
        case .boolean: return .bool(number % 2 == 0)
        case .uuid: return UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)").map { .uuid($0) } ?? .null
        case .composite:
            var parts: [String: PropertyValue] = [:]
            for name in ["first", "second"] where Bool.random(using: &random) { parts[name] = .string(word(&random)) }
            return parts.isEmpty ? .null : .composite(parts)
        case .binary:
            return .data(Data(repeating: UInt8(number), count: number % 3 == 0 ? 120_000 + number : 40))
        default: return .null
        }
    }
}
