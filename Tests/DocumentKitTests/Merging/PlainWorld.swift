import Foundation
import ObjectGraph
import Schema

/// The name of an object, by the root of its hierarchy.
struct PlainName: Hashable, Comparable, CustomStringConvertible {
    let entity: String
    let number: Int64

    init(_ id: ManagedObjectID) {
        entity = id.entity.name
        number = id.key
    }

    var description: String { "\(entity)/p\(number)" }
    static func < (left: PlainName, right: PlainName) -> Bool {
        (left.entity, left.number) < (right.entity, right.number)
    }
}

/// A value that knows nothing of stores.
enum PlainValue: Hashable, CustomStringConvertible {
    case null
    case text(String)
    case number(Double)
    case parts([String: String])
    case object(PlainName)
    case set(Set<PlainName>)
    case sequence([PlainName])

    init(_ value: PropertyValue, isOrdered: Bool) {
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

    var names: [PlainName] {
        switch self {
        case .object(let name): [name]
        case .set(let names): names.sorted()
        case .sequence(let names): names
        default: []
        }
    }

    var description: String {
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
struct PlainWorld: Equatable {
    var objects: [PlainName: [String: PlainValue]] = [:]

    /// What is different, for a person to read.
    func differences(_ other: PlainWorld) -> [String] {
        Set(objects.keys).union(other.objects.keys).sorted().flatMap { name -> [String] in
            guard let left = objects[name] else { return ["\(name) only right: \(other.objects[name] ?? [:])"] }
            guard let right = other.objects[name] else { return ["\(name) only left: \(left)"] }
            return left.keys.sorted().compactMap { key in
                left[key] == right[key]
                    ? nil : "\(name).\(key): \(left[key] ?? .null) | \(right[key] ?? .null)"
            }
        }
    }

    /// Links that lead nowhere, and links whose other end does not agree.
    func objections() -> [String] {
        let inverses = [
            "Author.books": "author", "Author.profile": "author", "Author.partner": "partner", "Book.author": "books",
            "Book.tags": "books", "Book.similar": "similar", "Book.shelf": "books", "Tag.books": "tags",
            "Profile.author": "profile", "Shelf.books": "shelf",
        ]
        return objects.flatMap { name, values in
            values.flatMap { property, value in
                value.names.compactMap { target -> String? in
                    guard let other = objects[target] else {
                        return "\(name).\(property) leads to \(target), which is not there"
                    }
                    let entity = name.entity == "Novel" ? "Book" : name.entity
                    guard let inverse = inverses["\(entity).\(property)"] else { return nil }
                    return other[inverse]?.names.contains(name) == true
                        ? nil : "\(name).\(property) leads to \(target), whose \(inverse) doesn't lead back"
                }
            }
        }
    }

    /// The objects without their numbers: each by its values and by those around it, as often as
    /// there are such.
    func shape() -> [String: Int] {
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

    /// What an attribute or a to-one relationship of an object is to be, by the rules for values
    /// that one side alone has changed; nil where both have, or an object is not in all three.
    static func expected(
        _ base: PlainWorld, _ ours: PlainWorld, _ theirs: PlainWorld, _ name: PlainName, _ property: String
    ) -> PlainValue? {
        guard let old = base.objects[name]?[property], let mine = ours.objects[name]?[property],
            let other = theirs.objects[name]?[property]
        else { return nil }
        if mine == other || other == old { return mine }
        if mine == old { return other }
        if property == "copies" {
            func number(_ value: PlainValue) -> Double { if case .number(let number) = value { number } else { 0 } }
            if mine == .null || other == .null { return nil }
            return .number(number(mine) + number(other) - number(old))
        }
        if property == "rating", case .number(let left) = mine, case .number(let right) = other {
            return .number(max(left, right))
        }
        if case .set(let left) = mine, case .set(let right) = other, case .set(let before) = old {
            return .set(left.union(right).filter { !before.contains($0) || left.contains($0) && right.contains($0) })
        }
        return nil
    }
}
