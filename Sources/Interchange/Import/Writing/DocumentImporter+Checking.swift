package import Folio

/// Validates imported objects before they are written.
extension DocumentImporter {
    mutating func write(_ piece: ImportPiece) throws {
        guard takesPieces else { return }
        try Task.checkCancellation()
        do {
            try document.pieces.write()
        } catch {
            var failure = InterchangeError(mapping: error)
            if let graph = error as? GraphError, let entry = piece.source(ofOneOf: graph.objects) {
                failure.message = "\(entry.record.place()): \(failure.message)"
                failure.path = files[entry.file].bytes.name
            }
            throw failure
        }
        names.settle()
        noteNumbers(of: piece)
    }

    /// Validates the changes of a piece.
    /// - Parameter waiting: The indexes of entries whose links wait. Their objects are validated
    ///   after they have been linked.
    /// - Returns: The objects with missing links, which later records may add.
    func check(_ piece: ImportPiece, waiting: [Int], isFinal: Bool) throws -> [(
        object: ManagedObject, file: Int?, place: String
    )] {
        var refused: [ImportViolation] = []
        var open: [(object: ManagedObject, file: Int?, place: String)] = []
        let failures = try context.saving.validationFailures(
            limit: isFinal ? Self.mostFailures : .max,
            excluding: Set(waiting.compactMap { piece.entries[$0].object }))
        let sources = failures.isEmpty ? [:] : piece.sources
        for failure in failures {
            let entry = failure.object.flatMap { sources[$0] }
            // An object of the document that has lost a link because of the files is reported by
            // its own name.
            let place = entry?.record.place() ?? failure.object.map { "\($0.entity.name)/p\($0.key)" } ?? ""
            if !isFinal, ImportViolation.isOfLinks(failure, in: store.model),
                let object = failure.object.flatMap(context.registeredObject)
            {
                open.append((object, entry?.file, place))
            } else {
                refused.append(
                    ImportViolation(failure: failure, path: entry.map { files[$0.file].bytes.name }, place: place))
                if refused.count == Self.mostFailures { break }
            }
        }
        if let first = refused.first { throw first.error(with: refused, isWhole: refused.count < Self.mostFailures) }
        return open
    }

    /// The violations of rules by an object that has been written.
    package static func failures(of object: ManagedObject) throws -> [ValidationError.Failure] {
        // To-many relationships that are not loaded are not validated, so they are loaded first.
        for property in object.entity.properties where property.isToMany {
            _ = try object.propertyValue(forKey: property.name)
        }
        do { try object.validateForUpdate() } catch let error as ValidationError { return error.failures }
        return []
    }

    /// Validates the objects that had missing links when they were written.
    mutating func checkUnchecked() throws {
        var refused: [ImportViolation] = []
        var rest = unchecked[...]
        while !rest.isEmpty, refused.count < Self.mostFailures {
            let batch = rest.prefix(Self.pieceSize)
            rest = rest.dropFirst(Self.pieceSize)
            let objects = try self.objects(with: Set(batch.map(\.id)))
            try withExtendedLifetime(objects) {
                for item in batch where refused.count < Self.mostFailures {
                    guard let object = context.registeredObject(for: item.id) else { continue }
                    refused += try Self.failures(of: object).map {
                        ImportViolation(failure: $0, path: item.file.map { files[$0].bytes.name }, place: item.place)
                    }
                }
            }
        }
        if let first = refused.first { throw first.error(with: refused, isWhole: rest.isEmpty) }
    }
}
