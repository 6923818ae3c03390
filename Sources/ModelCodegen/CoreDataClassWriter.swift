import Schema

/// Writes the class of one entity for `import CoreData`, with the members that Xcode gives it.
struct CoreDataClassWriter {
    let entity: EntityDescription
    let className: String
    let model: ManagedObjectModel
    let names: SwiftNames
    let access: String

    var classText: String {
        documentation(entity.definition.userInfo, indent: "") + "\(access)class \(className): \(superclass) {\n}\n"
    }

    private var superclass: String { names.objectType(entity.superentity) }

    var propertiesText: String {
        let request = "\(names.type("NSFetchRequest", in: "CoreData"))<\(className)>"
        var text = "extension \(className) {\n"
        text += "    \(access)class func fetchRequest() -> \(request) {\n"
        text += "        \(request)(entityName: \(literal(entity.name)))\n    }\n"
        for attribute in entity.definition.attributes {
            text += property(attribute.name, type(of: attribute), attribute.userInfo)
        }
        for relationship in entity.definition.relationships {
            text += property(relationship.name, type(of: relationship), relationship.userInfo)
        }
        for fetched in entity.definition.fetchedProperties {
            let destination = names.objectType(model.entity(named: fetched.fetchRequest.entityName))
            text += property(fetched.name, "[\(destination)]?", fetched.userInfo)
        }
        text += "}\n"
        for relationship in entity.definition.relationships where relationship.isToMany {
            text += "\n" + accessors(relationship)
        }
        // Subclasses inherit the conformance.
        if superclass == names.baseType, !hasUnfitID {
            text += "\nextension \(className): \(names.swift("Identifiable")) {}\n"
        }
        return text
    }

    /// Whether an attribute named `id` has a type that can't identify an object.
    private var hasUnfitID: Bool {
        model.entities.contains { other in
            other.isKind(of: entity)
                && (other.definition.attributes.contains {
                    $0.name == "id"
                        && ([.undefined, .composite].contains($0.type) || $0.attributeValueClassName != nil)
                } || other.definition.fetchedProperties.contains { $0.name == "id" })
        }
    }

    // MARK: Properties

    private func property(_ name: String, _ type: String, _ userInfo: [String: String]) -> String {
        let own = names.property(name, of: entity), comment = "\n" + documentation(userInfo, indent: "    ")
        // The macro takes the name for the key.
        if own == name || own == "`\(name)`" { return comment + "    @Managed \(access)var \(own): \(type)\n" }
        return comment + "    \(access)var \(own): \(type) {\n"
            + "        get { managedValue(forKey: \(literal(name))) }\n"
            + "        set { setManagedValue(newValue, forKey: \(literal(name))) }\n    }\n"
    }

    private func type(of attribute: AttributeDescription) -> String {
        func foundation(_ name: String) -> String { names.type(name, in: "Foundation") }
        if attribute.usesScalarValueType {
            switch attribute.type {
            case .integer16: return names.swift("Int16")
            case .integer32: return names.swift("Int32")
            case .integer64: return names.swift("Int64")
            case .double: return names.swift("Double")
            case .float: return names.swift("Float")
            case .boolean: return names.swift("Bool")
            // The number of seconds since the reference date.
            case .date: return foundation("TimeInterval")
            default: break
            }
        }
        return switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: foundation("NSNumber") + "?"
        case .decimal: foundation("NSDecimalNumber") + "?"
        case .date: foundation("Date") + "?"
        case .string: names.swift("String") + "?"
        case .uuid: foundation("UUID") + "?"
        case .uri: foundation("URL") + "?"
        case .binary: foundation("Data") + "?"
        case .transformable: (attribute.attributeValueClassName.flatMap(Self.typeName) ?? foundation("NSObject")) + "?"
        case .composite: "[\(names.swift("String")): Any]?"
        case .objectID: names.type("NSManagedObjectID", in: "CoreData") + "?"
        case .undefined: "Any?"
        }
    }

    /// The class of a model's attribute, where it is the name of a type; `[String]` is one, too.
    private static func typeName(_ name: String) -> String? {
        let isType = name.allSatisfy { $0.isLetter || $0.isNumber || "_.[]<>:, ".contains($0) }
        return isType && name.contains(where: \.isLetter) ? name : nil
    }

    private func type(of relationship: RelationshipDescription) -> String {
        guard relationship.isToMany else { return destination(of: relationship) + "?" }
        return names.type(relationship.isOrdered ? "NSOrderedSet" : "NSSet", in: "Foundation") + "?"
    }

    private func destination(of relationship: RelationshipDescription) -> String {
        names.objectType(model.entity(named: relationship.destinationEntityName))
    }

    // MARK: Accessors of to-many relationships

    private func accessors(_ relationship: RelationshipDescription) -> String {
        let destination = destination(of: relationship), suffix = names.suffix(relationship.name, of: entity)
        let key = literal(relationship.name)
        let view = relationship.isOrdered ? "mutableOrderedSetValue" : "mutableSetValue"
        let set = names.type(relationship.isOrdered ? "NSOrderedSet" : "NSSet", in: "Foundation")
        let int = names.swift("Int"), indexes = names.type("NSIndexSet", in: "Foundation")
        let places = names.type("IndexSet", in: "Foundation") + "(indexes)"
        let isFound = accessorFinds(relationship, suffix)
        var text = "// MARK: Generated accessors for \(relationship.name)\nextension \(className) {\n"
        func add(_ signature: String, _ body: String) {
            text +=
                isFound
                ? "    @ManagedAccessor \(access)func \(signature)\n"
                : "    \(access)func \(signature) { \(view)(forKey: \(key)).\(body) }\n"
        }
        if relationship.isOrdered {
            add("insertInto\(suffix)(_ value: \(destination), at idx: \(int))", "insert(value, at: idx)")
            add("removeFrom\(suffix)(at idx: \(int))", "removeObject(at: idx)")
            add(
                "insertInto\(suffix)(_ values: [\(destination)], at indexes: \(indexes))",
                "insert(values, at: \(places))")
            add("removeFrom\(suffix)(at indexes: \(indexes))", "removeObjects(at: \(places))")
            add("replace\(suffix)(at idx: \(int), with value: \(destination))", "replaceObject(at: idx, with: value)")
            add(
                "replace\(suffix)(at indexes: \(indexes), with values: [\(destination)])",
                "replaceObjects(at: \(places), with: values)")
        }
        add("addTo\(suffix)(_ value: \(destination))", "add(value)")
        add("removeFrom\(suffix)(_ value: \(destination))", "remove(value)")
        let all = relationship.isOrdered ? ".array" : ".allObjects"
        add("addTo\(suffix)(_ values: \(set))", "addObjects(from: values\(all))")
        text +=
            isFound
            ? "    @ManagedAccessor \(access)func removeFrom\(suffix)(_ values: \(set))\n"
            : "    \(access)func removeFrom\(suffix)(_ values: \(set)) { for value in values { \(view)(forKey: \(key)).remove(value) } }\n"
        return text + "}\n"
    }

    /// Whether an accessor without a body finds the relationship by its name: of `items` and
    /// `Items` it finds the first.
    private func accessorFinds(_ relationship: RelationshipDescription, _ suffix: String) -> Bool {
        let lowercased = suffix.prefix(1).lowercased() + suffix.dropFirst()
        let found = [lowercased, suffix].first { entity.property(named: $0)?.isToMany == true }
        return found == relationship.name
    }
}
