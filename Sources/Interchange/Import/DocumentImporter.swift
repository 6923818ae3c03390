package import Folio

/// Imports the records of files as objects into the context of a document that is open for editing.
///
/// Records are processed in pieces. All objects of a piece are created first, then they are linked,
/// validated and written, so that an import of any length needs only the memory of one piece. The
/// save commits all pieces at once. Links to records that have not been read yet are resolved in a
/// second pass over the files. If the document does not support pieces, all records form one piece.
package struct DocumentImporter {
    let context: ManagedObjectContext
    let store: StoreIdentity
    let settings: ImportSettings
    let values: ImportedValues
    let files: [ImportFile]
    let document: PersistentDocument
    let takesPieces: Bool
    private let keepsMade: Bool
    private let progress: (TransferProgress) throws -> Void
    /// Whether objects keep the primary keys of the files, by root entity index. Only possible if
    /// the document was empty.
    var keepsNumbers: [Int: Bool] = [:]
    let wasEmpty: Bool

    /// The objects by the names that the files use.
    var names = ImportedNames()
    /// Whether a file may name objects.
    private(set) var namesObjects = false
    /// Stored objects that the piece refers to, retained until it is written.
    var held: [ManagedObject] = []
    /// The entities of records that have not been read yet, by file.
    private var unread: [Set<Int>] = []
    var waiting: [UnresolvedLink] = []
    var unchecked: [UncheckedObject] = []
    /// The smallest primary key of an object that the import has created, by root entity index. All
    /// earlier objects have smaller keys.
    var firstNumbers: [Int: Int64] = [:]
    /// One-to-one links of records between objects that existed before the import.
    var claims: Set<Claim> = []
    /// Links of the document that links in records have changed at their other ends, as they were
    /// before. Recorded only if records name objects of the document.
    var formerLinks: [LinkEnd: PropertyValue] = [:]
    /// Whether a record has named an object of the document.
    var hasNamed = false
    /// The columns of each file; nil for JSON, whose records may have any members.
    var columnNames: [Set<String>?] = []
    /// The columns whose mandatory properties have been checked.
    var checkedColumns: Set<ObjectIdentifier> = []
    package var outcome: ImportOutcome

    /// A record with a link to an object that did not exist yet.
    struct UnresolvedLink {
        let file: Int
        let index: Int
        let id: ManagedObjectID
        let isMatched: Bool
        let isNamed: Bool
        let isCounted: Bool
    }

    /// An object with missing links, which later records may add.
    struct UncheckedObject {
        let id: ManagedObjectID
        /// Nil for an object of the document.
        let file: Int?
        let place: String
    }

    /// The number of records in one piece.
    static let pieceSize = 10_000
    /// The number of records between two calls for progress.
    private static let progressStep = 64
    /// The maximum number of invalid objects that are reported.
    static let mostFailures = 20

    /// - Parameters:
    ///   - takesPieces: Whether pieces are written before the save, so that memory does not limit
    ///     the length of files.
    ///   - keepsMade: Whether the outcome has the objects of all records.
    ///   - progress: Called after some records each. What it throws ends the import.
    package init(
        _ document: PersistentDocument, _ files: [ImportFile], _ settings: ImportSettings, takesPieces: Bool,
        keepsMade: Bool, progress: @escaping (TransferProgress) throws -> Void
    ) throws {
        context = document.context
        store = document.store.identity
        self.document = document
        self.takesPieces = takesPieces
        self.progress = progress
        wasEmpty = try document.hasNoObjects
        values = ImportedValues(model: document.store.identity.model)
        self.files = files
        self.settings = settings
        self.keepsMade = keepsMade
        outcome = ImportOutcome(files: files.count)
    }

    // MARK: Reading

    package mutating func run() throws {
        let readers = try files.indices.map { file in
            try placing(file) { try ImportReader($0.files[file], $0.settings, $0.store.model) }
        }
        let headers = try files.indices.map { file in try placing(file) { _ in try readers[file].header() } }
        columnNames = readers.indices.map { file in
            readers[file].form == .json ? nil : Set(headers[file]?.names ?? [])
        }
        for file in files.indices {
            guard let columns = headers[file], columns.matchKey == nil, !readers[file].namesObjects else { continue }
            try placing(file) { importer in
                if try readers[file].hasRecords() { try importer.checkMandatory(columns, place: "line 1") }
            }
        }
        namesObjects = readers.contains { $0.namesObjects }
        // JSON may contain objects of any entity.
        unread = headers.indices.map { index in
            headers[index].map { Set($0.entity.family) }
                ?? Set(readers[index].namesObjects ? Array(store.model.entities.indices) : [])
        }
        if settings.delimiter != nil, readers.contains(where: { $0.form == .json }),
            !readers.contains(where: { $0.form == .csv })
        {
            throw InterchangeError.usage("--delimiter says what separates the fields of CSV, and no file is CSV")
        }
        let size = Double(max(1, files.reduce(0) { $0 + $1.bytes.size }))
        var piece = ImportPiece(), done: Int64 = 0, count = 0
        var entities = Set(headers.compactMap { $0?.entity.index })
        // An empty file could have had records of any entity.
        var isAnyEmpty = false
        for file in Self.order(headers) {
            var index = 0
            while let record = try placing(file, { _ in try readers[file].next() }) {
                entities.insert(record.entity.index)
                try placing(file) { try $0.checkMandatory(of: record) }
                piece.entries.append(ImportPiece.Entry(record: record, file: file, index: index))
                index += 1
                count += 1
                if count % Self.progressStep == 0 {
                    try progress(
                        TransferProgress(objects: count, fraction: Double(done + readers[file].offset) / size))
                }
                if takesPieces, piece.entries.count == Self.pieceSize { try take(&piece, isComplete: false) }
            }
            if index == 0, headers[file] == nil { isAnyEmpty = true }
            done += files[file].bytes.size
            unread[file] = []
        }
        if !isAnyEmpty { try settings.checkMatches(entities.sorted().map { store.model.entities[$0] }) }
        // If this is the only piece, all records are known and nothing has to wait.
        try take(&piece, isComplete: true)
        try resolveLinks()
        try checkUnchecked()
    }

    /// The files in the order of reading: files come first if records of other files refer to their
    /// objects by natural keys.
    private static func order(_ headers: [ImportColumns?]) -> [Int] {
        var left = Array(headers.indices), order: [Int] = []
        while !left.isEmpty {
            let next = left.first { file in
                let wanted = headers[file]?.naturalLinks.map(\.key.entity) ?? []
                return left.allSatisfy { other in
                    other == file
                        || headers[other].map { columns in
                            !wanted.contains { $0.family.overlaps(columns.entity.family) }
                        } ?? true
                }
            }
            let file = next ?? left[0]
            order.append(file)
            left.removeAll { $0 == file }
        }
        return order
    }

    /// Whether all objects of an entity in the files have been read.
    func isComplete(_ entity: EntityDescription) -> Bool { !unread.contains { !$0.isDisjoint(with: entity.family) } }

    // MARK: Pieces

    private mutating func take(_ piece: inout ImportPiece, isComplete: Bool) throws {
        try makeObjects(&piece)
        let waiting = try link(&piece, isComplete: isComplete)
        let isFinal = isComplete && self.waiting.isEmpty && unchecked.isEmpty
        let unchecked = try check(piece, waiting: waiting, isFinal: isFinal)
        try write(piece)
        for entry in piece.entries {
            if !entry.isMatched {
                outcome.counts[entry.file].inserted += 1
            } else if entry.isChanged {
                outcome.counts[entry.file].updated += 1
            } else {
                outcome.counts[entry.file].unchanged += 1
            }
            if keepsMade, let object = entry.object {
                outcome.made.append(
                    .init(
                        file: entry.file, id: entry.record.id, line: entry.record.line,
                        object: takesPieces ? .id(object.objectID) : .object(object)))
            }
        }
        for index in waiting {
            let entry = piece.entries[index]
            guard let object = entry.object else { continue }
            self.waiting.append(
                UnresolvedLink(
                    file: entry.file, index: entry.index, id: object.objectID, isMatched: entry.isMatched,
                    isNamed: entry.isNamed,
                    isCounted: !entry.isMatched || entry.isChanged))
        }
        self.unchecked += unchecked.map { UncheckedObject(id: $0.object.objectID, file: $0.file, place: $0.place) }
        piece = ImportPiece()
        held = []
    }

    private mutating func makeObjects(_ piece: inout ImportPiece) throws {
        let matches = try matches(piece), named = try namedObjects(piece)
        var numbers: [(ManagedObject, Int64)] = []
        for index in piece.entries.indices {
            if index % 1000 == 0 { try Task.checkCancellation() }
            let entry = piece.entries[index], record = entry.record
            try placing(entry) { importer in
                let match = try importer.match(record, matches, named)
                let known = match?.object
                if known == nil { try importer.checkLinks(record) }
                let object = try known ?? importer.context.insert(record.entity)
                piece.entries[index].object = object
                piece.entries[index].isNamed = match?.isNamed ?? false
                piece.entries[index].isMatched = known != nil
                try importer.note(record, object, isNew: known == nil, &numbers)
            }
            guard let object = piece.entries[index].object else { continue }
            let isMatched = piece.entries[index].isMatched
            try placing(file: entry.file) { importer in
                piece.entries[index].isChanged = try importer.values.set(record, of: object, isCompared: isMatched) {
                    key, name in
                    importer.outcome.missing.append(
                        .init(
                            value: "\(record.id.map(ImportRecord.shortName) ?? record.place()).\(key)", fileName: name))
                }
            }
            if let key = record.columns.matchKey { try matches[key]?.add(object) }
        }
        try context.keys.assignPermanentKeys(numbers)
    }

    // MARK: Locations

    mutating func placing<Result>(_ file: Int, _ body: (inout DocumentImporter) throws -> Result) throws -> Result {
        try placing(file: file, body)
    }

    mutating func placing<Result>(file: Int, _ body: (inout DocumentImporter) throws -> Result) throws -> Result {
        do {
            return try body(&self)
        } catch {
            var failure = InterchangeError(mapping: error)
            failure.path = failure.path ?? files[file].bytes.name
            throw failure
        }
    }

    mutating func placing<Result>(
        _ entry: ImportPiece.Entry, column: Int? = nil, _ body: (inout DocumentImporter) throws -> Result
    ) throws -> Result {
        try placing(file: entry.file) { importer in
            do { return try body(&importer) } catch {
                throw ImportFailure.malformed(error, entry.record.place(column: column))
            }
        }
    }
}
