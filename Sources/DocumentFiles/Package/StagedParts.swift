internal import FileSystem

/// New files that were written under temporary names beside the files that they will replace.
package struct StagedParts {
    struct Part {
        /// The name of the temporary file; nil if the file will be removed.
        var temporary: String?
        /// The folder of both files, relative to the package.
        var folder: String
        var name: String
        /// The checksum of the new file; nil if the file will be removed.
        var sum: DocumentManifest.FileSum?
    }

    var package = ""
    var files: [Part] = []

    /// Removes the temporary files that were not moved into place.
    package func remove() {
        guard files.contains(where: { $0.temporary != nil }), let root = try? Directory(package) else { return }
        for file in files {
            if let temporary = file.temporary { _ = try? root.directory(file.folder).removeFile(temporary) }
        }
    }
}
