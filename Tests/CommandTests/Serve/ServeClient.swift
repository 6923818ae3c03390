import Foundation
import TestSupport

/// A client of `folio serve`, which knows JSON-RPC and nothing of the server's code.
final class ServeClient {
    enum Framing {
        case headers, lines
    }

    struct Failure: Error, CustomStringConvertible {
        let code: Int
        let message: String
        /// As JSON.
        let content: Data
        var data: [String: Any] { (try? JSONSerialization.jsonObject(with: content)) as? [String: Any] ?? [:] }
        var description: String { "\(code) \(message) \(data)" }
    }

    let process = Process()
    private let framing: Framing
    private let input = privatePipe()
    private let output = privatePipe()
    private let messages: URL
    private var bytes = Data()
    private var lastID = 0
    /// What the server has told without being asked.
    private(set) var notifications: [(method: String, params: [String: Any])] = []

    /// - Parameters:
    ///   - fileLimit: The size of a file in bytes above which the server can't write; nil
    ///   for none.
    ///   - runner: A program with its arguments that runs the server.
    init(
        _ arguments: [String] = [], framing: Framing = .headers, in folder: URL, initializes: Bool = true,
        fileLimit: Int? = nil, through runner: [String] = []
    ) throws {
        self.framing = framing
        messages = folder.appendingPathComponent("messages-\(UUID().uuidString)")
        try Data().write(to: messages)
        let words = ["serve"] + arguments + ["--stdio"] + (framing == .lines ? ["--lines"] : [])
        if let fileLimit {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            let script = #"ulimit -f "$0" && trap "" XFSZ && exec "$@""#
            process.arguments = ["-c", script, String(fileLimit / 512), FolioCommand.binary.path] + words
        } else if runner.isEmpty {
            process.executableURL = FolioCommand.binary
            process.arguments = words
        } else {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = runner + [FolioCommand.binary.path] + words
        }
        var variables = ProcessInfo.processInfo.environment
        variables["XDG_STATE_HOME"] = folder.appendingPathComponent("state").path
        variables["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = variables
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: messages)
        try process.run()
        try output.fileHandleForWriting.close()
        try input.fileHandleForReading.close()
        if initializes { _ = try call("initialize") }
    }

    deinit { if process.isRunning { process.terminate() } }

    var errorOutput: String { (try? String(contentsOf: messages, encoding: .utf8)) ?? "" }

    // MARK: Sending

    func send(raw text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func send(_ message: Any) throws {
        let content = try JSONSerialization.data(withJSONObject: message, options: .fragmentsAllowed)
        switch framing {
        case .headers: try send(raw: "Content-Length: \(content.count)\r\n\r\n")
        case .lines: break
        }
        try input.fileHandleForWriting.write(contentsOf: content + (framing == .lines ? Data("\n".utf8) : Data()))
    }

    func notify(_ method: String, _ params: [String: Any] = [:]) throws {
        try send(["jsonrpc": "2.0", "method": method, "params": params])
    }

    /// Sends a request, and does not wait for the answer.
    func request(_ method: String, _ params: [String: Any]?) throws -> Int {
        lastID += 1
        var message: [String: Any] = ["jsonrpc": "2.0", "id": lastID, "method": method]
        message["params"] = params
        try send(message)
        return lastID
    }

    @discardableResult
    func call(_ method: String, _ params: [String: Any]? = nil) throws -> Any {
        try answer(to: request(method, params))
    }

    /// A call whose result is an object.
    func object(_ method: String, _ params: [String: Any]? = nil) throws -> [String: Any] {
        try call(method, params) as? [String: Any] ?? [:]
    }

    /// A call that fails.
    func failure(_ method: String, _ params: [String: Any]? = nil) throws -> Failure? {
        do {
            try call(method, params)
            return nil
        } catch let failure as Failure { return failure }
    }

    // MARK: Receiving

    struct Ended: Error {}

    func answer(to id: Int) throws -> Any {
        while true {
            let message = try next()
            guard message["id"] as? Int == id else {
                take(message)
                continue
            }
            if let error = message["error"] as? [String: Any] {
                throw Failure(
                    code: error["code"] as? Int ?? 0, message: error["message"] as? String ?? "",
                    content: try JSONSerialization.data(withJSONObject: error["data"] as? [String: Any] ?? [:]))
            }
            return message["result"] ?? NSNull()
        }
    }

    private func take(_ message: [String: Any]) {
        guard let method = message["method"] as? String else { return }
        notifications.append((method, message["params"] as? [String: Any] ?? [:]))
    }

    /// Waits for a notification that was not looked at before.
    func notification(_ method: String) throws -> [String: Any] {
        while true {
            if let index = notifications.firstIndex(where: { $0.method == method }) {
                return notifications.remove(at: index).params
            }
            take(try next())
        }
    }

    /// The next message.
    func next() throws -> [String: Any] {
        while true {
            if let message = try takeMessage() { return message }
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { throw Ended() }
            bytes.append(piece)
        }
    }

    private func takeMessage() throws -> [String: Any]? {
        switch framing {
        case .lines:
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { bytes = Data(bytes[(end + 1)...]) }
            return try message(bytes[..<end])
        case .headers:
            guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
            let header = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            guard let size = Int(header.split(separator: " ").last ?? "") else { throw Ended() }
            guard bytes.count >= bytes.distance(from: bytes.startIndex, to: end.upperBound) + size else { return nil }
            let content = bytes[end.upperBound..<(end.upperBound + size)]
            defer { bytes = Data(bytes[(end.upperBound + size)...]) }
            return try message(content)
        }
    }

    /// A message; the messages of a batch under `batch`.
    private func message(_ content: Data) throws -> [String: Any]? {
        let json = try JSONSerialization.jsonObject(with: content)
        return json as? [String: Any] ?? (json as? [Any]).map { ["batch": $0] }
    }

    /// Waits until the server uses less than a hundredth of a processor for half a second: a thread
    /// of it may look at something now and then.
    func waitUntilIdle() {
        /// The processor time of all threads, in nanoseconds.
        func time() -> Int {
            let folder = "/proc/\(process.processIdentifier)/task"
            return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).reduce(0) { sum, thread in
                let text = try? String(contentsOfFile: "\(folder)/\(thread)/schedstat", encoding: .utf8)
                return sum + (text?.split(separator: " ").first.flatMap { Int($0) } ?? 0)
            }
        }
        for _ in 0..<240 {
            let before = time()
            usleep(500_000)
            if time() - before < 5_000_000 { return }
        }
    }

    // MARK: The end

    func closeInput() throws { try input.fileHandleForWriting.close() }

    func waitForEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Says goodbye as editors do.
    func end() throws -> Int32 {
        try call("shutdown")
        try notify("exit")
        return waitForEnd()
    }
}
