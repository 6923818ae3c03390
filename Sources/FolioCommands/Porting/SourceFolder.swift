import Foundation

/// The Swift files and models beneath a folder, or one Swift file.
struct SourceFolder {
    typealias File = (path: String, name: String)

    private static let foreign: Set = ["Carthage", "DerivedData", "Pods"]

    private let path: String

    init(_ path: String) { self.path = path }

    /// The files, sorted by their names, with their paths and their names relative to the folder.
    ///
    /// - Throws: 66 for a path that there is not, or a file that is no Swift file.
    func files() throws -> (sources: [File], models: [File]) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw InterchangeError.notFound("there is no such folder", path: path)
        }
        guard isFolder.boolValue else {
            guard path.hasSuffix(".swift") else {
                throw InterchangeError.notFound("is neither a folder nor a Swift file", path: path)
            }
            return ([(path, URL(fileURLWithPath: path).lastPathComponent)], [])
        }
        guard let names = FileManager.default.enumerator(atPath: path) else {
            throw InterchangeError(.permission, "permission", "the folder can't be read", path: path)
        }
        var sources: [File] = [], models: [File] = []
        while let name = names.nextObject() as? String {
            let last = name.split(separator: "/").last.map(String.init) ?? name
            let file = (path.hasSuffix("/") ? path + name : "\(path)/\(name)", name)
            let type = names.fileAttributes?[.type] as? FileAttributeType
            if last.hasPrefix(".") || Self.foreign.contains(last) {
                names.skipDescendants()
            } else if last.hasSuffix(".xcdatamodeld") || last.hasSuffix(".xcdatamodel"), type == .typeDirectory {
                models.append(file)
                names.skipDescendants()
            } else if last.hasSuffix(".swift"), type == .typeRegular {
                sources.append(file)
            }
        }
        return (sources.sorted { $0.name < $1.name }, models.sorted { $0.name < $1.name })
    }
}
