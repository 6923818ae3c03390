internal import Coding
package import Foundation
package import Schema

/// Mapping models in files: `.xcmappingmodel` (a folder with `xcmapping.xml`, or that file) and the
/// compiled `.cdm`.
package enum MappingFile {
    /// - Throws: `ModelError.notFound` where there is nothing, `unreadable` for what is no mapping
    ///   model.
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
