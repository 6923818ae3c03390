import Schema
import Storage

/// Assigns `Z_ENT` numbers to the entities of a model.
enum EntityNumbering {
    /// The numbers for a new store: from 1, in the model's order. Entities outside the
    /// configuration have none.
    static func new(for model: ManagedObjectModel, configuration: String?) throws(StorageError) -> [Int64?] {
        guard let members = model.entities(inConfiguration: configuration) else {
            throw StorageError(.cannotCreate, "The model has no configuration \(configuration ?? "")")
        }
        // A hierarchy shares a table, so it is stored as a whole if any entity of it is.
        let roots = Set(members.map(\.rootIndex))
        var next: Int64 = 0
        return model.entities.map { entity in
            guard roots.contains(entity.rootIndex) else { return nil }
            next += 1
            return next
        }
    }

    /// The numbers in an existing store. Entities that it does not list have none.
    ///
    /// After a migration in place the store may still list an entity under its former name. The
    /// entity is then found by its renaming identifier, or else if it is the only unmatched entity
    /// with its parent.
    static func stored(for model: ManagedObjectModel, in catalog: StoreCatalog) -> [Int64?] {
        var unclaimed = Dictionary(catalog.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var numbers = [Int64?](repeating: nil, count: model.entities.count)
        for entity in model.entities {
            numbers[entity.index] = unclaimed.removeValue(forKey: entity.name)?.number
        }
        for entity in model.entities where numbers[entity.index] == nil {
            guard let formerName = entity.definition.renamingIdentifier else { continue }
            numbers[entity.index] = unclaimed.removeValue(forKey: formerName)?.number
        }
        // Parents come before children, so a parent matched here helps to match its children.
        for entity in model.entities where numbers[entity.index] == nil {
            var parent: Int64 = 0
            if let superentity = entity.superentity {
                guard let number = numbers[superentity.index] else { continue }
                parent = number
            }
            let places = unclaimed.values.filter { $0.parent == parent && $0.number < firstHistoryNumber }
            let rivals = model.entities.filter { numbers[$0.index] == nil && $0.superentity == entity.superentity }
            guard places.count == 1, rivals.count == 1,
                catalog.table("Z" + entity.name.uppercased()) != nil || entity.superentity != nil
            else { continue }
            numbers[entity.index] = places[0].number
            unclaimed[places[0].name] = nil
        }
        return numbers
    }

    /// Entities of the persistent history, which no model describes, are numbered from here.
    static let firstHistoryNumber: Int64 = 16001
}
