import RowMemory
import Schema
import Storage

/// The names of entities and properties in an XML store, which has only capitals for entities and
/// only small letters for properties.
struct XMLStoreNames {
    /// Indirect, because an instance is copied for every value of a file.
    indirect enum Target {
        case attribute(RowSlot, AttributeDescription)
        /// A leaf of a composite.
        case leaf(RowSlot, path: [String], AttributeDescription)
        case toOne(RowSlot, destination: Int)
        case toMany(relation: Int)
        /// Not stored.
        case ignored

        func fits(isRelationship: Bool) -> Bool {
            switch self {
            case .attribute, .leaf: !isRelationship
            case .toOne, .toMany: isRelationship
            case .ignored: true
            }
        }
    }

    let shape: TableShape
    private let entities: [String: Int]
    private let targets: [[String: Target]]

    /// - Throws: `StorageError.unsupported` if names differ only in case.
    init(_ shape: TableShape) throws(StorageError) {
        self.shape = shape
        var entities: [String: Int] = [:]
        for entity in shape.model.entities where shape.isStored[entity.index] {
            if let other = entities.updateValue(entity.index, forKey: Self.name(of: entity)) {
                throw StorageError(
                    .unsupported,
                    "An XML store can't tell the entities \(shape.model.entities[other].name) and \(entity.name) apart",
                    entities: [entity.name])
            }
        }
        self.entities = entities
        var targets: [[String: Target]] = []
        for entity in shape.model.entities {
            var own: [String: Target] = [:]
            for property in entity.properties {
                for (name, target) in Self.targets(of: property, in: entity, shape) {
                    guard own.updateValue(target, forKey: name) == nil else {
                        throw StorageError(
                            .unsupported,
                            "An XML store can't tell two properties of \(entity.name) apart, both are \(name)",
                            entities: [entity.name])
                    }
                }
            }
            targets.append(own)
        }
        self.targets = targets
    }

    func entityIndex(named name: String) -> Int? { entities[name] ?? entities[name.uppercased()] }

    func target(_ name: String, entityIndex: Int) -> Target? {
        targets[entityIndex][name] ?? targets[entityIndex][name.lowercased()]
    }

    static func name(of entity: EntityDescription) -> String { entity.name.uppercased() }

    static func name(of property: PropertyDescription) -> String { property.name.lowercased() }

    /// The leaves of a composite attribute, with the names of their values.
    static func leaves(of attribute: AttributeDescription, in model: ManagedObjectModel) -> [(
        name: String, path: [String], attribute: AttributeDescription
    )] {
        var found: [(name: String, path: [String], attribute: AttributeDescription)] = []
        func visit(_ attribute: AttributeDescription, _ name: String, _ path: [String]) {
            // Limits the recursion for composites that contain themselves, which are detected
            // elsewhere.
            guard path.count < 16, let composite = attribute.compositeName.flatMap({ model.composite(named: $0) })
            else { return }
            for leaf in composite.attributes.sorted(by: { $0.name < $1.name }) {
                let name = "\(name).\(leaf.name.lowercased())", path = path + [leaf.name]
                switch leaf.type {
                case .undefined, .objectID: continue
                case .composite: visit(leaf, name, path)
                default: found.append((name, path, leaf))
                }
            }
        }
        visit(attribute, attribute.name.lowercased(), [])
        return found
    }

    private static func targets(of property: PropertyDescription, in entity: EntityDescription, _ shape: TableShape)
        -> [(String, Target)]
    {
        let name = name(of: property), slot = shape.layouts[entity.index].slots[property.index]
        switch property.kind {
        case .attribute(let attribute):
            guard property.isStoredInRow else { return [(name, .ignored)] }
            if attribute.type == .composite {
                return leaves(of: attribute, in: shape.model).map {
                    ($0.name, .leaf(slot, path: $0.path, $0.attribute))
                }
            }
            return [(name, .attribute(slot, attribute))]
        case .relationship:
            if property.isToMany {
                let relation = shape.relation(entityIndex: entity.index, propertyIndex: property.index)
                return [(name, relation.map { .toMany(relation: $0) } ?? .ignored)]
            }
            return [(name, property.isStoredInRow ? .toOne(slot, destination: property.destinationIndex) : .ignored)]
        }
    }
}
