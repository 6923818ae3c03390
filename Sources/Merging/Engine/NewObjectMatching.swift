internal import DocumentFiles
internal import Foundation
internal import Schema

/// Finds the new objects of both sides that are one object: those that a uniqueness constraint says
/// are, and those that are equal in everything, their links included.
package struct NewObjectMatching {
    /// What unites objects that are not equal in everything, and that no constraint unites. Where
    /// there is no base, most objects of both sides may be one.
    package enum Manner: Sendable {
        case exact
        /// Equal attributes and to-one relationships: what leads to them may differ.
        case byAttributes
        /// The two are copies of one document: also one key, and the same values for the most part.
        case byKeys
    }

    private let schema: MergeSchema
    private let ours: MergeSide
    private let theirs: MergeSide
    private(set) var pairs: [MergeName: MergeName] = [:]
    /// The objects of ours that a constraint has united with one of theirs.
    private var united: Set<MergeName> = []
    /// Objects farther away tell no more apart; what stays alike is compared in full.
    private static let rounds = 3

    init(_ schema: MergeSchema, _ ours: MergeSide, _ theirs: MergeSide, _ manner: Manner = .exact) {
        self.schema = schema
        func added(_ name: MergeName, _ change: MergeChange) -> Bool { change.change == .added }
        self.ours = ours.part(where: added)
        self.theirs = self.ours.isEmpty ? [:] : theirs.part(where: added)
        guard !self.ours.isEmpty, !self.theirs.isEmpty else { return }
        matchByConstraints()
        matchByEquality(ours, theirs)
        if case .exact = manner { return }
        if case .byKeys = manner { matchByKeys() }
        matchByAttributes()
    }

    // MARK: Likeness

    private mutating func matchByKeys() {
        let taken = Set(pairs.values)
        for (name, change) in theirs where pairs[name] == nil {
            let twin = MergeName(name.entity, name.number, .ours)
            guard !taken.contains(twin), let mine = ours[twin] else { continue }
            func value(_ change: MergeChange) -> (Int) -> PropertyValue { { change.new[$0]?.attribute ?? .null } }
            if Likeness(value(mine), value(change), schema[name.entity]).mayBeOne { pairs[name] = twin }
        }
    }

    /// Of more objects with the same attributes, the others are not looked at.
    private static let greatestGroup = 64

    private mutating func matchByAttributes() {
        let contents = contentColors()
        var groups: [Int: [MergeName]] = [:], taken = Set(pairs.values)
        for name in ours.names where !taken.contains(name) {
            if let color = contents[0][name] { groups[color, default: []].append(name) }
        }
        var open = theirs.filter { name, change in
            pairs[name] == nil && change.new.contains { $0.value.names.isEmpty }
                && groups[contents[1][name] ?? 0] != nil
        }
        // What an object leads to is found first.
        var isStable = false
        while !isStable {
            isStable = true
            open.removeAll { name, change in
                let change = change.renamed(pairs)
                let twin = (groups[contents[1][name] ?? 0] ?? []).prefix(Self.greatestGroup).first { twin in
                    !taken.contains(twin) && twin.entity == name.entity && isAlike(ours[twin], change, name.entity)
                }
                guard let twin else { return false }
                pairs[name] = twin
                taken.insert(twin)
                isStable = false
                return true
            }
        }
    }

    private func isAlike(_ mine: MergeChange?, _ other: MergeChange, _ entity: Int) -> Bool {
        guard let mine else { return false }
        return schema[entity].properties.indices.allSatisfy { property in
            switch schema[entity, property].kind {
            case .oneToOne, .toMany: true
            case .attribute, .toOne: (mine.new[property] ?? .null).isSame(as: other.new[property] ?? .null)
            }
        }
    }

    // MARK: Constraints

    private struct Key: Hashable {
        let constraint: MergeSchema.Constraint.Name
        let values: [PropertyValue]
    }

    private mutating func matchByConstraints() {
        var known: [Key: MergeName] = [:]
        for (name, change) in ours {
            for key in keys(name, change) { known[key] = name }
        }
        guard !known.isEmpty else { return }
        var taken: Set<MergeName> = []
        for (name, change) in theirs {
            let found = keys(name, change).compactMap { known[$0] }.first { $0.entity == name.entity }
            if let found, taken.insert(found).inserted { pairs[name] = found }
        }
    }

    private func keys(_ name: MergeName, _ change: MergeChange) -> [Key] {
        schema[name.entity].constraints.compactMap { constraint in
            let values = constraint.attributes.map { change.new[$0]?.attribute ?? .null }
            return values.contains { $0.isNull } ? nil : Key(constraint: constraint.name, values: values)
        }
    }

    // MARK: Equality

    private mutating func matchByEquality(_ allOurs: MergeSide, _ allTheirs: MergeSide) {
        united = Set(pairs.values)
        let contents = contentColors(),
            left = colors(ours, allOurs, contents[0]), right = colors(theirs, allTheirs, contents[1])
        var groups: [Int: [MergeName]] = [:]
        for (name, color) in left where !united.contains(name) { groups[color, default: []].append(name) }
        var free = Set(groups.values.joined())
        var candidates: [MergeName: MergeName] = [:]
        let open = theirs.names.filter { pairs[$0] == nil }
        // Of several that are alike those first that have one number.
        for name in open {
            let twin = MergeName(name.entity, name.number, .ours)
            if free.contains(twin), left[twin] == right[name] {
                free.remove(twin)
                candidates[name] = twin
            }
        }
        for (color, names) in groups { groups[color] = names.filter { free.contains($0) }.sorted(by: >) }
        for name in open where candidates[name] == nil {
            guard let color = right[name], let twin = groups[color]?.last, twin.entity == name.entity else { continue }
            groups[color]?.removeLast()
            candidates[name] = twin
        }
        confirm(candidates, allOurs, allTheirs)
    }

    /// Takes the candidates that are equal in full, where those that they lead to, and those that
    /// lead to them, are so too.
    private mutating func confirm(
        _ candidates: [MergeName: MergeName], _ allOurs: MergeSide, _ allTheirs: MergeSide
    ) {
        var left = candidates
        let inOurs = incoming(allOurs), inTheirs = incoming(allTheirs)
        var isStable = false
        while !isStable {
            isStable = true
            let names = left.merging(pairs) { first, _ in first }
            for (name, twin) in left {
                guard let mine = ours[twin], let other = theirs[name]?.renamed(names) else { continue }
                let links = Set((inTheirs[name] ?? []).map { Incoming(names[$0.owner] ?? $0.owner, $0.property) })
                let isSame =
                    mine.new.count == other.new.count
                    && mine.new.allSatisfy { property, value in
                        other.new[property].map { Self.isSame(value, $0, isOrdered(name, property)) } ?? false
                    } && links == Set(inOurs[twin] ?? [])
                if !isSame {
                    left[name] = nil
                    isStable = false
                }
            }
        }
        pairs.merge(left) { first, _ in first }
    }

    private func isOrdered(_ name: MergeName, _ property: Int) -> Bool {
        if case .toMany(let isOrdered, _) = schema[name.entity, property].kind { isOrdered } else { true }
    }

    private static func isSame(_ left: MergeValue, _ right: MergeValue, _ isOrdered: Bool) -> Bool {
        if case .members(let a) = left, case .members(let b) = right, !isOrdered { return Set(a) == Set(b) }
        return left.isSame(as: right)
    }

    private struct Incoming: Hashable {
        let owner: MergeName
        let property: Int

        init(_ owner: MergeName, _ property: Int) {
            self.owner = owner
            self.property = property
        }
    }

    /// The links that lead to new objects.
    private func incoming(_ side: MergeSide) -> [MergeName: [Incoming]] {
        var links: [MergeName: [Incoming]] = [:]
        for (owner, change) in side where change.change != .removed {
            for (property, value) in change.new {
                for name in value.names where name.origin != .base {
                    links[name, default: []].append(Incoming(owner, property))
                }
            }
        }
        return links
    }

    /// Numbers for the new objects of both sides by their attributes. The bytes of values in files
    /// are read only where one of the sides has several objects that are alike without them.
    private func contentColors() -> [[MergeName: Int]] {
        let sides = [ours, theirs]
        var colors = sides.map { side in
            var colors: [MergeName: Int] = [:]
            for (name, change) in side { colors[name] = contentColor(name, change, readsFiles: false) }
            return colors
        }
        let mayReadFiles = schema.model.entities.contains { entity in
            entity.properties.contains { $0.attribute?.allowsExternalBinaryDataStorage == true }
        }
        guard mayReadFiles else { return colors }
        var crowded: Set<Int> = []
        for colors in colors {
            var seen: Set<Int> = []
            crowded.formUnion(colors.values.filter { !seen.insert($0).inserted })
        }
        for (index, side) in sides.enumerated() {
            for (name, change) in side where change.hasLargeValues {
                guard let color = colors[index][name], crowded.contains(color) else { continue }
                colors[index][name] = contentColor(name, change, readsFiles: true)
            }
        }
        return colors
    }

    private func contentColor(_ name: MergeName, _ change: MergeChange, readsFiles: Bool) -> Int {
        var hasher = Hasher()
        hasher.combine(name.entity)
        for (property, value) in change.new {
            guard case .plain(let value) = value else { continue }
            hasher.combine(property)
            value.hashContents(into: &hasher, readsFiles: readsFiles)
        }
        return hasher.finalize()
    }

    /// Numbers for the new objects of a side, the same for those that are alike.
    private func colors(_ new: MergeSide, _ all: MergeSide, _ contents: [MergeName: Int]) -> [MergeName: Int] {
        var colors = contents
        let links = incoming(all)
        for _ in 0..<Self.rounds {
            var next: [MergeName: Int] = [:]
            for (name, change) in new {
                // A sum, for links have no order of their own.
                var sum = 0
                for (property, value) in change.new {
                    for target in value.names { sum &+= Self.hash(property, color(of: target, colors)) }
                }
                for link in links[name] ?? [] { sum &+= Self.hash(link.property, ~color(of: link.owner, colors)) }
                next[name] = Self.hash(-1, (colors[name] ?? 0) ^ sum)
            }
            colors = next
        }
        return colors
    }

    private func color(of name: MergeName, _ colors: [MergeName: Int]) -> Int {
        let name = pairs[name] ?? name
        if name.origin == .base || united.contains(name) { return name.hashValue }
        return colors[name] ?? 0
    }

    private static func hash(_ property: Int, _ color: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(property)
        hasher.combine(color)
        return hasher.finalize()
    }
}

extension MergeChange {
    fileprivate var hasLargeValues: Bool {
        new.contains { _, value in
            if case .plain(.large) = value { true } else { false }
        }
    }
}

extension PropertyValue {
    /// Hashes what `isSame` compares. Of large values that is their size, unless `readsFiles`.
    fileprivate func hashContents(into hasher: inout Hasher, readsFiles: Bool) {
        switch self {
        case .double(let value): hasher.combine(value.isNaN ? 0 : value)
        case .float(let value): hasher.combine(value.isNaN ? 0 : value)
        case .data(let data):
            // Data hashes no more than its first bytes.
            data.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .large(let value):
            hasher.combine(try? value.count)
            if readsFiles { try? value.reader().forEachRemainingPiece { hasher.combine(bytes: $0) } }
        case .composite(let parts):
            for (name, value) in parts.sorted(by: { $0.key < $1.key }) where !value.isNull {
                hasher.combine(name)
                value.hashContents(into: &hasher, readsFiles: readsFiles)
            }
        default: hasher.combine(self)
        }
    }
}
