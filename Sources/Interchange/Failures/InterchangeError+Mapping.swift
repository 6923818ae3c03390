package import Coding
import Folio
import Foundation

/// Maps the errors of all modules to exit codes and messages.
extension InterchangeError {
    package init(mapping error: any Error) {
        switch error {
        case let error as InterchangeError: self = error
        case let error as QueryError: self.init(error)
        case let error as ModelError: self.init(error)
        case let error as StorageError: self.init(error)
        // What was canceled in the midst of a stage.
        case let error as DocumentError where (error.underlying as? StorageError)?.code == .cancelled:
            self.init(.interrupted, "interrupted", error.message, path: error.path)
        case let error as DocumentError: self.init(error)
        case let error as ValidationError: self.init(error)
        case let error as GraphError: self.init(error)
        case let error as MigrationError: self.init(error)
        case let error as CocoaError: self.init(error)
        case is CancellationError: self.init(.interrupted, "interrupted", "interrupted")
        default:
            // What a file system, an archive or a database says beneath all of these.
            if let error = DocumentError.translated(error, .reading, nil) as? DocumentError {
                self.init(error)
                return
            }
            self.init(.software, "unexpected", "unexpected error: \(error)", hint: "this is a mistake in folio")
        }
    }

    private init(_ error: QueryError) {
        var detail: [String: JSONValue] = [:]
        detail["offset"] = error.offset.map { .int($0) }
        detail["expected"] = error.expected.map { .string($0) }
        detail["text"] = error.text.map { .string($0) }
        detail["entity"] = error.entity.map { .string($0) }
        detail["key"] = error.key.map { .string($0) }
        let codes: [QueryError.Code: String] = [
            .syntax: "predicateSyntax", .unknownKey: "unknownKey", .type: "wrongType", .unsupported: "unsupported",
            .unboundVariable: "unboundVariable",
            .argument: "argument", .limit: "limit",
        ]
        self.init(
            .usage, codes[error.code] ?? "predicate", error.message, hint: Suggestion.sentence(error.suggestions),
            detail: .object(detail))
        // A hint for a habit from SQL is more useful than similar names.
        if let habit = SQLHabits.hint(for: error) { hint = habit }
        if error.code == .unknownKey, error.key?.contains("(") == true {
            hint = "an expression is sorted by its name in --columns: --columns '… AS u' --sort u"
        }
        if hint == nil, error.code == .syntax, error.offset != nil { hint = "folio help predicates tells the language" }
        // The hint replaces the question in the message.
        if hint != nil, let question = message.range(of: "; did you mean") {
            message = String(message[..<question.lowerBound])
        }
        if let offset = error.offset { message = "column \(offset + 1): \(message)" }
        // Each character is escaped into a single one, so that the lines of the excerpt stay
        // aligned.
        excerpt = error.markedText?.split(separator: "\n").map { Printable.line(String($0)) } ?? []
    }

    private init(_ error: ModelError) {
        let faults = error.faults.map(\.description)
        let message = error.message + (faults.isEmpty ? "" : ": " + faults.joined(separator: "; "))
        let detail = JSONValue.object(
            faults.isEmpty
                ? [:]
                : [
                    "faults": .array(
                        error.faults.map { fault in
                            var value: [String: JSONValue] = ["message": .string(fault.message)]
                            value["entity"] = fault.entity.map { .string($0) }
                            value["property"] = fault.property.map { .string($0) }
                            return .object(value)
                        })
                ])
        switch error.code {
        case .notFound: self.init(.notFound, "modelNotFound", message, path: error.path, detail: detail)
        case .mergeConflict: self.init(.modelMismatch, "mergeConflict", message, path: error.path, detail: detail)
        case .permission: self.init(.permission, "permission", message, path: error.path, detail: detail)
        case .inputOutput: self.init(.inputOutput, "inputOutput", message, path: error.path, detail: detail)
        default:
            self.init(
                .malformed, error.code == .invalid ? "invalidModel" : "unreadableModel", message, path: error.path,
                detail: detail)
        }
    }

    /// A store without unused primary keys can't take new objects, however much disk space there
    /// is.
    private static let noNumbers = (ExitCode.unavailable, "noNumbers")
    package static let modelHint = "give its model with --model MODEL"

    private init(_ error: StorageError) {
        let (exit, code): (ExitCode, String) =
            switch error.code {
            case .notFound: (.notFound, "notFound")
            case .notAStore: (.malformed, "notAStore")
            case .damaged: (.malformed, "damaged")
            case .incompatibleModel: (.modelMismatch, "modelMismatch")
            case .noModel: (.modelMismatch, "noModel")
            case .readOnly: (.permission, "readOnly")
            case .permission: (.permission, "permission")
            case .busy: (.tryLater, "busy")
            case .full: (.inputOutput, "full")
            case .inputOutput: (.inputOutput, "inputOutput")
            case .conflict: (.tryLater, "conflict")
            case .constraint: (.malformed, "constraint")
            case .unstorable: (.malformed, "validation")
            case .unknownObject: (.notFound, "unknownObject")
            case .unsupported: (.unavailable, "unsupported")
            case .newer: (.newer, "newer")
            case .cannotCreate: (.cannotCreate, "cannotCreate")
            case .unmigratable: (.modelMismatch, "unmigratable")
            case .invalidObjects: (.malformed, "validation")
            case .cancelled: (.interrupted, "interrupted")
            case .tooLarge: (.unavailable, "tooLarge")
            default: (.inputOutput, "storage")
            }
        self.init(
            exit, code, error.message, path: error.path, detail: Self.detail(entities: error.entities, keys: error.keys)
        )
        if error.isOfNumbers { (self.exit, self.code) = Self.noNumbers }
        if error.code == .noModel { hint = Self.modelHint }
        if error.code == .incompatibleModel, !error.entities.isEmpty {
            message +=
                ": " + error.entities.sorted().joined(separator: ", ")
                + (error.entities.count == 1 ? " differs" : " differ")
        }
    }

    private init(_ error: MigrationError) {
        let (exit, code): (ExitCode, String) =
            switch error.code {
            // Policies are classes of an application, which the command does not have.
            case .policy: (.unavailable, "policy")
            case .lossy: (.modelMismatch, "loss")
            case .cancelled: (.interrupted, "interrupted")
            default: (.modelMismatch, "migration")
            }
        let losses = error.refusedChain?.losses ?? error.losses
        // The remedies are for the author of the model; whoever migrates can't follow them.
        let reasons = error.obstacles.map { "\($0.place) \($0.reason)" }
        var bare = error
        bare.obstacles = []
        self.init(
            exit, code, bare.description,
            hint: error.code == .lossy ? "say --allow-loss to leave them out, or see all of it with --dry-run" : nil,
            excerpt: reasons.map(Printable.line),
            detail: .object([
                "coreDataCode": .int(error.code.coreDataNumber), "reasons": .strings(reasons),
                "wouldLose": .strings(losses),
            ]))
    }

    private init(_ error: DocumentError) {
        let (exit, code): (ExitCode, String) =
            switch error.code {
            case .usage where (error.underlying as? StorageError)?.code == .readOnly: (.permission, "readOnly")
            case .usage: (.usage, "usage")
            case .malformed: (.malformed, "malformed")
            case .notFound: (.notFound, "notFound")
            case .unsupported: (.unavailable, "unsupported")
            case .cannotCreate: (.cannotCreate, "cannotCreate")
            case .locked: (.tryLater, "locked")
            case .changed: (.tryLater, "changed")
            case .recoverable: (.tryLater, "recoverable")
            case .newer: (.newer, "newer")
            case .permission: (.permission, "permission")
            case .modelMismatch: (.modelMismatch, "modelMismatch")
            case .unsavedChanges: (.usage, "unsavedChanges")
            default: (.inputOutput, "inputOutput")
            }
        var detail: [String: JSONValue] = [:]
        if !error.entities.isEmpty { detail["entities"] = .strings(error.entities.sorted()) }
        detail["stage"] = error.stage.map { .string($0.rawValue) }
        detail["holder"] = error.holder.map { $0.json }
        let stored = error.underlying as? StorageError
        // An error of a model given with `--model` is not an error of the document.
        if let model = error.underlying as? ModelError, let path = model.path, let document = error.path,
            !ResolvedPath(path).lies(in: ResolvedPath(document))
        {
            self.init(model)
            return
        }
        self.init(exit, code, error.message, path: error.path, hint: error.hint, detail: .object(detail))
        if error.code == .locked { hint = "try again later; commands that read work meanwhile" }
        if stored?.isOfNumbers == true { (self.exit, self.code) = Self.noNumbers }
        if stored?.code == .noModel { hint = Self.modelHint }
        if let holder = error.holder, !message.contains("\(holder.pid)") { message += ": \(holder)" }
    }

    private init(_ error: ValidationError) {
        let failures = error.failures.map { failure in
            var value: [String: JSONValue] = ["code": .int(failure.code.rawValue), "message": .string(failure.message)]
            value["object"] = failure.object.flatMap { $0.isTemporaryID ? nil : .string($0.description) }
            value["entity"] = failure.entity.map { .string($0) }
            value["key"] = failure.key.map { .string($0) }
            value["value"] = failure.value.flatMap { ValueText.plain($0) }.map { .string($0) }
            return JSONValue.object(value)
        }
        let count = failures.count == 1 ? "a rule is violated" : "\(failures.count) rules are violated"
        self.init(
            .malformed, "validation", count + ": " + Self.summary(error.failures),
            detail: .object(["failures": .array(failures)]))
    }

    /// Each violated rule once, with the names of the violating objects, or their number if they
    /// have none.
    private static func summary(_ failures: [ValidationError.Failure]) -> String {
        var messages: [String] = []
        var objects: [String: [ManagedObjectID?]] = [:]
        for failure in failures {
            if objects[failure.message] == nil { messages.append(failure.message) }
            objects[failure.message, default: []].append(failure.object)
        }
        return messages.map { message in
            let ids = objects[message] ?? []
            let names = ids.compactMap { $0 }.filter { !$0.isTemporaryID }.map { "\($0.entity.name)/p\($0.key)" }
            if names.isEmpty { return ids.count > 1 ? "\(message) (\(ids.count) objects)" : message }
            let shown = names.prefix(3).joined(separator: ", ")
            return names.count > 3 ? "\(message) (\(shown) and \(names.count - 3) more)" : "\(message) (\(shown))"
        }.joined(separator: "; ")
    }

    private init(_ error: GraphError) {
        let (exit, code): (ExitCode, String) =
            switch error.code {
            case .unknownEntity: (.usage, "unknownEntity")
            case .unknownKey: (.usage, "unknownKey")
            case .wrongType: (.usage, "wrongType")
            case .abstractEntity: (.usage, "abstractEntity")
            case .objectNotFound: (.notFound, "unknownObject")
            case .conflict: (.tryLater, "conflict")
            case .constraint: (.malformed, "constraint")
            default: (.inputOutput, "objectGraph")
            }
        var detail: [String: JSONValue] = [:]
        detail["entity"] = error.entity.map { .string($0) }
        detail["key"] = error.key.map { .string($0) }
        if !error.keys.isEmpty { detail["keys"] = .strings(error.keys) }
        let objects = (error.conflicts.map(\.objectID) + error.objects).filter { !$0.isTemporaryID }
        if !objects.isEmpty { detail["objects"] = .strings(objects.map(\.description)) }
        self.init(exit, code, error.message, detail: .object(detail))
    }

    package static func detail(entities: [String], keys: [String] = []) -> JSONValue {
        var detail: [String: JSONValue] = [:]
        if !entities.isEmpty { detail["entities"] = .strings(entities.sorted()) }
        if !keys.isEmpty { detail["keys"] = .strings(keys) }
        return .object(detail)
    }

    private init(_ error: CocoaError) {
        let path = error.filePath
        let underlying = (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code
        switch error.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: self = .notFound("there is no such file", path: path)
        case .fileReadNoPermission, .fileWriteNoPermission:
            self.init(.permission, "permission", "permission denied", path: path)
        case .fileWriteOutOfSpace: self.init(.inputOutput, "full", "no space left", path: path)
        default:
            if underlying == .EISDIR {
                self = .usage("\(path ?? "the path") is a folder, not a file")
            } else {
                self.init(.inputOutput, "inputOutput", error.localizedDescription, path: path)
            }
        }
    }
}

extension StorageError {
    /// Whether the store, and not the disk, is full: there are no primary keys left.
    fileprivate var isOfNumbers: Bool { code == .full && underlying == nil }
}

extension LockHolder {
    package var json: JSONValue {
        var value: [String: JSONValue] = [
            "pid": .int(pid), "host": .string(host), "user": .string(user), "program": .string(program),
            "since": .string(ValueText.date(since)),
        ]
        value["document"] = document.map { .string($0) }
        return .object(value)
    }
}
