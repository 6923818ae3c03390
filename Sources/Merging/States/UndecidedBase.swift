internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
package import Schema
internal import Storage

/// The conflicts that the base of a merge keeps undecided. Where histories cross, the base is a
/// merge of the bases, made by git or as a ``JoinedBase``. It has the values of one of them where
/// they conflict, which nobody has decided for. There the sides are compared with the value before
/// the conflict.
struct UndecidedBase: Sendable {
    private let conflicts: [DocumentMerge.Conflict]
    /// The objects that one of the merged states had deleted and the other one changed.
    private let objects: [String]

    static let none = UndecidedBase([])

    /// Takes those of some conflicts that are about values, as far as those are known, or about
    /// deleted objects.
    init(_ conflicts: [DocumentMerge.Conflict]) {
        self.conflicts = conflicts.filter(Self.hasBaseValue)
        objects = conflicts.filter { $0.kind == .deletedChanged }.map(\.object)
    }

    private static func hasBaseValue(_ conflict: DocumentMerge.Conflict) -> Bool {
        if case .large = conflict.base { false } else { conflict.kind == .values }
    }

    /// Whether a conflict of a base is taken into account: one in an attribute whose value before
    /// is at hand, or about a deleted object.
    static func canKeep(_ conflict: DocumentMerge.Conflict, _ model: ManagedObjectModel) -> Bool {
        if conflict.kind == .deletedChanged { return true }
        let entity = model.entity(named: String(conflict.object.prefix { $0 != "/" }))
        let property = conflict.property.flatMap { entity?.property(named: String($0.prefix { $0 != "." })) }
        return property?.attribute != nil && hasBaseValue(conflict)
    }

    /// A list that can't be read counts as none.
    init(_ base: DocumentSession) {
        let list = try? KeptConflicts.decoded(base.conflictList())
        self.init((list ?? []).map { $0.conflict(in: base.store.identity) })
    }

    var isEmpty: Bool { conflicts.isEmpty && objects.isEmpty }

    /// The objects that the base has because nobody decided whether they are deleted: a side that
    /// has no change of one has decided to keep it.
    func undecidedObjects(_ schema: MergeSchema) -> Set<MergeName> {
        Set(objects.compactMap { Self.name($0, schema) })
    }

    /// Replaces what the sides have changed, as compared with the base, by what they have changed
    /// as compared with the values before the conflicts. Only attributes of objects that both sides
    /// have are compared anew.
    func apply(_ schema: MergeSchema, to ours: inout MergeSide, _ theirs: inout MergeSide) {
        let named = conflicts.compactMap { conflict -> (name: MergeName, path: [String], base: PropertyValue)? in
            let path = (conflict.property ?? "").split(separator: ".").map(String.init)
            return Self.name(conflict.object, schema).map { ($0, path, conflict.base) }
        }
        ours.addUnchanged(named.map(\.name))
        theirs.addUnchanged(named.map(\.name))
        for (name, path, base) in named {
            guard let first = path.first, let property = schema.number(ofProperty: first, in: name.entity),
                !schema[name.entity, property].isLink,
                ours[name]?.change != .removed, theirs[name]?.change != .removed
            else { continue }
            let mine = ours[name]?[property], other = theirs[name]?[property]
            guard let old = (mine ?? other)?.old else { continue }
            let value = MergeValue.plain(old.attribute.replacing(path.dropFirst(), by: base))
            ours.set(property, of: name, MergeChange.Pair(value, mine?.new ?? old))
            theirs.set(property, of: name, MergeChange.Pair(value, other?.new ?? old))
        }
        ours.removeUnchanged()
        theirs.removeUnchanged()
    }

    private static func name(_ text: String, _ schema: MergeSchema) -> MergeName? { schema.name(text) }
}

extension MergeSide {
    /// Adds those of some objects that the side has not changed.
    fileprivate mutating func addUnchanged(_ names: [MergeName]) {
        let missing = Set(names).filter { place(of: $0) == nil }
        guard !missing.isEmpty else { return }
        self = MergeSide(map { ($0.name, $0.value) } + missing.map { ($0, MergeChange(.changed)) })
    }

    fileprivate mutating func removeUnchanged() {
        self = part { _, change in change.change != .changed || !change.properties.isEmpty }
    }

    fileprivate mutating func set(_ property: Int, of name: MergeName, _ pair: MergeChange.Pair) {
        guard let place = place(of: name) else { return }
        update(at: place) { change in
            let others = change.properties.filter { $0.property != property }.map { ($0.property, $0.pair) }
            change = MergeChange(change.change, others + [(property, pair)])
        }
    }
}

extension PropertyValue {
    /// A composite value with another value at a path of parts; the other value for an empty path.
    package func replacing(_ path: ArraySlice<String>, by value: PropertyValue) -> PropertyValue {
        guard let part = path.first else { return value }
        var parts: [String: PropertyValue] = [:]
        if case .composite(let known) = self { parts = known }
        parts[part] = (parts[part] ?? .null).replacing(path.dropFirst(), by: value)
        return .composite(parts)
    }
}
