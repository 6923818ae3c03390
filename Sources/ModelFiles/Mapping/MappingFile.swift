internal import Coding
package import Foundation
package import Schema

/// Reads mapping model files: an `.xcmappingmodel` (a directory with `xcmapping.xml`, or that
/// file), or a compiled `.cdm`.
package enum MappingFile {
    /// Reads a mapping model file.
    ///
    /// - Throws: `ModelError.notFound` if there is no such file, `unreadable` if it is not a
    ///   mapping model.
    package static func read(_ url: URL) throws(ModelError) -> MappingDescription {
        var file = url
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ModelError(.notFound, "There is no such file", path: url.path)
        }
        if isDirectory.boolValue { file = url.appendingPathComponent("xcmapping.xml") }
        return try decode(try ModelFileFinder.contents(of: file), path: url.path)
    }

    package static func decode(_ data: Data, path: String? = nil) throws(ModelError) -> MappingDescription {
        do {
            return PropertyList.isBinary(data)
                ? try CompiledMappingReader().read(KeyedArchive(data).root())
                : try MappingSourceReader(XMLTree.read(data)).read()
        } catch let error as ModelError {
            throw error
        } catch {
            throw ModelError(.unreadable, "The mapping model can't be read: \(error)", path: path)
        }
    }
}
