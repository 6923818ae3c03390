package import DocumentFiles
package import Foundation

/// Converts packages to archives and archives to packages, file by file, without opening their
/// stores.
package enum DocumentPacking {
    /// Packs a package. With `isDryRun`, everything is read and checked, and nothing is written.
    package static func pack(
        _ package: URL, to archive: URL, withVersions: Bool, replacing: Bool, isDryRun: Bool,
        progress: (@Sendable (Int64, Int64) -> Void)?
    ) throws -> PackingReport {
        let (document, target) = try ends(package, archive, replacing)
        guard document.kind == .package else {
            throw DocumentError(
                .usage, "only a package is packed, and this is none", path: document.path,
                hint: "save it as an archive instead")
        }
        if isDryRun { try target.check() }
        var report = try PackagePacker(source: document.path, includesVersions: withVersions).pack(
            to: isDryRun ? nil : target
        ) { done, total in
            try Task.checkCancellation()
            progress?(done, total)
        }
        report.path = target.path
        return report
    }

    /// Unpacks an archive. With `isDryRun`, everything is read and checked, and nothing is written.
    package static func unpack(
        _ archive: URL, to package: URL, replacing: Bool, isDryRun: Bool, progress: (@Sendable (Int64, Int64) -> Void)?
    ) throws -> PackingReport {
        let (document, target) = try ends(archive, package, replacing)
        guard document.kind == .archive else {
            throw DocumentError(
                .usage, "only an archive is unpacked, and this is none", path: document.path,
                hint: "save it as a package instead")
        }
        if isDryRun { try target.check() }
        var report = try ArchiveUnpacker(source: document.path).unpack(to: isDryRun ? nil : target) { done, total in
            try Task.checkCancellation()
            progress?(done, total)
        }
        report.path = target.path
        return report
    }

    private static func ends(_ source: URL, _ target: URL, _ replacing: Bool) throws -> (
        DetectedDocument, DocumentTarget
    ) {
        let document = try DetectedDocument(source.path)
        let target = LinkResolution.resolve(target.path)
        guard target != document.path, !target.hasPrefix(document.path + "/"), !document.path.hasPrefix(target + "/")
        else {
            throw DocumentError(.usage, "the new document would lie in the old one, or in its place", path: target)
        }
        return (document, DocumentTarget(path: target, replaces: replacing))
    }
}
