import Coding
import Folio
import Foundation
package import Interchange

/// Answers the requests of one client, one after the other, and tells it of changes.
///
/// Documents belong to the actor: they are saved in the background, and everything else happens
/// here.
package actor Server {
    private enum Phase {
        case beforeInitialize, working, shutDown
    }

    private let transport: any MessageTransport
    private let requests = RequestQueue()
    /// What is opened in the beginning.
    private let first: (path: String, model: String?)?
    private var phase = Phase.beforeInitialize
    /// Whether the client has said exit.
    private var isEnd = false
    private(set) var documents: [String: ServedDocument] = [:]
    var watches: [String: Watch] = [:]
    private var lastNumber = 0
    /// What could not be kept when the input ended.
    package private(set) var unkeptWork: [String] = []

    /// The version of the methods and their results.
    static let protocolVersion = 1

    /// - Parameters:
    ///   - transport: Carries the messages of the client.
    ///   - path: The document that is opened by the first request; nil for none.
    ///   - model: Its model, as `--model` names it.
    package init(_ transport: any MessageTransport, opening path: String? = nil, model: String? = nil) {
        self.transport = transport
        first = path.map { ($0, model) }
    }

    /// A name that was not used before.
    func newName(_ prefix: String) -> String {
        lastNumber += 1
        return "\(prefix)\(lastNumber)"
    }

    // MARK: The loop

    /// Answers until the client says exit, its messages end, or the task is cancelled. The
    /// documents are to be closed then.
    package func run() async -> ExitCode {
        transport.start { Task { await self.tellChanges() } }
        transport.receive { [requests] in requests.take($0) }
        for await item in requests.items {
            switch item {
            case .failure(let error): transport.send(Self.response(.null, error: error))
            case .message(.array(let messages)) where !messages.isEmpty:
                var responses: [JSONValue] = []
                for message in messages {
                    if let response = await answer(message) { responses.append(response) }
                    if isEnd { break }
                }
                if !responses.isEmpty { transport.send(.array(responses)) }
            case .message(let message): if let response = await answer(message) { transport.send(response) }
            }
            // As editors expect it of language servers.
            if isEnd { return phase == .shutDown ? .done : .no }
            tellChanges()
        }
        return .done
    }

    /// Handles a message.
    /// - Returns: The response; nil for a message that has none.
    private func answer(_ message: JSONValue) async -> JSONValue? {
        guard case .object(let members) = message else {
            return Self.response(.null, error: RPCError(.invalidRequest, "a message is an object"))
        }
        let id = members["id"]
        guard members["jsonrpc"] == .string("2.0"), let method = members["method"]?.string, Self.isID(id) else {
            // A response without a matching request: ignore it.
            if members["method"] == nil, members["result"] != nil || members["error"] != nil { return nil }
            return Self.response(
                Self.isID(id) ? id ?? .null : .null,
                error: RPCError(.invalidRequest, "this is no request of JSON-RPC 2.0"))
        }
        guard let id else {
            isEnd = method == "exit"
            return nil
        }
        return await answer(id, method, members["params"])
    }

    private static func isID(_ id: JSONValue?) -> Bool {
        switch id {
        case nil, .string, .number, .null: true
        default: false
        }
    }

    private func answer(_ id: JSONValue, _ method: String, _ parameters: JSONValue?) async -> JSONValue {
        let task = Task {
            try Task.checkCancellation()
            return try await self.result(of: method, parameters)
        }
        requests.begin(id, task)
        let result = await task.result
        requests.end()
        switch result {
        case .success(let value): return .object(["jsonrpc": .string("2.0"), "id": id, "result": value])
        case .failure(let error): return Self.response(id, error: RPCError(mapping: error))
        }
    }

    private static func response(_ id: JSONValue, error: RPCError) -> JSONValue {
        .object(["jsonrpc": .string("2.0"), "id": id, "error": error.json])
    }

    func notify(_ method: String, _ parameters: [String: JSONValue]) {
        transport.send(
            .object(["jsonrpc": .string("2.0"), "method": .string(method), "params": .object(parameters)]))
    }

    var isBlocked: Bool { transport.isBlocked }

    // MARK: Lifecycle

    private func result(of method: String, _ parameters: JSONValue?) async throws -> JSONValue {
        switch (method, phase) {
        // What there was to cancel is cancelled.
        case (RequestQueue.cancelMethod, _): return .null
        case ("initialize", .beforeInitialize): return try await initialize()
        case ("initialize", _): throw RPCError(.invalidRequest, "the server is initialized already")
        case (_, .beforeInitialize): throw RPCError(.notInitialized, "the first request is initialize")
        case (_, .shutDown): throw RPCError(.invalidRequest, "the server is shut down")
        case ("shutdown", .working): return try await shutDown()
        case (_, .working): break
        }
        guard let known = ServerMethod.byName[method] else {
            let hint = Suggestion.sentence(for: method, among: ServerMethod.all.map(\.name))
            throw RPCError(.methodNotFound, "there is no method \(method)" + (hint.map { "; \($0)" } ?? ""))
        }
        return try await known.body(self, Parameters(parameters, allowed: known.parameters))
    }

    private func initialize() async throws -> JSONValue {
        var result: [String: JSONValue] = [
            "serverInfo": .object(["name": .string("folio"), "version": .string(Release.version)]),
            "protocolVersion": .int(Self.protocolVersion),
            "capabilities": .object([
                "methods": .strings(ServerMethod.all.map(\.name)),
                "notifications": .strings([
                    "document/changed", "document/recoverable", "document/conflict", "document/outside",
                    "document/autosaveFailed", "result/changed", "$/progress",
                ]),
            ]),
        ]
        // What is wrong with the document is for the client to treat, with the other methods.
        phase = .working
        if let first {
            let model = first.model.map { JSONValue.string($0) } ?? .null
            do {
                let document = try await opened(Parameters(["path": .string(first.path), "model": model]))
                result["opened"] = document.info
            } catch {
                result["openError"] = RPCError(mapping: error).json
            }
        }
        return .object(result)
    }

    /// Closes all documents as their policies say, or keeps their work. Tells which could not be
    /// treated so, and fails if the work of some can't be kept: these stay open.
    private func shutDown() async throws -> JSONValue {
        var problems: [JSONValue] = [], failure: (any Error)?
        for served in documents.values.sorted(by: { $0.name < $1.name }) {
            let document = served.document, path = document.isOpen ? document.url.path : ""
            var problem: (any Error)?
            do { problem = try await document.closeKeepingWork(nil) } catch {
                problem = error
                if document.isOpen { failure = failure ?? error }
            }
            if let problem {
                problems.append(
                    .object([
                        "document": .string(served.name), "path": .string(path), "isOpen": .bool(document.isOpen),
                        "error": RPCError(mapping: problem).json,
                    ]))
            }
            if !document.isOpen { remove(served) }
        }
        if let failure {
            var error = RPCError(mapping: failure)
            error.data = .object((error.data?.object ?? [:]).merging(["documents": .array(problems)]) { $1 })
            throw error
        }
        phase = .shutDown
        return problems.isEmpty ? .null : .object(["documents": .array(problems)])
    }

    // MARK: Documents

    func add(_ document: PersistentDocument, _ policy: SavingPolicy) -> ServedDocument {
        let served = ServedDocument(newName("d"), document)
        documents[served.name] = served
        let name = served.name
        document.outsideChangeHandler = { [weak self] change in
            // Called where the document is used: here.
            self?.assumeIsolated { $0.tell(change, of: name) }
        }
        document.autosaveErrorHandler = { [weak self] error in
            let data = RPCError(mapping: error).json
            self?.assumeIsolated { $0.notify("document/autosaveFailed", ["document": .string(name), "error": data]) }
        }
        // A document that is read is watched, too: its objects follow the saves of other programs.
        document.startBackgroundTasks(policy)
        return served
    }

    /// The document that the parameter names.
    func served(_ parameters: Parameters) throws -> ServedDocument {
        let name = try parameters.string("document")
        guard let served = documents[name], served.document.isOpen else {
            throw RPCError(.invalidParams, "there is no open document \(name)")
        }
        return served
    }

    func remove(_ served: ServedDocument) {
        documents[served.name] = nil
        watches = watches.filter { $0.value.served !== served }
    }

    /// Closes all documents when the client has left; unsaved work is kept where it can be.
    package func closeAll() async {
        for served in documents.values.sorted(by: { $0.name < $1.name }) {
            let path = served.document.isOpen ? served.document.url.path : ""
            if let error = await served.document.closeForLastTime(.keep) {
                unkeptWork.append("\(path): \(InterchangeError(mapping: error).message)")
            }
            remove(served)
        }
    }

    // MARK: Telling of changes

    private func tell(_ change: OutsideChange, of name: String) {
        var parameters: [String: JSONValue] = ["document": .string(name)]
        switch change {
        case .conflict: return notify("document/conflict", parameters)
        case .moved(let url): parameters["path"] = .string(url.path)
        case .unreadable(let error): parameters["error"] = RPCError(mapping: error).json
        case .reloaded, .deleted, .resolved: break
        }
        parameters["change"] = .string(change.word)
        notify("document/outside", parameters)
    }

    /// Ends the events of all documents, and tells what changed, unless the client does not read.
    func tellChanges() {
        for served in documents.values.sorted(by: { $0.name < $1.name }) where served.document.isOpen {
            served.document.context.processPendingChanges()
            let state = served.state
            guard !isBlocked, state != served.toldState else { continue }
            served.toldState = state
            notify("document/changed", state.merging(["document": .string(served.name)]) { $1 })
        }
        for watch in watches.values.sorted(by: { $0.name < $1.name }) {
            if isBlocked {
                watch.holdBack()
            } else if let parameters = watch.takeChanges() {
                notify("result/changed", parameters)
            }
        }
    }
}

extension OutsideChange {
    fileprivate var word: String {
        switch self {
        case .moved: "moved"
        case .reloaded: "reloaded"
        case .conflict: "conflict"
        case .resolved: "resolved"
        case .deleted: "deleted"
        case .unreadable: "unreadable"
        }
    }
}
