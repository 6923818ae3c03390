internal import Coding
internal import FileSystem
public import Foundation
internal import Schema
internal import Synchronization

/// The description of a document in its `manifest.json`, which allows listing it without opening
/// its store. It is derived from the store and the model; if they differ, the store is
/// authoritative.
public struct DocumentManifest: Sendable, Hashable, Codable {
    /// The description of the model in the document.
    public struct Model: Sendable, Hashable, Codable {
        /// The name of the version. The model is in the folder `<name>.xcdatamodel` under `model/`.
        public var name: String
        /// The version identifiers of the model.
        public var identifiers: [String]
        /// The digest of the version hashes in Base64.
        public var digest: String
        /// The CRC-32 of the model's file in hexadecimal; nil if it is not known.
        public var checksum: String?
    }

    /// The description of the store.
    public struct Store: Sendable, Hashable, Codable {
        /// The type of the store, such as `SQLite`.
        public var type: String
        /// The size of the store's main file in bytes.
        public var bytes: Int64
        /// The checksum over the pages of the main file after the last save, in hexadecimal; nil if
        /// it is not known.
        public var pageSum: String?
        /// The change counter in the header of the main file after the last save. If the file has
        /// another value, another program has written to the store.
        public var changeCounter: Int?
    }

    /// The description of the attachments: large values that are stored in files of their own.
    public struct Attachments: Sendable, Hashable, Codable {
        /// The number of files.
        public var count: Int
        /// The total size of the files in bytes.
        public var bytes: Int64
    }

    /// The description of a file of the application, or of a preview.
    public struct FileSum: Sendable, Hashable, Codable {
        /// The size of the file in bytes.
        public var bytes: Int64
        /// The CRC-32 of the file in hexadecimal.
        public var checksum: String
    }

    /// The description of a save that is no longer in the store's main file.
    public struct LastSave: Sendable, Hashable, Codable {
        /// The number of the save.
        public var generation: Int
        /// The time of the save.
        public var saved: Date
    }

    static let formatName = "folio-document"
    static var currentVersion: Int { DocumentFormat.current.version }

    /// The name of the format, `folio-document`.
    public var format: String
    /// The version of the format.
    public var formatVersion: Int
    /// The earliest version of the format whose programs can read the document.
    public var minimumReader: Int
    /// The UUID of the document, which is that of its store.
    public var uuid: String
    /// The number of saves of the document.
    public var generation: Int
    /// The time at which the document was created.
    public var created: Date
    /// The time of the last save.
    public var saved: Date
    /// The model.
    public var model: Model
    /// The store.
    public var store: Store
    /// The number of objects of each entity that is not abstract, without sub-entities.
    public var entities: [String: Int]
    /// The attachments.
    public var attachments: Attachments
    /// The files of the application and the previews, by their paths in the document
    /// (`extra/view.json`); nil if they are not known, or are too many.
    public var files: [String: FileSum]?
    /// The title of the document.
    public var title: String?
    /// The keywords of the document.
    public var keywords: [String]?
    /// The last save, if autosaved work after it was checkpointed into the store's main file: it is
    /// one of the versions, and reverting restores it. Nil if the main file is in the last saved
    /// state.
    public var lastSave: LastSave?
    /// The names of models that the document had before a migration, by the digest of their version
    /// hashes: earlier versions of the document have these models. Nil if there are none.
    var formerModels: [String: String]?
    /// The milliseconds of `saved`, whose text in the file has whole seconds; nil except while the
    /// manifest is encoded.
    var savedMilliseconds: Int?

    private static let recent = Mutex(RecentlyUsed<[UInt8], DocumentManifest> { $0.count <= 32 << 10 })

    /// Decodes a manifest, with limits for its size and depth.
    /// - Throws: `DocumentError`: `.newer` if the document requires a newer program, `.malformed`
    ///   for other errors.
    package static func decode(_ bytes: [UInt8], path: String) throws -> DocumentManifest {
        try recent.value(for: bytes) { try decode(bytes, path: path, format: .current) }
    }

    /// Decodes a manifest as a program that knows this version of the format.
    package static func decode(_ bytes: [UInt8], path: String, format known: DocumentFormat) throws -> DocumentManifest
    {
        func damaged(_ reason: String, _ underlying: (any Error)? = nil) -> DocumentError {
            DocumentError(.malformed, "the manifest is damaged: \(reason)", path: path, underlying: underlying)
        }
        guard bytes.count <= JSONCoding.maximumSize else { throw damaged("more than \(JSONCoding.maximumSize) bytes") }
        do {
            let value = try JSONReader.value(of: bytes, greatestDepth: JSONCoding.maximumDepth)
            let fields = try JSONFields(value)
            // Read the version first, because a newer manifest may have a different structure.
            let format = try fields.string("format"), version: Int = try fields.int("formatVersion")
            guard format == formatName else {
                throw DocumentError(.malformed, "the manifest is that of another format, “\(format)”", path: path)
            }
            let needed = try fields.optional("minimumReader") { $0.int(Int.self) } ?? version
            guard needed <= known.version else {
                throw DocumentError(
                    .newer,
                    "the document needs a program for format version \(needed), this one reads up to \(known.version)",
                    path: path,
                    hint: "open it with a newer program")
            }
            let manifest = try DocumentManifest(
                version < known.version ? JSONFields(known.upgrade(value, from: version)) : fields)
            // Both values become parts of paths.
            guard UUID(uuidString: manifest.uuid) != nil else { throw damaged("“uuid” is no UUID") }
            guard PackageLayout.isModelName(manifest.model.name) else {
                throw damaged("“model.name” can't be the name of a model")
            }
            return manifest
        } catch let error as JSONFields.Failure {
            throw damaged(error.description, error)
        } catch let error as JSONReader.Failure {
            throw damaged(error.description, error)
        }
    }

    package var encoded: [UInt8] {
        get throws {
            var written = self
            let milliseconds = saved.milliseconds, fraction = (milliseconds % 1000 + 1000) % 1000
            written.saved = Date(milliseconds: milliseconds - fraction)
            written.savedMilliseconds = Int(fraction)
            return CheckedJSON.adding(
                to: Array(try JSONCoding.encoder.encode(written)) + [UInt8(ascii: "\n")], indent: Self.indent)
        }
    }

    private static let indent = "\n  "

    /// Whether the bytes of a manifest were altered, according to its checksum. A manifest with a
    /// sum of the store's pages must have a checksum.
    static func isAltered(_ bytes: [UInt8], _ manifest: DocumentManifest) -> Bool {
        switch CheckedJSON.verdict(on: bytes, indent: indent) {
        case .sound: false
        case .altered: true
        case .unknown: manifest.store.pageSum != nil
        }
    }
}

extension DocumentManifest {
    /// Removes the checksums of the store, the model and the application's files.
    mutating func forgetSums() {
        store.pages = nil
        model.checksum = nil
        files = nil
    }

    /// Removes the object counts, so that the objects are counted again.
    mutating func forgetCounts() { entities = [:] }

    /// Whether the manifest contains counts. If not, `entities` and `attachments` are invalid.
    var hasCounts: Bool { !entities.isEmpty }

    /// Records the name of the model, before the document gets another one. A name that is recorded
    /// already is kept.
    package mutating func noteFormerModel() {
        formerModels = (formerModels ?? [:]).merging([model.digest: model.name]) { first, _ in first }
    }

    /// The name that a model of the document has or had; nil if it is not known.
    func name(of other: ManagedObjectModel) -> String? {
        let digest = other.versionHashesDigest
        return digest == model.digest ? model.name : formerModels?[digest]
    }

    private init(_ fields: JSONFields) throws {
        func date(_ value: JSONValue) -> Date? { value.string.flatMap { InternetDate.date($0) } }
        format = try fields.string("format")
        formatVersion = try fields.int("formatVersion")
        minimumReader = try fields.int("minimumReader")
        uuid = try fields.string("uuid")
        generation = try fields.required("generation", CommitNumbers.decoded)
        created = try fields.required("created", date)
        saved = try fields.required("saved", date)
        if let milliseconds = try fields.optional("savedMilliseconds", { $0.int(Int.self) }), 0..<1000 ~= milliseconds {
            saved = Date(milliseconds: saved.milliseconds + Int64(milliseconds))
        }
        let model = try fields.object("model"), store = try fields.object("store"),
            attachments = try fields.object("attachments")
        self.model = try Model(
            name: model.string("name"), identifiers: model.required("identifiers", \.strings),
            digest: model.string("digest"),
            checksum: model.optional("checksum", \.string))
        self.store = try Store(
            type: store.string("type"), bytes: store.int("bytes"), pageSum: store.optional("pageSum", \.string),
            changeCounter: store.optional("changeCounter") { $0.int(Int.self) })
        entities = try fields.required("entities") { value in
            guard let members = value.object else { return nil }
            let counts = members.compactMapValues { $0.int(Int.self) }
            return counts.count == members.count ? counts : nil
        }
        self.attachments = try Attachments(count: attachments.int("count"), bytes: attachments.int("bytes"))
        files = try fields.optional("files") { value in
            guard let members = value.object else { return nil }
            let sums = members.compactMapValues { FileSum($0) }
            return sums.count == members.count ? sums : nil
        }
        title = try fields.optional("title", \.string)
        keywords = try fields.optional("keywords", \.strings)
        formerModels = try fields.optional("formerModels") { value in
            value.object?.compactMapValues(\.string).filter { PackageLayout.isModelName($0.value) }
        }
        lastSave = try fields.optional("lastSave") { $0 }.map { _ in
            let lastSave = try fields.object("lastSave")
            return try LastSave(
                generation: lastSave.required("generation", CommitNumbers.decoded),
                saved: lastSave.required("saved", date))
        }
    }
}

extension DocumentManifest.FileSum {
    fileprivate init?(_ value: JSONValue) {
        guard let members = value.object, let bytes = members["bytes"]?.int(Int64.self),
            let checksum = members["checksum"]?.string
        else { return nil }
        self.init(bytes: bytes, checksum: checksum)
    }
}
