internal import Coding
internal import Foundation
internal import Schema

extension CompiledModelWriter {
    /// The maximum nesting depth of composites. Validation has already rejected recursive ones.
    private static let maximumDepth = 32

    mutating func fill(
        _ place: KeyedArchiveWriter.Reference, _ attribute: AttributeDescription, owner: KeyedArchiveWriter.Reference,
        depth: Int = 0
    ) {
        var fields = common(
            attribute.name, owner, isOptional: attribute.isOptional, isTransient: attribute.isTransient,
            isReadOnly: attribute.isDerived,
            renaming: attribute.renamingIdentifier, modifier: attribute.versionHashModifier,
            userInfo: attribute.userInfo)
        fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
        fields["NSAttributeValueClassName"] =
            writer.add(string: attribute.attributeValueClassName ?? attribute.type.valueClassName).value
        fields["NSDefaultValue"] = (attribute.defaultValue.map { archive(value: $0) } ?? .null).value
        fields["NSValueTransformerName"] = writer.add(string: attribute.valueTransformerName).value
        var flags: Int64 = 0
        if attribute.allowsExternalBinaryDataStorage { flags |= ArchiveKeys.Flags.externalStorage }
        if attribute.preservesValueInHistoryOnDeletion { flags |= ArchiveKeys.Flags.preservesValue }
        fields["NSFlagsKey"] = .integer(flags)
        if attribute.isIndexed { fields["NSIsIndexed"] = true }
        if attribute.isIndexedBySpotlight { fields["NSIndexedBySpotlight"] = true }
        if attribute.allowsCloudEncryption { fields[ArchiveKeys.allowsCloudEncryption] = true }
        let requirements = ValidationPredicates.requirements(attribute)
        if !requirements.isEmpty {
            fields["NSValidationPredicates"] = writer.add(array: requirements.map { archive($0.node) }).value
            fields["NSValidationWarnings"] =
                writer.add(array: requirements.map { writer.add(.integer($0.errorCode)) }).value
            if let traits = fields["_P"]?.integer {
                fields["_P"] = .integer(traits & ~ArchiveKeys.Traits.withoutValidation)
            }
        }
        var chain = ArchiveKeys.attribute
        if let text = attribute.derivationExpression {
            chain = ArchiveKeys.derivedAttribute
            fields["NSDerivationExpression"] = archive(expression: text).value
            fields["NSFilteringPredicate"] = KeyedArchiveWriter.Reference.null.value
            fields[ArchiveKeys.derivationFormat] = writer.add(string: text).value
        } else if attribute.type == .composite, let name = attribute.compositeName {
            chain = ArchiveKeys.compositeAttribute
            fields[ArchiveKeys.compositeName] = writer.add(string: name).value
            if let composite = model.composite(named: name) {
                fields["NSElements"] = elements(of: composite, depth: depth).value
            }
        }
        writer.fill(place, class: chain, fields: fields)
    }

    mutating func elements(of composite: CompositeDescription, depth: Int) -> KeyedArchiveWriter.Reference {
        guard depth < Self.maximumDepth else { return .null }
        let places = composite.attributes.map { attribute in
            let place = writer.reserve()
            fill(place, attribute, owner: .null, depth: depth + 1)
            return place
        }
        return writer.add(array: places)
    }

    mutating func fill(
        _ place: KeyedArchiveWriter.Reference, _ relationship: RelationshipDescription, of entity: EntityDescription
    ) {
        var fields = common(
            relationship.name, places[entity.index], isOptional: relationship.isOptional,
            isTransient: relationship.isTransient, isReadOnly: false,
            renaming: relationship.renamingIdentifier, modifier: relationship.versionHashModifier,
            userInfo: relationship.userInfo)
        fields["_NSDestinationEntityName"] = writer.add(string: relationship.destinationEntityName).value
        fields["NSDestinationEntity"] = self.place(ofEntity: relationship.destinationEntityName).value
        if let name = relationship.inverseName {
            fields["_NSInverseRelationshipName"] = writer.add(string: name).value
            fields["NSInverseRelationship"] = inversePosition(relationship.destinationEntityName, name).value
        } else if let name = relationship.unmatchedInverseName {
            fields["_NSInverseRelationshipName"] = writer.add(string: name).value
        }
        fields["NSMinCount"] = .integer(Int64(relationship.minCount))
        fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
        fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
        if relationship.isIndexed { fields["NSIsIndexed"] = true }
        if relationship.isOrdered {
            fields["NSIsOrdered"] = true
            if let traits = fields["_P"]?.integer { fields["_P"] = .integer(traits | ArchiveKeys.Traits.ordered) }
        }
        writer.fill(place, class: ArchiveKeys.relationship, fields: fields)
    }

    /// The reference of a property of the entity, or of the super-entity that declares it.
    private func inversePosition(_ entityName: String, _ name: String) -> KeyedArchiveWriter.Reference {
        var next = model.entity(named: entityName)
        while let entity = next {
            if let place = propertyPositions[entity.index][name] { return place }
            next = entity.superentity
        }
        return .null
    }

    mutating func fill(
        _ place: KeyedArchiveWriter.Reference, _ property: FetchedPropertyDescription, of entity: EntityDescription
    ) {
        var fields = common(
            property.name, places[entity.index], isOptional: property.isOptional, isTransient: true, isReadOnly: true,
            renaming: property.renamingIdentifier, modifier: property.versionHashModifier, userInfo: property.userInfo)
        fields["NSFetchRequest"] = fetchRequest(property.fetchRequest).value
        fields["_NSFetchRequestEntityName"] = writer.add(string: property.fetchRequest.entityName).value
        writer.fill(place, class: ArchiveKeys.fetchedProperty, fields: fields)
    }

    private mutating func common(
        _ name: String, _ owner: KeyedArchiveWriter.Reference, isOptional: Bool, isTransient: Bool, isReadOnly: Bool,
        renaming: String?, modifier: String?,
        userInfo: [String: String]
    ) -> [String: PropertyListValue] {
        typealias Traits = ArchiveKeys.Traits
        var fields: [String: PropertyListValue] = [
            "NSPropertyName": writer.add(string: name).value, "NSEntity": owner.value,
            "NSRenamingIdentifier": writer.add(string: renaming ?? name).value,
        ]
        var traits = Traits.basis | Traits.withoutValidation
        if isOptional {
            fields["NSIsOptional"] = true
            traits |= Traits.optional
        }
        if isReadOnly {
            fields["NSIsReadOnly"] = true
            traits |= Traits.readOnly
        }
        if isTransient {
            fields["NSIsTransient"] = true
            traits |= Traits.transient
        }
        if let modifier {
            fields["NSVersionHashModifier"] = writer.add(string: modifier).value
        } else {
            traits |= Traits.withoutModifier
        }
        if userInfo.isEmpty {
            traits |= Traits.withoutUserInfo
        } else {
            fields["NSUserInfo"] = self.userInfo(userInfo).value
        }
        fields["_P"] = .integer(traits)
        return fields
    }

    /// Archives a value as an object.
    mutating func archive(value: PropertyValue) -> KeyedArchiveWriter.Reference {
        switch value {
        case .int(let number): writer.add(.integer(number))
        case .bool(let flag): writer.add(.boolean(flag))
        case .double(let number): writer.add(.real(number))
        case .float(let number): writer.add(.real(Double(number)))
        case .decimal(let number): writer.add(decimal: number)
        case .date(let date): writer.add(date: date)
        case .string(let text): writer.add(string: text)
        case .data(let data): writer.add(.data(data))
        case .large(let large): (try? large.data()).map { writer.add(.data($0)) } ?? .null
        case .uuid(let uuid): writer.add(uuid: uuid)
        case .uri(let url): writer.add(url: url)
        case .null, .composite, .object, .list: .null
        }
    }
}
