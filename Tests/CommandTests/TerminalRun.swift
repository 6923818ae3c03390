import Foundation
import Testing

/// A run of the command with a terminal for its standard output.
struct TerminalRun {
    let exit: Int32
    /// What the terminal showed, with plain line ends.
    let output: String

    /// - Parameters:
    ///   - variables: of the environment, besides those of the test; nil removes one.
    ///   - isWhole: whether standard error is the terminal, too.
    init(
        _ arguments: [String], rows: UInt16 = 24, columns: UInt16 = 80, variables: [String: String?] = [:],
        isWhole: Bool = false
    ) throws {
        var terminal: Int32 = -1, side: Int32 = -1
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(openpty(&terminal, &side, nil, nil, &size) == 0)
        defer { close(terminal) }
        let process = Process(), handle = FileHandle(fileDescriptor: side, closeOnDealloc: true)
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in variables { environment[name] = value }
        process.environment = environment
        process.executableURL = FolioCommand.binary
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        if isWhole { process.standardError = handle }
        try process.run()
        try handle.close()
        var output: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(terminal, &buffer, buffer.count)
            // The end of a terminal is an error.
            guard count > 0 else { break }
            output += buffer[..<count]
        }
        process.waitUntilExit()
        exit = process.terminationStatus
        self.output = String(decoding: output, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
