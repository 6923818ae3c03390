import ArchiveKit
import FileSystem
import Foundation
import Schema
import Storage

/// One walk through a document.
struct DocumentCheck {
    let isThorough: Bool
    /// Whether the document carries its model: one that does not fit is damage then, else a mistake
    /// of the caller's.
    let hasOwnModel: Bool
    private let model: ModelChoice
    /// Why the model that was chosen can't be read: no finding, but the end of the check.
    private(set) var modelFailure: (any Error)?
    private var findings: [DocumentFinding] = []
    /// What has kept a part from being looked at and says nothing of its content: a finding only
    /// beside others.
    private var obstacle: (any Error)?
    private var obstacleCount = 0
    /// The parts that were found to be links or files with another name.
    var foreignParts: Set<String> = []
    /// More of one kind say nothing new.
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

    /// - Throws: what has kept parts from being looked at, where all others are sound.
    func result() throws -> [DocumentFinding] {
        // What was found in a document that changed under the eye may be a mixture of two states.
        if let obstacle, findings.count == obstacleCount || DocumentError.tellsOfChange(obstacle) { throw obstacle }
        return findings
    }

    mutating func report(_ part: String, _ message: String, object: String? = nil) {
        if findings.count < Self.maximumFindings { findings.append(DocumentFinding(part, message, object: object)) }
    }

    /// Runs one check; what it throws is a finding, and the others go on.
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
