internal import Foundation
package import ObjectGraph
package import Schema

/// The name of an object, by the root of its hierarchy.
package struct PlainName: Hashable, Comparable, CustomStringConvertible {
    package let entity: String
    package let number: Int64

    package init(_ id: ManagedObjectID) {
        entity = id.entity.name
        number = id.key
    }

    package var description: String { "\(entity)/p\(number)" }
    package static func < (left: PlainName, right: PlainName) -> Bool {
        (left.entity, left.number) < (right.entity, right.number)
    }
}

/// A value that knows nothing of stores.
package enum PlainValue: Hashable, CustomStringConvertible {
    case null
    case text(String)
    case number(Double)
    case parts([String: String])
    case object(PlainName)
    case set(Set<PlainName>)
    case sequence([PlainName])

    package init(_ value: PropertyValue, isOrdered: Bool) {
        switch value {
        case .null: self = .null
        case .int(let number): self = .number(Double(number))
        case .double(let number): self = .number(number)
        case .string(let text): self = .text(text)
        case .data(let data): self = .text("\(data.count) of \(data.first ?? 0)")
        case .large(let large):
            let data = (try? large.data()) ?? Data()
            self = .text("\(data.count) of \(data.first ?? 0)")
        case .composite(let parts):
            self = .parts(parts.compactMapValues { if case .string(let text) = $0 { text } else { nil } })
        case .object(let id): self = .object(PlainName(id))
        case .list(let values):
            let names = values.compactMap { if case .object(let id) = $0 { PlainName(id) } else { nil } }
            self = isOrdered ? .sequence(names) : names.isEmpty ? .null : .set(Set(names))
            if isOrdered, names.isEmpty { self = .null }
        default: self = .text("\(value)")
        }
    }

    package var names: [PlainName] {
        switch self {
        case .object(let name): [name]
        case .set(let names): names.sorted()
        case .sequence(let names): names
        default: []
        }
    }

    package var description: String {
        switch self {
        case .null: "null"
        case .text(let text): text.debugDescription
        case .number(let number): "\(number)"
        case .parts(let parts): "\(parts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })"
        case .object(let name): "\(name)"
        case .set(let names): "{\(names.sorted().map(\.description).joined(separator: " "))}"
        case .sequence(let names): "[\(names.map(\.description).joined(separator: " "))]"
        }
    }
}

/// All objects of a document as plain values.
package struct PlainWorld: Equatable {
    package var objects: [PlainName: [String: PlainValue]] = [:]

    package init(_ context: ManagedObjectContext, _ model: ManagedObjectModel) throws {
        for entity in model.entities where !entity.isAbstract {
            for object in try MergeFixture.objects(context, entity.name) where object.entity.name == entity.name {
                var values: [String: PlainValue] = [:]
                for property in object.entity.properties {
                    values[property.name] = PlainValue(
                        try object.propertyValue(forKey: property.name),
                        isOrdered: property.relationship?.isOrdered ?? false)
                }
                objects[PlainName(object.objectID)] = values
            }
        }
    }

    /// What is different, for a person to read.
    package func differences(_ other: PlainWorld) -> [String] {
        Set(objects.keys).union(other.objects.keys).sorted().flatMap { name -> [String] in
            guard let left = objects[name] else { return ["\(name) only right: \(other.objects[name] ?? [:])"] }
            guard let right = other.objects[name] else { return ["\(name) only left: \(left)"] }
            return left.keys.sorted().compactMap { key in
                left[key] == right[key]
                    ? nil : "\(name).\(key): \(left[key] ?? .null) | \(right[key] ?? .null)"
            }
        }
    }

    /// Links that lead nowhere, links whose other end does not agree, and members that are named
    /// twice.
    package func objections(_ model: ManagedObjectModel) -> [String] {
        var found: [String] = []
        for (name, values) in objects {
            guard let entity = model.entity(named: name.entity) else { continue }
            for property in entity.properties {
                let targets = values[property.name]?.names ?? [], inverse = model.inverse(of: property)?.name
                if Set(targets).count != targets.count { found.append("\(name).\(property.name) names one twice") }
                for target in targets {
                    guard let other = objects[target] else {
                        found.append("\(name).\(property.name) leads to \(target), which is not there")
                        continue
                    }
                    if let inverse, other[inverse]?.names.contains(name) != true {
                        found.append(
                            "\(name).\(property.name) leads to \(target), whose \(inverse) doesn't lead back")
                    }
                }
            }
        }
        return found
    }

    /// The objects without their numbers: each by its values and by those around it, as often as
    /// there are such.
    package func shape() -> [String: Int] {
        var colors = objects.mapValues { values in
            values.sorted { $0.key < $1.key }.map { key, value in
                value.names.isEmpty ? "\(key)=\(value)" : "\(key)#\(value.names.count)"
            }.joined(separator: ";")
        }
        for name in objects.keys { colors[name] = "\(name.entity):\(colors[name] ?? "")" }
        for _ in 0..<3 {
            var numbers: [String: Int] = [:]
            for (index, color) in Set(colors.values).sorted().enumerated() { numbers[color] = index }
            let before = colors
            for (name, values) in objects {
                let links = values.sorted { $0.key < $1.key }.map { key, value in
                    "\(key)=\(value.names.map { numbers[before[$0] ?? ""] ?? -1 }.sorted())"
                }
                colors[name] = (before[name] ?? "") + "|" + links.joined(separator: ";")
            }
            // Short again, and the same for the same.
            if colors.values.contains(where: { $0.utf8.count > 20_000 }) { break }
        }
        return colors.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// What a property of an object is to be, by the rules of a merge; nil where both sides have
    /// changed it in ways that contradict each other or that the plain model does not decide, and
    /// where an object is not in all three.
    package static func expected(
        _ base: PlainWorld, _ ours: PlainWorld, _ theirs: PlainWorld, _ name: PlainName, _ property: String,
        rule: String?
    ) -> PlainValue? {
        guard let old = base.objects[name]?[property], let mine = ours.objects[name]?[property],
            let other = theirs.objects[name]?[property]
        else { return nil }
        if mine == other || other == old { return mine }
        if mine == old { return other }
        switch (rule, mine, other, old) {
        case ("ours"?, _, _, _): return mine
        case ("theirs"?, _, _, _): return other
        case ("sum"?, .number(let left), .number(let right), .number(let before)):
            return .number(left + (right - before))
        case ("sum"?, .number(let left), .number(let right), .null): return .number(left + right)
        case ("max"?, .number(let left), .number(let right), _): return .number(max(left, right))
        case ("min"?, .number(let left), .number(let right), _): return .number(min(left, right))
        case (nil, _, _, _): return parts(old, mine, other) ?? members(old, mine, other)
        default: return nil
        }
    }

    /// A composite by its parts; nil if both sides have changed one of them.
    private static func parts(_ old: PlainValue, _ mine: PlainValue, _ other: PlainValue) -> PlainValue? {
        guard case .parts(let left) = mine, case .parts(let right) = other else { return nil }
        var before: [String: String] = [:], merged: [String: String] = [:]
        if case .parts(let parts) = old { before = parts }
        for name in Set(left.keys).union(right.keys).union(before.keys) {
            let was = before[name], here = left[name], there = right[name]
            if here != there, there != was, here != was { return nil }
            merged[name] = there == was ? here : there
        }
        return merged.isEmpty ? .null : .parts(merged)
    }

    /// A set by what either side added or removed.
    private static func members(_ old: PlainValue, _ mine: PlainValue, _ other: PlainValue) -> PlainValue? {
        func members(_ value: PlainValue) -> Set<PlainName>? {
            switch value {
            case .set(let names): names
            case .null: []
            default: nil
            }
        }
        guard [old, mine, other].contains(where: { if case .set = $0 { true } else { false } }),
            let before = members(old), let left = members(mine), let right = members(other)
        else { return nil }
        let merged = left.union(right).filter { !before.contains($0) || left.contains($0) && right.contains($0) }
        return merged.isEmpty ? .null : .set(merged)
    }
}
