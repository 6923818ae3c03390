public import Foundation

extension FileManager {
    /// Copies a file, a link as such, or a folder with all that is in it.
    ///
    /// `copyItem` gives the copy the group of the original too, which fails where whoever runs the
    /// tests is not in that group.
    public func copyContents(of source: URL, to copy: URL) throws {
        let attributes = try attributesOfItem(atPath: source.path)
        switch attributes[.type] as? FileAttributeType {
        case .typeSymbolicLink?:
            try createSymbolicLink(
                atPath: copy.path, withDestinationPath: destinationOfSymbolicLink(atPath: source.path))
        case .typeDirectory?:
            try createDirectory(at: copy, withIntermediateDirectories: false)
            for name in try contentsOfDirectory(atPath: source.path) {
                try copyContents(of: source.appendingPathComponent(name), to: copy.appendingPathComponent(name))
            }
        default:
            // What is read-only in the original is to be edited in the copy.
            try Data(contentsOf: source).write(to: copy, options: .withoutOverwriting)
        }
    }
}
