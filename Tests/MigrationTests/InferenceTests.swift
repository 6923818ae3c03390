import Migration
import Query
import Schema
import Testing

/// Which changes of a model are inferred, and what is said of those that are not.
struct InferenceTests {
    private func model(_ entities: EntityDefinition...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: entities)
    }

    private func rules(_ old: ManagedObjectModel, _ new: ManagedObjectModel) -> [String] {
        ModelDifference(from: old, to: new).obstacles.map { "\($0.place) \($0.rule.rawValue)" }
    }

    /// What the rows decide.
    private func conditions(_ old: ManagedObjectModel, _ new: ManagedObjectModel) -> [String] {
        let difference = ModelDifference(from: old, to: new)
        #expect(difference.isInferable)
        return difference.conditions.map { "\($0.place) \($0.rule?.rawValue ?? $0.text)" }
    }

    private func rules(_ old: AttributeDescription, _ new: AttributeDescription) throws -> [String] {
        rules(
            try model(EntityDefinition("A", attributes: [old])), try model(EntityDefinition("A", attributes: [new])))
    }

    private func conditions(_ old: AttributeDescription, _ new: AttributeDescription) throws -> [String] {
        conditions(
            try model(EntityDefinition("A", attributes: [old])), try model(EntityDefinition("A", attributes: [new])))
    }

    private func conditions(_ old: [RelationshipDescription], _ new: [RelationshipDescription]) throws -> [String] {
        func model(_ ends: [RelationshipDescription]) throws -> ManagedObjectModel {
            try self.model(
                EntityDefinition("A", relationships: Array(ends.prefix(1))),
                EntityDefinition("B", relationships: Array(ends.dropFirst())))
        }
        return conditions(try model(old), try model(new))
    }

    // MARK: Attributes

    @Test func attributesComeGoAndAreRenamed() throws {
        let old = try model(EntityDefinition("A", attributes: [.init("x", .string), .init("gone", .date)]))
        let new = try model(
            EntityDefinition(
                "A",
                attributes: [
                    .init("y", .string, renamingIdentifier: "x"),
                    .init("more", .integer16, isOptional: false, defaultValue: .int(3)),
                ]))
        let mapping = try #require(try MappingModel.inferred(from: old, to: new).entityMapping(fromEntity: "A"))
        #expect(mapping.name == "IEM_Transform_A" && mapping.kind == .transform)
        #expect(mapping.propertyMapping(named: "y")?.valueExpression?.expressionFormat == "$source.x")
        #expect(mapping.attributeMappings.map(\.name).sorted() == ["more", "y"])
        #expect(mapping.propertyMapping(named: "more")?.valueExpression == nil)
    }

    @Test func typesStayAndMandatoryAttributesNeedADefault() throws {
        #expect(try rules(.init("x", .integer32), .init("x", .string)) == ["A.x attributeType"])
        #expect(try rules(.init("x", .double), .init("x", .date)) == ["A.x attributeType"])
        #expect(try rules(.init("x", .string), .init("x", .decimal)) == ["A.x attributeType"])
        let numbers: [AttributeType] = [.boolean, .integer16, .integer32, .integer64, .decimal, .double, .float]
        for old in numbers { for new in numbers { #expect(try rules(.init("x", old), .init("x", new)) == []) } }
        #expect(
            try conditions(.init("x", .integer32), .init("x", .integer32, isOptional: false)) == [
                "A.x mandatoryWithoutDefault"
            ])
        #expect(
            try conditions(.init("x", .integer32), .init("x", .integer32, isOptional: false, defaultValue: .int(0)))
                .isEmpty)
        #expect(try conditions(.init("x", .integer32, isOptional: false), .init("x", .integer32)).isEmpty)
        #expect(
            try conditions(.init("x", .integer32), .init("y", .integer32, isOptional: false)) == [
                "A.y mandatoryWithoutDefault"
            ])
        #expect(try rules(.init("x", .integer32, isTransient: true), .init("x", .string)).isEmpty)
    }

    @Test func aNameThatIsKeptOverTwoRenamingsIsTheSame() throws {
        let first = try model(EntityDefinition("A", attributes: [.init("x", .string)]))
        let third = try model(
            EntityDefinition("C", attributes: [.init("z", .string, renamingIdentifier: "x")], renamingIdentifier: "A"))
        let second = try model(
            EntityDefinition("B", attributes: [.init("y", .string, renamingIdentifier: "x")], renamingIdentifier: "A"))
        for (old, new) in [(first, second), (second, third), (first, third)] {
            let mapping = try MappingModel.inferred(from: old, to: new)
            #expect(mapping.entityMappings.map(\.kind) == [.transform])
            #expect(mapping.entityMappings[0].attributeMappings[0].valueExpression != nil)
        }
        // The name alone, where the identifier is forgotten in the next version.
        let forgetful = try model(EntityDefinition("B", attributes: [.init("y", .string)]))
        #expect(try MappingModel.inferred(from: second, to: forgetful).entityMappings.map(\.kind) == [.copy])
    }
}

extension InferenceTests {
    @Test func namesMayBeSwapped() throws {
        let old = try model(EntityDefinition("A", attributes: [.init("x", .string), .init("y", .string)]))
        let new = try model(
            EntityDefinition(
                "A",
                attributes: [
                    .init("x", .string, renamingIdentifier: "y"), .init("y", .string, renamingIdentifier: "x"),
                ]))
        let mapping = try #require(try MappingModel.inferred(from: old, to: new).entityMapping(fromEntity: "A"))
        #expect(mapping.attributeMappings.map { $0.valueExpression?.expressionFormat } == ["$source.y", "$source.x"])
    }

    @Test func whatKeepsNameAndIdentifierIsTheSameWhateverElseIsCalledSo() throws {
        let renamed = AttributeDescription("programmed", .double, renamingIdentifier: "scheduled")
        let old = try model(EntityDefinition("A", attributes: [renamed, .init("scheduled", .double)]))
        for rest in [[], [AttributeDescription("scheduled", .double)]] {
            let new = try model(EntityDefinition("A", attributes: [renamed, .init("more", .date)] + rest))
            let mapping = try #require(try MappingModel.inferred(from: old, to: new).entityMapping(fromEntity: "A"))
            #expect(
                mapping.propertyMapping(named: "programmed")?.valueExpression?.expressionFormat == "$source.programmed")
            #expect(
                mapping.propertyMapping(named: "scheduled")?.valueExpression?.expressionFormat
                    == (rest.isEmpty ? nil : "$source.scheduled"))
        }
    }

    @Test func twoThatClaimTheSameFormerNameAreAmbiguous() throws {
        let old = try model(EntityDefinition("A", attributes: [.init("x", .string)]))
        #expect(
            rules(
                old,
                try model(
                    EntityDefinition(
                        "A", attributes: [.init("x", .string), .init("y", .string, renamingIdentifier: "x")])))
                == ["A.x ambiguousRenaming"])
        #expect(
            rules(old, try model(EntityDefinition("A"), EntityDefinition("B", renamingIdentifier: "A"))) == [
                "A ambiguousRenaming"
            ])
    }
}

extension InferenceTests {
    // MARK: Relationships

    @Test func relationshipsBecomeToManyAndToOneWhereTheRowsAllowIt() throws {
        let one = [
            RelationshipDescription("r", to: "B", inverse: "s"), RelationshipDescription("s", to: "A", inverse: "r"),
        ]
        let many = [
            RelationshipDescription("r", to: "B", inverse: "s", maxCount: 0),
            RelationshipDescription("s", to: "A", inverse: "r"),
        ]
        let both = [
            RelationshipDescription("r", to: "B", inverse: "s", maxCount: 0),
            RelationshipDescription("s", to: "A", inverse: "r", maxCount: 0, isOrdered: true),
        ]
        #expect(try conditions(one, many).isEmpty)
        #expect(try conditions(one, both).isEmpty)
        #expect(try conditions(many, both).isEmpty)
        #expect(try conditions(many, one) == ["A.r toManyToOne"])
        // One end of a many-to-many relationship: whether objects are shared is for the rows to
        // say.
        #expect(try conditions(both, many) == ["B.s toManyToOne"])
    }

    @Test func membersThatMayHaveSeveralOwnersGetOneWhereTheRowsAllowIt() throws {
        let alone = [RelationshipDescription("r", to: "B")]
        #expect(try conditions(alone, [.init("r", to: "B", maxCount: 0)]) == ["A.r sharedMembers"])
        #expect(
            try conditions(alone, [.init("r", to: "B", inverse: "s"), .init("s", to: "A", inverse: "r")]) == [
                "A.r sharedMembers"
            ])
        #expect(
            try conditions(alone, [.init("r", to: "B", inverse: "s"), .init("s", to: "A", inverse: "r", maxCount: 0)])
                .isEmpty)
    }

    @Test func aRelationshipLeadsWhereItLedBefore() throws {
        let old = try model(
            EntityDefinition("A", relationships: [.init("r", to: "B")]), EntityDefinition("B"), EntityDefinition("C")
        )
        let new = try model(
            EntityDefinition("A", relationships: [.init("r", to: "C")]), EntityDefinition("B"), EntityDefinition("C")
        )
        #expect(conditions(old, new) == ["A.r relationshipDestination"])
        // With the entity its objects are gone: there is nothing to lead to.
        #expect(
            rules(old, try model(EntityDefinition("A", relationships: [.init("r", to: "C")]), EntityDefinition("C")))
                .isEmpty)
        let renamed = try model(
            EntityDefinition("A", relationships: [.init("r", to: "D")]),
            EntityDefinition("D", renamingIdentifier: "B"))
        #expect(rules(old, renamed).isEmpty)
    }
}

extension InferenceTests {
    // MARK: Hierarchies

    @Test func entitiesMoveWithinAndOutOfAHierarchyButHierarchiesAreNotMerged() throws {
        let old = try model(
            EntityDefinition("P", attributes: [.init("x", .string)]),
            EntityDefinition("A", superentityName: "P", attributes: [.init("a", .string)]),
            EntityDefinition("B", superentityName: "P"), EntityDefinition("Z"))
        let out = try model(
            EntityDefinition("P", attributes: [.init("x", .string)]),
            EntityDefinition("A", attributes: [.init("x", .string), .init("a", .string)]),
            EntityDefinition("B", superentityName: "P"), EntityDefinition("Z"))
        #expect(rules(old, out).isEmpty)
        let merged = try model(
            EntityDefinition("P", attributes: [.init("x", .string)]),
            EntityDefinition("A", superentityName: "P", attributes: [.init("a", .string)]),
            EntityDefinition("B", superentityName: "P"), EntityDefinition("Z", superentityName: "P"))
        #expect(rules(old, merged) == ["Z mergedHierarchies"])
        #expect(rules(old, try ManagedObjectModel(entities: [])) == ["P noEntities"])
        let raised = try model(
            EntityDefinition("P", attributes: [.init("x", .string), .init("a", .string)]),
            EntityDefinition("A", superentityName: "P"),
            EntityDefinition("B", superentityName: "P"), EntityDefinition("Z"))
        let mapping = try MappingModel.inferred(from: old, to: raised)
        #expect(mapping.entityMapping(fromEntity: "A")?.propertyMapping(named: "a")?.valueExpression != nil)
        #expect(mapping.entityMapping(fromEntity: "B")?.propertyMapping(named: "a")?.valueExpression == nil)
    }

    @Test func everyObstacleIsNamedAtOnce() throws {
        let old = try model(
            EntityDefinition("A", attributes: [.init("x", .string), .init("y", .date)]),
            EntityDefinition("B", attributes: [.init("z", .float)]))
        let new = try model(
            EntityDefinition("A", attributes: [.init("x", .date), .init("y", .date, isOptional: false)]),
            EntityDefinition("B", attributes: [.init("z", .uuid)]))
        let error = #expect(throws: MigrationError.self) { try MappingModel.inferred(from: old, to: new) }
        #expect(error?.code == .notInferable && error?.code.coreDataNumber == 134190)
        #expect(error?.obstacles.map(\.place) == ["A.x", "B.z"])
        #expect(error?.obstacles.allSatisfy { !$0.remedy.isEmpty } == true)
    }

    @Test func stricterRulesAreConditions() throws {
        func text(_ least: Int?, _ most: Int?, _ pattern: String?) -> AttributeDescription {
            AttributeDescription(
                "x", .string, minimumValue: least.map { .int(Int64($0)) }, maximumValue: most.map { .int(Int64($0)) },
                regularExpression: pattern)
        }
        #expect(
            try conditions(text(nil, nil, nil), text(2, 3, "a+")) == [
                "A.x has no text shorter than 2", "A.x has no text longer than 3", "A.x has texts that match a+ alone",
            ])
        #expect(try conditions(text(2, 3, "a+"), text(1, 4, nil)).isEmpty)
        #expect(
            try conditions(
                .init("x", .integer16), .init("x", .integer16, minimumValue: .int(1), maximumValue: .int(5))) == [
                    "A.x has no value that is less than 1", "A.x has no value that is greater than 5",
                ])
        #expect(
            try conditions([.init("r", to: "B")], [.init("r", to: "B", isOptional: false)]) == [
                "A.r is mandatory: every object has an object"
            ])
        let unique = try model(EntityDefinition("A", attributes: [.init("x", .string)], uniquenessConstraints: [["x"]]))
        #expect(
            conditions(try model(EntityDefinition("A", attributes: [.init("x", .string)])), unique) == [
                "A is to be unique by x: no two objects have equal values"
            ])
    }

    @Test func theDifferenceSaysWhatChanged() throws {
        let old = try model(
            EntityDefinition("A", attributes: [.init("x", .string), .init("gone", .date)]), EntityDefinition("Old"),
            EntityDefinition("Same"))
        let new = try model(
            EntityDefinition("A", attributes: [.init("x", .string, isOptional: false, defaultValue: .string(""))]),
            EntityDefinition("New"),
            EntityDefinition("Same"))
        let difference = ModelDifference(from: old, to: new)
        #expect(difference.isInferable && !difference.isCompatible)
        #expect(difference.entities.map(\.kind) == [.transform, .add, .copy, .remove])
        #expect(difference.entities[0].properties.map { $0.destination ?? $0.source ?? "" } == ["x", "gone"])
        #expect(difference.entities[0].properties.map(\.kind) == [.transform, .remove])
        #expect(difference.entities[0].properties[0].changes.first == "optional: yes → no")
        #expect(!difference.entities[2].isChanged)
    }
}
