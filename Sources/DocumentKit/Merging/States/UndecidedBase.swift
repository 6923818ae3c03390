internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

/// The conflicts that the base of a merge keeps undecided. Where histories cross, the base is a
/// merge of the bases, made by git or as a ``JoinedBase``. It has the values of one of them where
/// they conflict, which nobody has decided for. There the sides are compared with the value before
/// the conflict.
struct UndecidedBase: Sendable {
    private let conflicts: [DocumentMerge.Conflict]

    static let none = UndecidedBase([])

    /// Takes those of some conflicts that are about values, as far as those are known.
    init(_ conflicts: [DocumentMerge.Conflict]) {
        self.conflicts = conflicts.filter {
            if case .large = $0.base { false } else { $0.kind == .values }
        }
    }

    /// A list that can't be read counts as none.
    init(_ base: DocumentSession) {
        let list = try? KeptConflicts.decoded(base.conflictList())
        self.init((list ?? []).map { $0.conflict(in: base.store.identity) })
    }

    var isEmpty: Bool { conflicts.isEmpty }

    /// Replaces what the sides have changed, as compared with the base, by what they have changed
    /// as compared with the values before the conflicts. Only attributes of objects that both sides
    /// have are compared anew.
    func apply(_ schema: MergeSchema, to ours: inout MergeSide, _ theirs: inout MergeSide) {
        for conflict in conflicts {
            let path = (conflict.property ?? "").split(separator: ".").map(String.init)
            guard let name = Self.name(conflict.object, schema), let first = path.first,
                let property = schema.number(ofProperty: first, in: name.entity),
                !schema[name.entity, property].isLink,
                ours[name]?.change != .removed, theirs[name]?.change != .removed
            else { continue }
            let mine = ours[name]?[property], other = theirs[name]?[property]
            guard let old = (mine ?? other)?.old else { continue }
            let base = MergeValue.plain(old.attribute.replacing(path.dropFirst(), by: conflict.base))
            ours.set(property, of: name, MergeChange.Pair(base, mine?.new ?? old))
            theirs.set(property, of: name, MergeChange.Pair(base, other?.new ?? old))
        }
    }

    /// - Parameter text: As `Book/p7`.
    private static func name(_ text: String, _ schema: MergeSchema) -> MergeName? {
        let parts = text.split(separator: "/")
        guard parts.count == 2, parts[1].first == "p", let number = Int64(parts[1].dropFirst()),
            let entity = schema.number(ofEntity: String(parts[0]))
        else { return nil }
        return MergeName(entity, number)
    }
}

extension MergeSide {
    fileprivate mutating func set(_ property: Int, of name: MergeName, _ pair: MergeChange.Pair) {
        guard let place = place(of: name) else {
            self = MergeSide(map { ($0.name, $0.value) } + [(name, MergeChange(.changed, [(property, pair)]))])
            return
        }
        update(at: place) { change in
            let others = change.properties.filter { $0.property != property }.map { ($0.property, $0.pair) }
            change = MergeChange(change.change, others + [(property, pair)])
        }
    }
}

extension PropertyValue {
    /// A composite value with another value at a path of parts; the other value for an empty path.
    func replacing(_ path: ArraySlice<String>, by value: PropertyValue) -> PropertyValue {
        guard let part = path.first else { return value }
        var parts: [String: PropertyValue] = [:]
        if case .composite(let known) = self { parts = known }
        parts[part] = (parts[part] ?? .null).replacing(path.dropFirst(), by: value)
        return .composite(parts)
    }
}
