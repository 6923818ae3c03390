internal import ArchiveKit
internal import FileSystem
package import Foundation
package import Storage

extension DocumentSession {
    package func part(_ name: String, in folder: String) throws -> Data? {
        try DocumentError.stage(.reading, path) {
            let whole = "\(folder)/\(name)"
            // Changed files of an archive are in the working set.
            if let package, let data = try PartsWriter(package: package).read(name, in: folder) {
                try checkFile(whole, data.withUnsafeBytes { DocumentManifest.FileSum($0) })
                return data
            }
            guard let reader = place.archive?.reader, reader.directory[whole] != nil else { return nil }
            if let package, try RemovedParts(inWorkingSet: package).contains()(whole) { return nil }
            return try Data(reader.read(whole, limit: .max))
        }
    }

    package func stage(_ parts: CapturedParts) throws -> StagedParts {
        try DocumentError.stage(.writing, path) {
            if let package { return try partsWriter(package).stage(parts) }
            if parts.extra.isEmpty { return StagedParts() }
            throw DocumentError(
                .unsupported, "a store by itself has no place for files of the application", path: path,
                hint: "save it as a package")
        }
    }

    private func partsWriter(_ package: String) -> PartsWriter {
        PartsWriter(package: package, isWorkingSet: place.archive != nil && workingSet != nil)
    }

    /// Moves staged files into place after the commit, which is valid even if this fails.
    /// - Returns: The error, if there is one.
    package func place(_ staged: StagedParts) -> (any Error)? {
        unplacedParts = nil
        guard let package, !staged.files.isEmpty else { return nil }
        do {
            try DocumentError.stage(.describing, path) {
                try footprint.place(staged) { try partsWriter(package).place(staged) }
            }
        } catch {
            unplacedParts = error
        }
        return unplacedParts
    }

    /// Adds title and keywords to a commit. The metadata of the store are authoritative for them.
    package func describe(_ parts: CapturedParts, in changes: inout ChangeSet) {
        changes.metadata.merge(parts.metadata) { $1 }
        guard let description = parts.description, manifest != nil else { return }
        if manifest?.title != description.title {
            changes.metadata["FolioTitle"] = .some(description.title.map { .string($0) })
        }
        if manifest?.keywords != description.keywords {
            changes.metadata["FolioKeywords"] = .some(description.keywords.map { .array($0.map { .string($0) }) })
        }
    }

    /// Records title and keywords for the manifest after they were committed.
    package func noteDescription(_ parts: CapturedParts) {
        guard let description = parts.description else { return }
        manifest?.title = description.title
        manifest?.keywords = description.keywords
    }

    /// Checks that a file of the package is the one that the last save wrote, if that is recorded.
    /// - Throws: `DocumentError`: `malformed` if the file was altered, `changed` if another program
    ///   has saved meanwhile.
    func checkFile(_ name: String, _ found: @autoclosure () throws -> DocumentManifest.FileSum) throws {
        guard kind == .package, workingSet == nil, let manifest, let marker, manifest.generation == marker.generation,
            let recorded = manifest.files?[name], try found() != recorded
        else { return }
        guard try place.marker() == marker, try place.manifest() == manifest else {
            throw DocumentError(.changed, "the document was saved by another program while it was read", path: path)
        }
        throw DocumentError(.malformed, "“\(name)” \(FileSums.alteredMessage)", path: FilePath.join(path, name))
    }
}
