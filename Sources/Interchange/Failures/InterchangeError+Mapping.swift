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
        let kind = FailureTable.kind(of: error)
        self.init(
            kind.exit, kind.word, error.message, hint: Suggestion.sentence(error.suggestions),
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
        let kind = FailureTable.kind(of: error)
        self.init(kind.exit, kind.word, message, path: error.path, detail: detail)
    }

    package static let modelHint = FailureTable.modelHint

    private init(_ error: StorageError) {
        let kind = FailureTable.kind(of: error)
        self.init(
            kind.exit, kind.word, error.message, path: error.path, hint: kind.hint,
            detail: Self.detail(entities: error.entities, keys: error.keys)
        )
        if error.code == .incompatibleModel, !error.entities.isEmpty {
            message +=
                ": " + error.entities.sorted().joined(separator: ", ")
                + (error.entities.count == 1 ? " differs" : " differ")
        }
    }

    private init(_ error: MigrationError) {
        let kind = FailureTable.kind(of: error)
        let losses = error.refusedChain?.losses ?? error.losses
        // The remedies are for the author of the model; whoever migrates can't follow them.
        let reasons = error.obstacles.map { "\($0.place) \($0.reason)" }
        var bare = error
        bare.obstacles = []
        self.init(
            kind.exit, kind.word, bare.description, hint: kind.hint,
            excerpt: reasons.map(Printable.line),
            detail: .object([
                "coreDataCode": .int(error.code.coreDataNumber), "reasons": .strings(reasons),
                "wouldLose": .strings(losses),
            ]))
    }

    private init(_ error: DocumentError) {
        let kind = FailureTable.kind(of: error)
        var detail: [String: JSONValue] = [:]
        if !error.entities.isEmpty { detail["entities"] = .strings(error.entities.sorted()) }
        detail["stage"] = error.stage.map { .string($0.rawValue) }
        detail["holder"] = error.holder.map { $0.json }
        // An error of a model given with `--model` is not an error of the document.
        if let model = error.underlying as? ModelError, let path = model.path, let document = error.path,
            !ResolvedPath(path).lies(in: ResolvedPath(document))
        {
            self.init(model)
            return
        }
        self.init(
            kind.exit, kind.word, error.message, path: error.path, hint: kind.hint ?? error.hint,
            detail: .object(detail))
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
        let kind = FailureTable.kind(of: error)
        var detail: [String: JSONValue] = [:]
        detail["entity"] = error.entity.map { .string($0) }
        detail["key"] = error.key.map { .string($0) }
        if !error.keys.isEmpty { detail["keys"] = .strings(error.keys) }
        let objects = (error.conflicts.map(\.objectID) + error.objects).filter { !$0.isTemporaryID }
        if !objects.isEmpty { detail["objects"] = .strings(objects.map(\.description)) }
        self.init(kind.exit, kind.word, error.message, detail: .object(detail))
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
