public import Foundation
public import Schema

/// A reference to a model as users type it: a path, or `path#Version`.
///
/// ```swift
/// let model = try ModelReference("Shop.xcdatamodeld#Shop 2").model()
/// ```
public struct ModelReference: Sendable, Hashable, CustomStringConvertible {
    /// The path before `#`.
    public let url: URL
    /// The version after `#`; nil for the current one.
    public let version: String?

    /// Parses a reference. The text after the last `#` is the version, unless a file with the whole
    /// text as its path exists.
    public init(_ text: String) {
        if let mark = text.lastIndex(of: "#"), !FileManager.default.fileExists(atPath: text) {
            url = URL(fileURLWithPath: String(text[..<mark]))
            version = String(text[text.index(after: mark)...])
        } else {
            url = URL(fileURLWithPath: text)
            version = nil
        }
    }

    public var description: String { version.map { "\(url.path)#\($0)" } ?? url.path }

    /// Whether the path is a model file. False for stores and documents that contain a model.
    public var isModelFile: Bool { (try? ModelFile(contentsOf: url)) != nil }

    /// Reads the version.
    ///
    /// - Throws: What ``ModelFile/init(contentsOf:)`` and ``ModelFile/model(version:)`` throw.
    public func model() throws(ModelError) -> ManagedObjectModel {
        try ModelFile(contentsOf: url).model(version: version)
    }

    /// Reads the version that matches the version hashes of a store: the named version, or any
    /// version if none is named.
    ///
    /// - Returns: Nil if no version matches.
    /// - Throws: What ``ModelFile/init(contentsOf:)``, ``ModelFile/model(version:)`` and
    ///   ``ModelFile/model(matching:)`` throw.
    public func model(matching hashes: [String: Data]) throws(ModelError) -> ManagedObjectModel? {
        let file = try ModelFile(contentsOf: url)
        guard let version else { return try file.model(matching: hashes)?.model }
        let model = try file.model(version: version)
        return model.fits(hashes) ? model : nil
    }
}
