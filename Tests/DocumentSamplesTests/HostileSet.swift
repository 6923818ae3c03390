import Foundation

/// A folder that is filled with hostile documents.
struct HostileSet {
    let folder: URL
    let small: SmallDocument

    func file(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: folder.appendingPathComponent(name))
    }
    func file(_ name: String, _ text: String) throws { try file(name, Array(text.utf8)) }

    /// A package of the small document's parts, with others in their place; nil leaves one out.
    func package(_ name: String, _ replaced: [String: [UInt8]?] = [:], _ change: (URL) throws -> Void = { _ in }) throws
    {
        let url = folder.appendingPathComponent(name)
        var parts: [String: [UInt8]?] = small.parts
        parts.merge(replaced) { $1 }
        for (part, bytes) in parts {
            guard let bytes else { continue }
            let file = url.appendingPathComponent(part)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
        try change(url)
    }

    func package(_ name: String, store: [UInt8]) throws { try package(name, ["store/store.sqlite": store]) }

    /// Puts a symbolic link in the place of a part.
    func link(_ package: URL, _ part: String, to target: String) throws {
        let path = package.appendingPathComponent(part).path
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }
}
