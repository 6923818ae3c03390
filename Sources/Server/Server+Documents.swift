import Coding
import DocumentFiles
import Folio
import Foundation
import Interchange

/// Opening, saving and closing.
extension Server {
    private static let forms: KeyValuePairs<String, DocumentForm> = [
        "package": .package, "archive": .archive, "sqlite": .store, "binary": .binaryStore, "xml": .xmlStore,
    ]

    /// The document that the parameter path names.
    func url(_ parameters: Parameters) throws -> URL {
        let path = try parameters.path("path")
        guard !path.isEmpty else { throw RPCError(.invalidParams, "the parameter path is empty") }
        try DocumentArgument.refuseURL(path)
        return URL(fileURLWithPath: path)
    }

    func new(_ parameters: Parameters) async throws -> JSONValue {
        let url = try url(parameters), replaces = try parameters.bool("replace")
        let form =
            try parameters.choice("form", Self.forms) ?? DocumentForm(extensionOf: url.path) ?? .package
        let loaded = try await ModelArgument.load(parameters.path("model"))
        let document = try await PersistentDocument.create(
            at: url, model: loaded.model, form: form, modelName: loaded.nameInDocuments, replacing: replaces)
        return add(document, .explicit).info
    }

    func open(_ parameters: Parameters) async throws -> JSONValue {
        do { return try await opened(parameters).info } catch let error as DocumentError
            where error.code == .recoverable
        {
            let path = try url(parameters).path
            notify("document/recoverable", ["path": .string(path), "error": RPCError(mapping: error).json])
            throw error
        }
    }

    /// Opens a document for the client.
    func opened(_ parameters: Parameters) async throws -> ServedDocument {
        let url = try url(parameters), model = try parameters.optionalPath("model")
        let mode = try parameters.choice("mode", ["edit": PersistentDocument.Mode.editing, "read": .reading])
        let recovery = try parameters.choice(
            "recovery", ["refuse": PersistentDocument.Recovery.refuse, "keep": .keep, "discard": .discard])
        let policy = try parameters.choice(
            "policy", ["explicit": SavingPolicy.explicit, "saveless": .saveless, "off": .off])
        let migration = try parameters.choice(
            "migration", ["refuse": MigrationPolicy.refuse, "automatic": .automatic, "readingCopy": .readingCopy])
        let document: PersistentDocument
        if let version = try parameters.optionalInt("version") {
            guard mode != .editing, recovery == nil, migration == nil else {
                throw RPCError(
                    .invalidParams, "a version is opened for reading, without the parameters recovery and migration")
            }
            document = try await DocumentOpening.open(
                url, mode: .reading, state: .version(version), fitting: FittingModel.choice(model))
        } else if let migration {
            guard let model else { throw RPCError(.invalidParams, "a migration needs the parameter model") }
            document = try await PersistentDocument.open(
                url, by: ModelArgument.route(to: model), migration: migration, mode: mode ?? .editing,
                recovery: recovery ?? .refuse)
        } else {
            document = try await DocumentOpening.open(
                url, mode: mode ?? .editing, recovery: recovery ?? .refuse, fitting: FittingModel.choice(model))
        }
        return add(document, policy ?? .explicit)
    }

    func recover(_ parameters: Parameters) async throws -> JSONValue {
        let action = try parameters.choice("action", ["keep": "keep", "discard": "discard"])
        guard let action else { throw RPCError(.invalidParams, "the parameter action is missing") }
        return try await open(
            Parameters(["path": .string(parameters.string("path")), "recovery": .string(action)]))
    }

    func close(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters)
        let work = try parameters.choice(
            "unsaved", ["save": PersistentDocument.UnsavedWork.save, "keep": .keep, "discard": .discard])
        do {
            if let work { try await served.document.close(work) } else { try await served.document.close() }
        } catch {
            if !served.document.isOpen { remove(served) }
            throw error
        }
        remove(served)
        return .null
    }

    func info(_ parameters: Parameters) throws -> JSONValue { try served(parameters).info }

    func save(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters)
        try await reporting(parameters, "save") { try await served.document.save() }
        return served.info
    }

    func saveAs(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters), url = try url(parameters), replaces = try parameters.bool("replace")
        let form = try parameters.choice("form", Self.forms) ?? DocumentForm(extensionOf: url.path)
        try await reporting(parameters, "saveAs") {
            try await served.document.save(as: url, form: form, replacing: replaces)
        }
        return served.info
    }

    /// Runs work whose progress the client follows if it gave a token.
    private func reporting(_ parameters: Parameters, _ title: String, _ body: () async throws -> Void) async throws {
        guard let token = parameters.json("progressToken") else { return try await body() }
        func report(_ value: [String: JSONValue]) {
            notify("$/progress", ["token": token, "value": .object(value)])
        }
        report(["kind": .string("begin"), "title": .string(title)])
        let meter = WorkMeter()
        let reports = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(200))
                // The operation may have ended while this task waited for its turn.
                try Task.checkCancellation()
                guard !isBlocked else { continue }
                report(["kind": .string("report"), "percentage": .int(Int(meter.fraction * 100))])
            }
        }
        defer {
            reports.cancel()
            report(["kind": .string("end")])
        }
        try await WorkProgress.with(meter) { try await body() }
    }

    func autosave(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters)
        try await served.document.autosave()
        return served.info
    }

    func revert(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters)
        try await served.document.revert()
        return served.info
    }

    // MARK: Versions

    func versions(_ parameters: Parameters) throws -> JSONValue {
        let document = try served(parameters).document
        return .array(
            try document.versions().map { version in
                .object([
                    "version": .int(version.generation), "saved": .string(ValueText.moment(version.saved)),
                    "reason": .string(version.reason.description), "size": .int(version.size),
                    "bytes": .int(version.bytes), "pinned": .bool(version.isPinned),
                    "name": version.name.map { .string($0) } ?? .null,
                ])
            })
    }

    func restore(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters), number = try parameters.int("version")
        guard let version = try served.document.versions().last(where: { $0.generation == number }) else {
            throw InterchangeError.notFound("there is no version \(number)", path: served.document.url.path)
        }
        try await served.document.revert(to: version)
        return served.info
    }

    // MARK: Other programs

    func resolve(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters)
        let path = try parameters.optionalPath("path").map { URL(fileURLWithPath: $0) }
        let resolution = try parameters.choice(
            "resolution",
            [
                "copy": ConflictResolution.keepMineAsCopy(at: path), "theirs": .takeTheirs, "merge": .merge(.error),
                "mergeMine": .merge(.mergeByPropertyObjectTrump), "mergeTheirs": .merge(.mergeByPropertyStoreTrump),
            ])
        guard let resolution else { throw RPCError(.invalidParams, "the parameter resolution is missing") }
        // What another program did may not have been noticed yet.
        await served.document.checkForOutsideChanges()
        return try await served.document.resolveConflict(resolution).json
    }

    func diff(_ parameters: Parameters) async throws -> JSONValue {
        let report = try await DocumentDifference.json(
            from: parameters.path("old"), to: parameters.path("new")
        ).report
        return try JSONReader.value(of: report)
    }
}
