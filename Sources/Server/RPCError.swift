import Coding
import Interchange

/// An error of JSON-RPC.
struct RPCError: Error {
    enum Code: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case notInitialized = -32002
        /// An error of Folio, with that of the command line as data.
        case failed = -32000
        case cancelled = -32800
    }

    let code: Code
    let message: String
    var data: JSONValue?

    init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    init(mapping error: any Error) {
        if let error = error as? RPCError {
            self = error
        } else if error is CancellationError {
            self.init(.cancelled, "the request was cancelled")
        } else {
            let error = InterchangeError(mapping: error)
            var data = error.json["error"]?.object ?? [:]
            data["exit"] = .int(error.exit.rawValue)
            self.init(.failed, error.message, data: .object(data))
        }
    }

    var json: JSONValue {
        var error: [String: JSONValue] = ["code": .int(code.rawValue), "message": .string(message)]
        error["data"] = data
        return .object(error)
    }
}
