public import Foundation
public import Schema

/// A model as a person names it: a path, or `path#Version`.
///
/// ```swift
/// let model = try ModelReference("Shop.xcdatamodeld#Shop 2").model()
/// ```
public struct ModelReference: Sendable, Hashable, CustomStringConvertible {
    /// The path before `#`.
    public let url: URL
    /// The version after `#`, nil for the current one.
    public let version: String?

    /// What stands after the last `#` is a version, unless a file of the whole name exists.
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

    /// Whether the path holds a model in files; a store or document that carries one is another
    /// room's business.
    public var isModelFile: Bool { (try? ModelFile(contentsOf: url)) != nil }

    /// Reads the version.
    public func model() throws(ModelError) -> ManagedObjectModel {
        try ModelFile(contentsOf: url).model(version: version)
    }

    /// Reads the version that fits a store with `hashes`: the named one, or among several the one
    /// whose hashes are equal.
    ///
    /// - Returns: nil where no version fits.
    public func model(matching hashes: [String: Data]) throws(ModelError) -> ManagedObjectModel? {
        let file = try ModelFile(contentsOf: url)
        guard let version else { return try file.model(matching: hashes)?.model }
        let model = try file.model(version: version)
        return model.fits(hashes) ? model : nil
    }
}
