import Foundation

extension ModelValidation {
    /// Checks an attribute. `owner` is the entity or the composite that declares it.
    mutating func check(_ attribute: AttributeDescription, of owner: String) {
        func fault(_ message: String) -> ModelError.Fault {
            ModelError.Fault(entity: owner, property: attribute.name, message: message)
        }
        var found: [ModelError.Fault] = []
        if attribute.type == .undefined, !attribute.isTransient {
            found.append(fault("an attribute without a type must be transient"))
        }
        if let value = attribute.defaultValue, !Self.fits(value, attribute.type) {
            found.append(fault("the default value is no value of type \(attribute.type.name)"))
        }
        for (word, bound) in [("smallest", attribute.minimumValue), ("greatest", attribute.maximumValue)] {
            guard let bound, !Self.isBound(bound, attribute.type) else { continue }
            found.append(
                fault(
                    "the \(word) value is no bound for type \(attribute.type.name): \(Self.bounds(of: attribute.type))")
            )
        }
        if let low = attribute.minimumValue, let high = attribute.maximumValue, Self.isGreater(low, high) {
            found.append(fault("the smallest value is greater than the greatest"))
        }
        if attribute.regularExpression != nil, attribute.type != .string {
            found.append(fault("only strings can have a pattern"))
        }
        if attribute.allowsExternalBinaryDataStorage, attribute.type != .binary, attribute.type != .transformable {
            found.append(fault("only binary and transformable values can be kept in files of their own"))
        }
        if attribute.type == .composite {
            if let name = attribute.compositeName {
                if composites[name] == nil { found.append(fault("there is no composite “\(name)”")) }
            } else {
                found.append(fault("a composite attribute must name its composite"))
            }
        }
        for fault in found { report(fault.message, entity: fault.entity, property: fault.property) }
    }

    mutating func checkComposites() {
        var seen: Set<String> = []
        for composite in model.composites {
            if !seen.insert(composite.name).inserted {
                report("there are two composites of this name", entity: composite.name)
            }
            var names: Set<String> = []
            for attribute in composite.attributes {
                if !Self.isLegal(attribute.name) {
                    report(
                        "“\(attribute.name)” is no legal name of an attribute", entity: composite.name,
                        property: attribute.name)
                }
                if !names.insert(attribute.name).inserted {
                    report("there are two attributes of this name", entity: composite.name, property: attribute.name)
                }
                check(attribute, of: composite.name)
            }
        }
    }

    static func fits(_ value: PropertyValue, _ type: AttributeType) -> Bool {
        switch (type, value) {
        case (_, .null): true
        case (.integer16, .int(let number)): Int16(exactly: number) != nil
        case (.integer32, .int(let number)): Int32(exactly: number) != nil
        case (.integer64, .int): true
        case (.boolean, .bool), (.double, .double), (.float, .float), (.decimal, .decimal), (.date, .date),
            (.string, .string):
            true
        case (.uuid, .uuid), (.uri, .uri), (.binary, .data), (.binary, .large), (.transformable, .data),
            (.transformable, .large):
            true
        case (.composite, .composite), (.objectID, .object), (.undefined, _): true
        default: false
        }
    }

    static func isBound(_ value: PropertyValue, _ type: AttributeType) -> Bool {
        switch (type, value) {
        case (.string, .int): true
        // A bound may be outside the type's range and then has no effect. Some tools write such
        // bounds.
        case (.integer16, .int), (.integer32, .int), (.integer64, .int): true
        case (.double, .double), (.float, .float), (.decimal, .decimal), (.date, .date): true
        default: false
        }
    }

    /// What the bounds of a type are, for a message.
    private static func bounds(of type: AttributeType) -> String {
        switch type {
        case .string: "the bounds of a string are its lengths, such as .int(3)"
        case .date: "the bounds of a date are dates"
        case .integer16, .integer32, .integer64, .double, .float, .decimal: "its bounds are numbers"
        default: "only numbers, dates and strings have bounds"
        }
    }

    static func isGreater(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
        switch (left, right) {
        case (.int(let a), .int(let b)): a > b
        case (.double(let a), .double(let b)): a > b
        case (.float(let a), .float(let b)): a > b
        case (.decimal(let a), .decimal(let b)): a > b
        case (.date(let a), .date(let b)): a > b
        default: false
        }
    }
}
