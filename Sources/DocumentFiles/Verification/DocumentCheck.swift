import ArchiveKit
import FileSystem
import Foundation
import Schema
import Storage

/// One verification of a document.
struct DocumentCheck {
    let isThorough: Bool
    /// Whether the document contains its model. If so, a model that does not match is damage;
    /// otherwise it is a mistake of the caller.
    let hasOwnModel: Bool
    private let model: ModelChoice
    /// The error of reading the chosen model. It ends the check and is not a finding.
    private(set) var modelFailure: (any Error)?
    private var findings: [DocumentFinding] = []
    /// What was not checked, because the document has nothing to compare it with.
    private(set) var unchecked: [DocumentFinding] = []
    /// An error that prevented a part from being checked without being damage. It only counts as a
    /// finding if there are others.
    private var obstacle: (any Error)?
    private var obstacleCount = 0
    /// The parts that are symbolic links or have several hard links.
    var foreignParts: Set<String> = []
    /// The maximum number of findings; more of the same kind add no information.
    private static let maximumFindings = 1000

    init(isThorough: Bool, hasOwnModel: Bool, model: ModelChoice) {
        self.isThorough = isThorough
        self.hasOwnModel = hasOwnModel
        self.model = model
    }

    mutating func chosenModel(fitting hashes: [String: Data]) throws -> ManagedObjectModel? {
        do { return try model.model(fitting: hashes) } catch {
            modelFailure = modelFailure ?? error
            throw error
        }
    }

    /// - Throws: The error that prevented parts from being checked, if all others are intact.
    func result() throws -> [DocumentFinding] {
        // Findings in a document that changed meanwhile may be a mixture of two states.
        if let obstacle, findings.count == obstacleCount || DocumentError.tellsOfChange(obstacle) { throw obstacle }
        return findings
    }

    mutating func report(_ part: String, _ message: String, object: String? = nil) {
        if findings.count < Self.maximumFindings { findings.append(DocumentFinding(part, message, object: object)) }
    }

    /// Notes a part that can't be checked.
    mutating func skip(_ part: String, _ reason: String) {
        let finding = DocumentFinding(part, reason)
        if !unchecked.contains(finding) { unchecked.append(finding) }
    }

    /// Runs one check. An error becomes a finding, and the other checks continue.
    mutating func part<Result>(_ name: String, _ body: (inout DocumentCheck) throws -> Result) -> Result? {
        do {
            return try body(&self)
        } catch {
            report(error, as: name)
            return nil
        }
    }

    mutating func report(_ error: any Error, as name: String) {
        if isObstacle(error) {
            obstacle = obstacle ?? error
            obstacleCount += 1
        }
        switch error {
        case let error as DocumentError: report(name, error.message)
        case let error as StorageError: report(name, error.message)
        case let error as ArchiveError: report(error.entry ?? name, error.messageWithoutPath)
        case let error as FileSystemError: report(name, error.reason)
        default: report(name, "\(error)")
        }
    }

    private func isObstacle(_ error: any Error) -> Bool {
        switch error {
        case let error where DocumentError.tellsOfChange(error): true
        case let error as FileSystemError: [.permissionDenied, .noSpace, .tooManyOpenFiles].contains(error.code)
        case let error as StorageError:
            [.permission, .full].contains(error.code)
                || !hasOwnModel && [.noModel, .incompatibleModel].contains(error.code)
        case let error as DocumentError: error.code == .permission || error.underlying.map(isObstacle) ?? false
        default: false
        }
    }
}
