import ObjectGraph
import Query
import Schema
import Testing

/// Relationships of every kind, and every delete rule: both ends, through saves, undo, contexts.
struct RelationshipBehaviors {
    /// A relationship of `Owner` to `Part`, called as its kind; the other end is called `oneOf` and
    /// so on.
    enum Kind: String, CaseIterable, Sendable {
        case one, many, ordered, links, orderedLinks, lone

        var isToMany: Bool { self != .one }
        var isOrdered: Bool { self == .ordered || self == .orderedLinks }
        var inverse: String? { self == .lone ? nil : rawValue + "Of" }
        var isInverseToMany: Bool { self == .links || self == .orderedLinks }
    }

    private static let rules: [DeleteRule] = [.nullify, .cascade, .deny, .noAction]

    private static func ends(_ name: String, _ kind: Kind, _ rule: DeleteRule) -> (
        RelationshipDescription, RelationshipDescription?
    ) {
        let inverse = kind.inverse.map { _ in name + "Of" }
        return (
            .init(
                name, to: "Part", inverse: inverse, maxCount: kind.isToMany ? 0 : 1, isOrdered: kind.isOrdered,
                deleteRule: rule),
            inverse.map { .init($0, to: "Owner", inverse: name, maxCount: kind.isInverseToMany ? 0 : 1) }
        )
    }

    private static func name(_ kind: Kind, _ rule: DeleteRule) -> String { "\(kind.rawValue)\(rule)" }

    static func model() throws -> ManagedObjectModel {
        var pairs = Kind.allCases.map { ends($0.rawValue, $0, .nullify) }
        for kind in Kind.allCases { for rule in rules { pairs.append(ends(name(kind, rule), kind, rule)) } }
        return try ManagedObjectModel(entities: [
            EntityDefinition("Owner", attributes: [.init("name", .string)], relationships: pairs.map(\.0)),
            EntityDefinition("Part", attributes: [.init("name", .string)], relationships: pairs.compactMap(\.1)),
        ])
    }

    // MARK: One form for all kinds

    private static func add(_ part: ManagedObject, to owner: ManagedObject, _ key: String) {
        let relationship = owner.entity.relationship(key)
        if !relationship.isToMany {
            owner[key] = part
        } else if relationship.isOrdered {
            owner.mutableOrderedSetValue(forKey: key).add(part)
        } else {
            owner.mutableSetValue(forKey: key).add(part)
        }
    }

    private static func remove(_ part: ManagedObject, from owner: ManagedObject, _ key: String) {
        let relationship = owner.entity.relationship(key)
        if !relationship.isToMany {
            owner[key] = nil
        } else if relationship.isOrdered {
            owner.mutableOrderedSetValue(forKey: key).remove(part)
        } else {
            owner.mutableSetValue(forKey: key).remove(part)
        }
    }

    private static func names(_ object: ManagedObject, _ key: String?) -> [String] {
        guard let key else { return [] }
        if let target = object[key] as? ManagedObject { return [target.text("name") ?? ""] }
        return object.texts(key, "name")
    }

    /// Two owners and two parts, saved.
    private struct Four {
        let context: ManagedObjectContext
        let owner, other, first, second: ManagedObject

        init(_ f: GraphFixture) throws {
            context = f.context()
            (owner, other) = (try context.make("Owner", ["name": "o"]), try context.make("Owner", ["name": "p"]))
            (first, second) = (try context.make("Part", ["name": "a"]), try context.make("Part", ["name": "b"]))
            try context.save()
        }
    }

    private static func behaviors(_ kind: Kind) -> [Behavior] {
        let key = kind.rawValue
        let prefix = "\(key): "
        // What the part says of its owner.
        let back = kind.inverse == nil ? [] : ["o"]
        return [
            Behavior("R1", prefix + "setting the owner's end sets the other") { f in
                let four = try Four(f)
                add(four.first, to: four.owner, key)
                #expect(names(four.owner, key) == ["a"] && names(four.first, kind.inverse) == back)
            },
            Behavior("R1 R6", prefix + "a set goes in and comes out as a whole") { f in
                let four = try Four(f)
                if kind.isToMany {
                    four.owner[key] = [four.first, four.second]
                    #expect(names(four.owner, key) == ["a", "b"] && names(four.second, kind.inverse) == back)
                    four.owner[key] = [four.second]
                } else {
                    four.owner[key] = four.first
                    four.owner[key] = four.second
                }
                #expect(
                    names(four.owner, key) == ["b"] && names(four.first, kind.inverse) == []
                        && names(four.second, kind.inverse) == back)
            },
            Behavior("R3 R4", prefix + "what is taken away is away at both ends") { f in
                let four = try Four(f)
                add(four.first, to: four.owner, key)
                try four.context.save()
                remove(four.first, from: four.owner, key)
                #expect(names(four.owner, key) == [] && names(four.first, kind.inverse) == [])
                try four.context.save()
                #expect(try names(f.reopened().one("Owner", "name == 'o'"), key) == [])
            },
            Behavior(kind == .lone ? "R3 R9" : "R3", prefix + "a second owner takes the part, or shares it") { f in
                let four = try Four(f)
                add(four.first, to: four.owner, key)
                try four.context.save()
                add(four.first, to: four.other, key)
                try four.context.save()
                let again = try f.reopened()
                // Without an inverse the store has one owner too, and only the objects don't know
                // of it until they are refreshed.
                four.context.refreshAllObjects()
                #expect(names(four.owner, key) == (kind.isInverseToMany ? ["a"] : []))
                #expect(try names(again.one("Owner", "name == 'o'"), key) == (kind.isInverseToMany ? ["a"] : []))
                #expect(try names(again.one("Owner", "name == 'p'"), key) == ["a"])
            },
            Behavior("R4 R7", prefix + "it is saved, and read from either end") { f in
                let four = try Four(f)
                add(four.second, to: four.owner, key)
                add(four.first, to: four.owner, key)
                try four.context.save()
                let again = try f.reopened()
                let wanted = kind == .one ? ["a"] : kind.isOrdered ? ["b", "a"] : ["a", "b"]
                #expect(try names(again.one("Owner", "name == 'o'"), key) == wanted)
                #expect(try names(f.reopened().one("Part", "name == 'a'"), kind.inverse) == back)
            },
            Behavior("R2 L9", prefix + "both objects are updated by it, and clean after the save") { f in
                let four = try Four(f)
                add(four.first, to: four.owner, key)
                #expect(four.owner.isUpdated && four.first.isUpdated == (kind.inverse != nil) && !four.second.isUpdated)
                try four.context.save()
                #expect(!four.owner.hasChanges && !four.first.hasChanges)
            },
            Behavior("U5", prefix + "both ends are undone and redone") { f in
                let four = try Four(f)
                let manager = UndoManager()
                four.context.undoManager = manager
                add(four.first, to: four.owner, key)
                four.context.processPendingChanges()
                add(four.first, to: four.other, key)
                four.context.processPendingChanges()
                let after = [names(four.owner, key), names(four.other, key), names(four.first, kind.inverse)]
                four.context.undo()
                #expect(
                    names(four.owner, key) == ["a"] && names(four.other, key) == []
                        && names(four.first, kind.inverse) == back)
                four.context.undo()
                #expect(
                    names(four.owner, key) == [] && names(four.first, kind.inverse) == [] && !four.context.hasChanges)
                four.context.redo()
                four.context.redo()
                #expect([names(four.owner, key), names(four.other, key), names(four.first, kind.inverse)] == after)
            },
            Behavior("L45", prefix + "both ends are rolled back") { f in
                let four = try Four(f)
                add(four.first, to: four.owner, key)
                try four.context.save()
                remove(four.first, from: four.owner, key)
                add(four.second, to: four.owner, key)
                four.context.rollback()
                #expect(
                    names(four.owner, key) == ["a"] && names(four.first, kind.inverse) == back
                        && names(four.second, kind.inverse) == [])
            },
            Behavior("L12 L13 R22", prefix + "it is among the changed values, unless it is as it was") { f in
                let four = try Four(f)
                add(four.first, to: four.owner, key)
                #expect(Array(four.owner.changedValues().keys) == [key])
                remove(four.first, from: four.owner, key)
                #expect(four.owner.changedValues().isEmpty && !four.owner.hasPersistentChangedValues)
            },
            Behavior("F9 F27", prefix + "a refresh drops what was not saved, and reads it again") { f in
                let four = try Four(f)
                add(four.first, to: four.owner, key)
                try four.context.save()
                remove(four.first, from: four.owner, key)
                four.context.refresh(four.owner, mergeChanges: false)
                four.context.refresh(four.first, mergeChanges: false)
                #expect(
                    names(four.owner, key) == ["a"] && names(four.first, kind.inverse) == back
                        && !four.context.hasChanges)
            },
            Behavior("S34 L44", prefix + "made in a child, it is in the parent at both ends") { f in
                let four = try Four(f)
                let child = ManagedObjectContext(parent: four.context)
                let owner = try child.same(four.owner)
                add(try child.same(four.first), to: owner, key)
                try child.save()
                #expect(names(four.owner, key) == ["a"] && names(four.first, kind.inverse) == back)
                remove(try child.same(four.first), from: owner, key)
                try child.save()
                #expect(names(four.owner, key) == [] && names(four.first, kind.inverse) == [])
            },
            Behavior("S41", prefix + "made by another context, it is here after a merge, at both ends") { f in
                let four = try Four(f)
                #expect(names(four.owner, key) == [] && names(four.first, kind.inverse) == [])
                let other = f.context()
                let observation = other.observe(.didSave) { four.context.mergeChanges(fromContextDidSave: $0) }
                add(try other.same(four.first), to: try other.same(four.owner), key)
                try other.save()
                observation.cancel()
                #expect(names(four.owner, key) == ["a"] && names(four.first, kind.inverse) == back)
            },
            Behavior("L47 L3", prefix + "between objects that are both new it is saved with them") { f in
                let context = f.context()
                let owner = try context.make("Owner", ["name": "o"]), part = try context.make("Part", ["name": "a"])
                add(part, to: owner, key)
                #expect(owner.isInserted && part.isInserted && context.updatedObjects.isEmpty)
                try context.save()
                #expect(
                    try names(f.reopened().one("Owner"), key) == ["a"]
                        && names(f.reopened().one("Part"), kind.inverse) == back)
            },
        ]
    }

    // MARK: Delete rules

    private static func deletions(_ kind: Kind, _ rule: DeleteRule) -> [Behavior] {
        let key = name(kind, rule)
        let prefix = "\(rule), \(kind.rawValue): "
        @Sendable func prepared(_ f: GraphFixture) throws -> Four {
            let four = try Four(f)
            add(four.first, to: four.owner, key)
            try four.context.save()
            return four
        }
        let inverse = kind.inverse == nil ? nil : key + "Of"
        let effect: Behavior =
            switch rule {
            case .nullify, .noAction:
                Behavior(rule == .nullify ? "R10 R17" : "R14", prefix + "the part stays, and leads nowhere") { f in
                    let four = try prepared(f)
                    four.context.delete(four.owner)
                    #expect(names(four.first, inverse) == (inverse == nil ? [] : ["o"]))
                    try four.context.save()
                    let again = try f.reopened()
                    let part = try again.one("Part", "name == 'a'")
                    #expect(try names(part, inverse).filter { !$0.isEmpty } == [] && again.count("Owner") == 1)
                    // Whatever is left of it hinders nobody.
                    part["name"] = "c"
                    if inverse != nil, rule == .nullify { add(part, to: try again.one("Owner"), key) }
                    if rule == .nullify { try again.save() }
                }
            case .cascade:
                Behavior("R11 L32", prefix + "the part is deleted along") { f in
                    let four = try prepared(f)
                    four.context.delete(four.owner)
                    #expect(!four.first.isDeleted)
                    four.context.processPendingChanges()
                    #expect(
                        four.first.isDeleted && !four.second.isDeleted
                            && four.context.deletedObjects == [four.owner, four.first])
                    try four.context.save()
                    #expect(try f.reopened().found("Part", by: "name") == ["b"])
                }
            case .deny:
                Behavior("R12 R13", prefix + "the save is refused while the part stays") { f in
                    let four = try prepared(f)
                    four.context.delete(four.owner)
                    let error = #expect(throws: ValidationError.self) { try four.context.save() }
                    #expect(
                        error?.code == .deleteDenied && error?.failures.map(\.key) == [key]
                            && error?.failures.first?.object == four.owner.objectID)
                    #expect(try f.context().count("Owner") == 2)
                    four.context.delete(four.first)
                    try four.context.save()
                    #expect(try f.reopened().found("Part", by: "name") == ["b"])
                }
            }
        return [
            effect,
            Behavior("U5", prefix + "undone, everything is as it was") { f in
                let four = try prepared(f)
                four.context.undoManager = UndoManager()
                four.context.delete(four.owner)
                four.context.processPendingChanges()
                four.context.undo()
                #expect(!four.owner.isDeleted && !four.first.isDeleted && !four.context.hasChanges)
                #expect(names(four.owner, key) == ["a"] && names(four.first, inverse) == (inverse == nil ? [] : ["o"]))
                try four.context.save()
                #expect(try names(f.reopened().one("Owner", "name == 'o'"), key) == ["a"])
            },
            Behavior("L45", prefix + "rolled back, everything is as it was") { f in
                let four = try prepared(f)
                four.context.delete(four.owner)
                four.context.processPendingChanges()
                four.context.rollback()
                #expect(!four.owner.isDeleted && !four.first.isDeleted && !four.context.hasChanges)
                #expect(names(four.owner, key) == ["a"] && names(four.first, inverse) == (inverse == nil ? [] : ["o"]))
            },
        ]
    }

    static let kinds = Kind.allCases.flatMap(behaviors)
    static let rulesOfDeletion = Kind.allCases.flatMap { kind in rules.flatMap { deletions(kind, $0) } }
}

extension RelationshipBehaviors {
    @Test(arguments: kinds, StoreKind.allCases) func relating(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, model: Self.model())
    }
    @Test(arguments: rulesOfDeletion, StoreKind.allCases) func deleting(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, model: Self.model())
    }
}

extension EntityDescription {
    fileprivate func relationship(_ name: String) -> RelationshipDescription {
        guard let relationship = property(named: name)?.relationship else {
            preconditionFailure("\(self.name) has no relationship \(name)")
        }
        return relationship
    }
}
