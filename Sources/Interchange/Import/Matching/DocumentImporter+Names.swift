import Folio

/// The names of objects in files, and the primary keys that objects keep.
extension DocumentImporter {
    /// Records the name of an object in the file, and the primary key that it keeps.
    mutating func note(
        _ record: ImportRecord, _ object: ManagedObject, isNew: Bool, _ numbers: inout [(ManagedObject, Int64)]
    ) throws {
        let root = record.entity.rootIndex
        guard let id = record.id, let (_, number) = ImportRecord.name(id) else {
            if isNew { keepsNumbers[root] = false }
            return
        }
        guard names.add(object, entityIndex: record.entity.index, number: number) else {
            throw InterchangeError.malformed("the object \(ImportRecord.shortName(id)) occurs twice")
        }
        guard isNew, wasEmpty, number > 0, keepsNumbers[root] ?? true else { return }
        if let other = entity(holding: number, besides: record.entity, numbers) {
            throw InterchangeError.malformed(
                "\(ImportRecord.shortName(id)) and \(other.name)/p\(number) have one number, and all objects of \(store.model.entities[root].name) are numbered together",
                hint: "give one of them another number")
        }
        numbers.append((object, number))
    }

    /// Another entity of the hierarchy with an object that keeps the given primary key.
    /// - Parameter numbers: The keys that the objects of this piece will have.
    private func entity(holding number: Int64, besides entity: EntityDescription, _ numbers: [(ManagedObject, Int64)])
        -> EntityDescription?
    {
        let index = store.model.entities[entity.rootIndex].family.first { index in
            guard index != entity.index, let target = names[index, number] else { return false }
            // An object with two records has two names.
            return switch target {
            case .key(let key): key == number
            case .object(let object): numbers.contains { $0.0 === object && $0.1 == number }
            }
        }
        return index.map { store.model.entities[$0] }
    }
}
