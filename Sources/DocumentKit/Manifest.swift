internal import FileSystem
public import Foundation

/// What a document says of itself in `manifest.json`, so that it can be shown without opening its store. All of it follows from the store and the model
/// and can be made anew; where they differ, the store is right.
public struct Manifest: Sendable, Hashable, Codable {
    /// The model that the document carries.
    public struct Model: Sendable, Hashable, Codable {
        /// The name of the version: the folder under `model/` is `<name>.xcdatamodel`.
        public var name: String
        public var identifiers: [String]
        /// The digest of the version hashes, base64.
        public var digest: String
    }

    public struct Store: Sendable, Hashable, Codable {
        public var type: String
        public var bytes: Int64
    }

    public struct Attachments: Sendable, Hashable, Codable {
        public var count: Int
        public var bytes: Int64
    }

    static let formatName = "folio-document"
    static let currentVersion = 1

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
    public var title: String?
    public var keywords: [String]?

    /// Reads a manifest within bounds.
    /// - Throws: `DocumentError`: `.newer` where the document needs a newer program, `.malformed` for the rest.
    package static func decode(_ bytes: [UInt8], path: String) throws -> Manifest {
        if let objection = JSONCoding.objection(to: bytes) { throw DocumentError(.malformed, "the manifest is damaged: \(objection)", path: path) }
        struct Version: Decodable {
            var format: String
            var formatVersion: Int
            var minimumReader: Int?
        }
        do {
            // The version first: a newer manifest may look different altogether.
            let version = try JSONCoding.decoder.decode(Version.self, from: Data(bytes))
            guard version.format == formatName else { throw DocumentError(.malformed, "the manifest is that of another format, “\(version.format)”", path: path) }
            guard version.minimumReader ?? version.formatVersion <= currentVersion else {
                throw DocumentError(
                    .newer, "the document has format version \(version.formatVersion), this program reads up to \(currentVersion)", path: path,
                    hint: "open it with a newer program")
            }
            let manifest = try JSONCoding.decoder.decode(Manifest.self, from: Data(bytes))
            // Both become parts of paths.
            guard UUID(uuidString: manifest.uuid) != nil else { throw DocumentError(.malformed, "the manifest is damaged: “uuid” is no UUID", path: path) }
            guard PackageLayout.isModelName(manifest.model.name) else {
                throw DocumentError(.malformed, "the manifest is damaged: “model.name” can't be the name of a model", path: path)
            }
            return manifest
        } catch let error as DecodingError {
            throw DocumentError(.malformed, "the manifest is damaged: \(error.reason)", path: path, underlying: error)
        }
    }

    package var encoded: [UInt8] {
        get throws { Array(try JSONCoding.encoder.encode(self)) + [UInt8(ascii: "\n")] }
    }
}

extension DecodingError {
    fileprivate var reason: String {
        func place(_ context: Context) -> String { context.codingPath.map(\.stringValue).joined(separator: ".") }
        return switch self {
        case .keyNotFound(let key, _): "“\(key.stringValue)” is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context): "“\(place(context))” has the wrong type"
        case .dataCorrupted(let context): context.codingPath.isEmpty ? "no valid JSON" : "“\(place(context))” has no valid value"
        @unknown default: "no valid manifest"
        }
    }
}
