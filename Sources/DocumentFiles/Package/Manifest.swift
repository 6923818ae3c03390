internal import Coding
internal import FileSystem
public import Foundation
internal import Schema
internal import Synchronization

/// What a document says of itself in `manifest.json`, so that it can be shown without opening its
/// store. All of it follows from the store and the model and can be made anew; where they differ,
/// the store is right.
public struct Manifest: Sendable, Hashable, Codable {
    /// The model that the document carries.
    public struct Model: Sendable, Hashable, Codable {
        /// The name of the version: the folder under `model/` is `<name>.xcdatamodel`.
        public var name: String
        public var identifiers: [String]
        /// The digest of the version hashes, base64.
        public var digest: String
        /// The CRC-32 of the model's file, in hexadecimal digits; nil where it is not known.
        public var checksum: String?
    }

    public struct Store: Sendable, Hashable, Codable {
        public var type: String
        public var bytes: Int64
        /// The sum over the pages of the main file as the save of this generation left it, in
        /// hexadecimal digits; nil where it is not known.
        public var pageSum: String?
        /// The change counter in the header of the main file then; with another one, another
        /// program has written to the store.
        public var changeCounter: Int?
    }

    public struct Attachments: Sendable, Hashable, Codable {
        public var count: Int
        public var bytes: Int64
    }

    /// What a save wrote of one of the application's own files, or of a preview.
    public struct FileSum: Sendable, Hashable, Codable {
        public var bytes: Int64
        /// The CRC-32 of the file, in hexadecimal digits.
        public var checksum: String
    }

    /// A save that the store has left behind.
    public struct LastSave: Sendable, Hashable, Codable {
        public var generation: Int
        public var saved: Date
    }

    static let formatName = "folio-document"
    static var currentVersion: Int { DocumentFormat.current.version }

    public var format: String
    public var formatVersion: Int
    /// The oldest format version whose programs can read the document.
    public var minimumReader: Int
    /// The document's UUID, which is its store's.
    public var uuid: String
    /// How often the document was saved.
    public var generation: Int
    public var created: Date
    /// When it was last saved.
    public var saved: Date
    public var model: Model
    public var store: Store
    /// How many objects of each entity that is not abstract, sub-entities not counted in.
    public var entities: [String: Int]
    public var attachments: Attachments
    /// The application's own files and the previews, by their names beneath the document
    /// (`extra/view.json`); nil where that is not known, or they are too many.
    public var files: [String: FileSum]?
    public var title: String?
    public var keywords: [String]?
    /// Where so much was autosaved that the store took it up: the last save, to which unsaved work
    /// goes back and which is one of the versions. Else nil, and the store is what was saved.
    public var lastSave: LastSave?

    private static let recent = Mutex(RecentlyUsed<[UInt8], Manifest> { $0.count <= 32 << 10 })

    /// Reads a manifest within bounds.
    /// - Throws: `DocumentError`: `.newer` where the document needs a newer program, `.malformed`
    ///   for the rest.
    package static func decode(_ bytes: [UInt8], path: String) throws -> Manifest {
        try recent.value(for: bytes) { try decode(bytes, path: path, format: .current) }
    }

    /// Reads a manifest as a program does whose format is this one.
    package static func decode(_ bytes: [UInt8], path: String, format known: DocumentFormat) throws -> Manifest {
        func damaged(_ reason: String, _ underlying: (any Error)? = nil) -> DocumentError {
            DocumentError(.malformed, "the manifest is damaged: \(reason)", path: path, underlying: underlying)
        }
        guard bytes.count <= JSONCoding.maximumSize else { throw damaged("more than \(JSONCoding.maximumSize) bytes") }
        do {
            let value = try JSONReader.value(of: bytes, greatestDepth: JSONCoding.maximumDepth)
            let fields = try JSONFields(value)
            // The version first: a newer manifest may look different altogether.
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
            let manifest = try Manifest(
                version < known.version ? JSONFields(known.upgrade(value, from: version)) : fields)
            // Both become parts of paths.
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
            CheckedJSON.adding(
                to: Array(try JSONCoding.encoder.encode(self)) + [UInt8(ascii: "\n")], indent: Self.indent)
        }
    }

    private static let indent = "\n  "

    /// Whether the bytes of a manifest are those that were written, as far as it says so: one with
    /// a sum of the store's pages has a checksum of its own too.
    static func isAltered(_ bytes: [UInt8], _ manifest: Manifest) -> Bool {
        switch CheckedJSON.verdict(on: bytes, indent: indent) {
        case .sound: false
        case .altered: true
        case .unknown: manifest.store.pageSum != nil
        }
    }
}

extension Manifest {
    /// Takes out what the manifest records of the contents of the store, the model and the
    /// application's files.
    mutating func forgetSums() {
        store.pages = nil
        model.checksum = nil
        files = nil
    }

    /// Takes out how much there is of anything, so that it is counted.
    mutating func forgetCounts() { entities = [:] }

    /// Whether it says how much there is; else neither `entities` nor `attachments` count.
    var hasCounts: Bool { !entities.isEmpty }

    private init(_ fields: JSONFields) throws {
        func date(_ value: JSONValue) -> Date? { value.string.flatMap { InternetDate.date($0) } }
        format = try fields.string("format")
        formatVersion = try fields.int("formatVersion")
        minimumReader = try fields.int("minimumReader")
        uuid = try fields.string("uuid")
        generation = try fields.int("generation")
        created = try fields.required("created", date)
        saved = try fields.required("saved", date)
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
        lastSave = try fields.optional("lastSave") { $0 }.map { _ in
            let lastSave = try fields.object("lastSave")
            return try LastSave(generation: lastSave.int("generation"), saved: lastSave.required("saved", date))
        }
    }
}

extension Manifest.FileSum {
    fileprivate init?(_ value: JSONValue) {
        guard let members = value.object, let bytes = members["bytes"]?.int(Int64.self),
            let checksum = members["checksum"]?.string
        else { return nil }
        self.init(bytes: bytes, checksum: checksum)
    }
}
