import Foundation

/// The Swift files beneath a folder, or one Swift file.
struct SourceFolder {
    private static let foreign: Set = ["Carthage", "DerivedData", "Pods"]

    private let path: String

    init(_ path: String) { self.path = path }

    /// The files, sorted by their names, with their paths and their names relative to the folder.
    ///
    /// - Throws: 66 for a path that there is not, or a file that is no Swift file.
    func files() throws -> [(path: String, name: String)] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw InterchangeError.notFound("there is no such folder", path: path)
        }
        guard isFolder.boolValue else {
            guard path.hasSuffix(".swift") else {
                throw InterchangeError.notFound("is neither a folder nor a Swift file", path: path)
            }
            return [(path, URL(fileURLWithPath: path).lastPathComponent)]
        }
        guard let names = FileManager.default.enumerator(atPath: path) else {
            throw InterchangeError(.permission, "permission", "the folder can't be read", path: path)
        }
        var found: [(path: String, name: String)] = []
        while let name = names.nextObject() as? String {
            let last = name.split(separator: "/").last.map(String.init) ?? name
            if last.hasPrefix(".") || Self.foreign.contains(last) {
                names.skipDescendants()
            } else if last.hasSuffix(".swift"), names.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
                found.append((path.hasSuffix("/") ? path + name : "\(path)/\(name)", name))
            }
        }
        return found.sorted { $0.name < $1.name }
    }
}
