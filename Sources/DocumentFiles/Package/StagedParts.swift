internal import FileSystem

/// New files that stand beside those that they are to replace.
package struct StagedParts {
    struct Part {
        /// Nil where the file is to be taken away.
        var temporary: String?
        /// Where both are, beneath the package.
        var folder: String
        var name: String
        /// What the file is to have in it; nil where it is to be taken away.
        var sum: DocumentManifest.FileSum?
    }

    var package = ""
    var files: [Part] = []

    /// Takes away what was not put in place.
    package func remove() {
        guard files.contains(where: { $0.temporary != nil }), let root = try? Directory(package) else { return }
        for file in files {
            if let temporary = file.temporary { _ = try? root.directory(file.folder).removeFile(temporary) }
        }
    }
}
