internal import FileSystem
public import Foundation
public import Schema
internal import Storage

/// Verifies the integrity of documents.
///
///     for finding in try DocumentVerifier.verify(url) { print(finding) }
public enum DocumentVerifier {
    /// Verifies a document part by part, reading all of it. Nothing is written to it or beside it.
    ///
    /// - Parameters:
    ///   - isThorough: Whether indexes, digests of attachments and counts are verified, too.
    ///   - model: The model of a store that contains none.
    /// - Returns: The errors; empty for an intact document.
    /// - Throws: `DocumentError` if there is no document, or if it can't be verified: for lack of
    ///   permission to read a part, of space for a copy, or of the model of a store that contains
    ///   none.
    public static func verify(_ url: URL, isThorough: Bool = false, model: ManagedObjectModel? = nil) throws
        -> [DocumentFinding]
    {
        try verify(url, isThorough: isThorough, fitting: ModelChoice(model)).findings
    }

    /// As ``verify(_:isThorough:model:)``, with what could not be checked.
    ///
    ///     let result = try DocumentVerifier.verification(of: url, isThorough: true)
    ///     if result.findings.isEmpty, !result.unchecked.isEmpty { print("no damage found in the rest") }
    ///
    /// - Throws: As ``verify(_:isThorough:model:)``.
    public static func verification(of url: URL, isThorough: Bool = false, model: ManagedObjectModel? = nil) throws
        -> DocumentVerification
    {
        try verify(url, isThorough: isThorough, fitting: ModelChoice(model))
    }

    /// The files in a document that were quarantined and are never used. They are not damage. See
    /// ``PersistentDocument/quarantinedFiles()``.
    public static func quarantinedFiles(of url: URL) throws -> [URL] {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package else { return [] }
        return try DocumentError.stage(.reading, document.path) {
            try Quarantine.contents(ofPackage: document.path).map { URL(fileURLWithPath: $0) }
        }
    }

    /// The folders in the user's state folder with work that was autosaved on top of another state
    /// of an archive, and never saved: another program has replaced the archive since, or it was
    /// renamed and something else took its name. They are never used and never removed
    /// automatically. Put that state back to go on with the work. Empty for other forms.
    ///
    /// - Throws: `DocumentError` if the document can't be read.
    public static func workOnOtherStates(of url: URL) throws -> [URL] {
        let document = try DetectedDocument(url.path)
        guard document.kind == .archive else { return [] }
        return try DocumentError.stage(.reading, document.path) {
            let archive = try ArchiveFile(document.path)
            return try WorkingSet.stranded(at: document.path, archive.state(), uuid: archive.manifest().uuid).map {
                URL(fileURLWithPath: $0)
            }
        }
    }

    /// Whether another program has committed to the store of a package since the last save, by the
    /// change counter in its header. That is not damage, and the next save includes the changes.
    /// Changes of the file that do not update the header are not detected by this, and count as
    /// damage.
    public static func isChangedOutside(_ url: URL) throws -> Bool {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package else { return false }
        return try DocumentError.stage(.reading, document.path) {
            let session = try DocumentSession.read(document.path, model: .own)
            defer { try? session.close() }
            return try session.pageVerdict() == .changedOutside
        }
    }

    /// Whether the versions in a package lead up to another state than the one that the package is
    /// in: a program that knows nothing of versions, such as git, has put another store there. That
    /// is no damage; the next save starts a new list of versions.
    public static func hasVersionsOfAnotherState(_ url: URL) throws -> Bool {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package else { return false }
        return try DocumentError.stage(.reading, document.path) {
            let session = try DocumentSession.read(document.path, model: .own)
            defer { try? session.close() }
            return try session.versions.map { try !$0.leadUp(to: session.marker) } ?? false
        }
    }

    package static func verify(
        _ url: URL, isThorough: Bool, fitting model: ModelChoice
    ) throws -> DocumentVerification {
        try DocumentReading.repeating {
            let before = try PartStates(of: url)
            let result = try verifyOnce(url, isThorough: isThorough, fitting: model)
            // If the document changed meanwhile, the findings may be of two states, and not damage.
            let isSame = try result.findings.isEmpty || PartStates(of: url) == before
            guard isSame else {
                throw DocumentError(
                    .changed, "the document was changed by another program while it was looked at", path: url.path)
            }
            return result
        }
    }

    /// The identities, sizes and times of the files that writers change. A file that can't be
    /// inspected has no state here; the check reports the error.
    private struct PartStates: Equatable {
        private var identities: [FileIdentity?] = []

        init(of url: URL) throws {
            let document = try DetectedDocument(url.path)
            switch document.kind {
            case .package:
                for name in [
                    PackageLayout.manifest, PackageLayout.store, PackageLayout.store + "-wal", PackageLayout.content,
                    PackageLayout.versions,
                ] {
                    identities.append(Self.identity(FilePath.join(document.path, name)))
                }
            case .archive: identities = [Self.identity(document.path)]
            case .store, .managedDocument:
                let store = document.storePath ?? document.path
                identities = ["", "-wal", "-journal"].map { Self.identity(store + $0) }
            }
        }

        private static func identity(_ path: String) -> FileIdentity? { (try? Disk.identity(of: path)) ?? nil }
    }

    /// The temporary files of a process that was ended while writing, or that is writing now. They
    /// are not damage, and the next editor removes them.
    package static func unfinishedFiles(of url: URL) throws -> [URL] {
        let document = try DetectedDocument(url.path)
        guard document.kind == .package else { return [] }
        return try DocumentError.stage(.reading, document.path) {
            let reader = try PackageReader(document.path)
            return try [nil, PackageLayout.content, PackageLayout.versions].flatMap { part in
                try (part == nil || reader.kind(of: part ?? "") == .directory ? reader.entries(of: part) ?? [] : [])
                    .filter { Disk.isTemporary($0.name) && $0.kind == .file }
                    .map {
                        URL(
                            fileURLWithPath: FilePath.join(
                                part.map { FilePath.join(document.path, $0) } ?? document.path, $0.name))
                    }
            }
        }
    }

    private static func verifyOnce(
        _ url: URL, isThorough: Bool, fitting model: ModelChoice
    ) throws -> DocumentVerification {
        let document = try DetectedDocument(url.path)
        try document.refuseForeignDatabase()
        var check = DocumentCheck(
            isThorough: isThorough, hasOwnModel: [.package, .archive].contains(document.kind), model: model)
        switch document.kind {
        case .store where document.storeType != .sqlite: check.store(document.path, type: document.storeType)
        case .store, .managedDocument: check.store(document.path, document.storePath ?? document.path, package: nil)
        case .package: check.package(document.path)
        case .archive: try check.archive(document.path)
        }
        if let error = check.modelFailure { throw error }
        return DocumentVerification(
            findings: try DocumentError.stage(.reading, document.path) { try check.result() },
            unchecked: check.unchecked)
    }
}
