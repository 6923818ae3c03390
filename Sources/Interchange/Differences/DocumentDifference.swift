import DocumentFiles
public import Folio
public import Foundation

/// What two documents, or two states of one, have differently, object by object.
///
/// Objects are the same that have the same entity and primary key, whatever the UUIDs of the
/// documents. A link between two objects is told once: on the to-one side, or on one of two to-many
/// sides.
///
/// ```swift
/// let difference = try await DocumentDifference(from: url, .saved, to: url)
/// for object in difference.objects { print(object.change, object.object) }
/// ```
public struct DocumentDifference: Sendable {
    /// A state of a document that is compared.
    public enum State: Sendable, Hashable {
        /// The newest one, including work that was autosaved and not saved.
        case newest
        /// The last saved state.
        case saved
        /// The state after this number of saves, as ``PersistentDocument/versions()`` lists them.
        case version(Int)

        fileprivate var document: DocumentState {
            switch self {
            case .newest: .newest
            case .saved: .saved
            case .version(let number): .version(number)
            }
        }
    }

    /// The objects that differ, by the name of the entity and the primary key.
    public let objects: [ObjectDifference]
    /// The entities, and the properties as `Entity.property`, that only the first document's model
    /// has.
    public let removedFromModel: [String]
    /// The entities and properties that only the second document's model has.
    public let addedToModel: [String]

    /// Whether there are any differences.
    public var isDifferent: Bool { !objects.isEmpty || !removedFromModel.isEmpty || !addedToModel.isEmpty }

    /// Compares two documents, which are opened for reading. Work that was autosaved and not saved
    /// counts, unless another state is named. What differs is in memory at once; the documents are
    /// not.
    /// - Parameters:
    ///   - old: The first document.
    ///   - oldState: The state of the first document.
    ///   - new: The second document.
    ///   - newState: The state of the second document.
    ///   - entity: The only entity whose objects are compared, without its sub-entities; nil for
    ///     all.
    ///   - progress: Called with the number of objects that differ so far. What it throws ends the
    ///     comparison.
    /// - Throws: `InterchangeError`, or the errors of opening a document, such as `DocumentError`.
    ///   `CancellationError` where the task is canceled.
    public init(
        from old: URL, _ oldState: State = .newest, to new: URL, _ newState: State = .newest,
        entity: String? = nil, progress: (TransferProgress) throws -> Void = { _ in }
    ) async throws {
        self = try await Self.walking(
            DocumentArgument(path: old.path, state: oldState.document),
            DocumentArgument(path: new.path, state: newState.document), entity
        ) { walk in
            var objects: [ObjectDifference] = []
            try walk.forEach { difference in
                objects.append(difference)
                try progress(TransferProgress(objects: objects.count, fraction: nil))
            }
            return DocumentDifference(objects, walk.modelDifferences)
        }
    }

    private init(_ objects: [ObjectDifference], _ models: (onlyOld: [String], onlyNew: [String])) {
        self.objects = objects
        removedFromModel = models.onlyOld
        addedToModel = models.onlyNew
    }

    /// The differences in the JSON of `folio diff --json`.
    public var json: String {
        let sink = ByteSink(descriptor: nil)
        var json = DifferenceJSON(sink), counts = DifferenceCounts()
        json.begin()
        for object in objects {
            counts.add(object)
            json.add(object)
        }
        json.finish(counts, models: (removedFromModel, addedToModel), isDifferent: isDifferent)
        return sink.text
    }

    /// The differences of two documents, `DOC` or `DOC@n`, in the JSON of `folio diff --json`,
    /// without holding their values.
    /// - Throws: A usage error for an empty text, which would name the current folder.
    package static func json(from old: String, to new: String) async throws -> (report: String, isDifferent: Bool) {
        for text in [old, new] where text.isEmpty { throw InterchangeError.usage("the path of a document is empty") }
        return try await walking(DocumentArgument(old), DocumentArgument(new), nil) { walk in
            let sink = ByteSink(descriptor: nil)
            var json = DifferenceJSON(sink), counts = DifferenceCounts()
            json.begin()
            try walk.forEach {
                counts.add($0)
                json.add($0)
            }
            let models = walk.modelDifferences
            let isDifferent = !counts.isEmpty || !models.onlyOld.isEmpty || !models.onlyNew.isEmpty
            json.finish(counts, models: models, isDifferent: isDifferent)
            return (sink.text, isDifferent)
        }
    }

    private static func walking<Result>(
        _ old: DocumentArgument, _ new: DocumentArgument, _ entity: String?, _ body: (DifferenceWalk) throws -> Result
    ) async throws -> Result {
        try await DocumentReader.reading(old, model: nil) { old in
            try await DocumentReader.reading(new, model: nil) { new in
                try body(DifferenceWalk(from: old, to: new, entity: entity))
            }
        }
    }
}
