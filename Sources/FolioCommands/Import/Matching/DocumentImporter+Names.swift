import Folio

/// What files call objects, and the numbers that objects keep.
extension DocumentImporter {
    /// Notes what the file calls an object, and the number that it had.
    mutating func note(
        _ record: ImportRecord, _ object: ManagedObject, isNew: Bool, _ numbers: inout [(ManagedObject, Int64)]
    ) throws {
        let root = record.entity.rootIndex
        guard let id = record.id, let (_, number) = ImportRecord.name(id) else {
            if isNew { keepsNumbers[root] = false }
            return
        }
        guard names.add(object, entityIndex: record.entity.index, number: number) else {
            throw CommandError.malformed("the object \(ImportRecord.shortName(id)) occurs twice")
        }
        guard isNew, wasEmpty, number > 0, keepsNumbers[root] ?? true else { return }
        if let other = entity(holding: number, besides: record.entity, numbers) {
            throw CommandError.malformed(
                "\(ImportRecord.shortName(id)) and \(other.name)/p\(number) have one number, and all objects of \(store.model.entities[root].name) are numbered together",
                hint: "give one of them another number")
        }
        numbers.append((object, number))
    }

    /// Another entity of the hierarchy, an object of which keeps a number.
    /// - Parameter numbers: those that objects of this piece will have.
    private func entity(holding number: Int64, besides entity: EntityDescription, _ numbers: [(ManagedObject, Int64)])
        -> EntityDescription?
    {
        let index = store.model.entities[entity.rootIndex].family.first { index in
            guard index != entity.index, let target = names[index, number] else { return false }
            // An object that two records are about has two names.
            return switch target {
            case .key(let key): key == number
            case .object(let object): numbers.contains { $0.0 === object && $0.1 == number }
            }
        }
        return index.map { store.model.entities[$0] }
    }
}
