public import Foundation

/// A program that ran to its end.
///
/// `posix_spawn` is called directly: Foundation's `Process` takes 30 ms longer for each program, and
/// the tests run thousands.
public struct ProgramRun {
    /// The exit code; the number of the signal if a signal ended the program.
    public let exit: Int32
    public let output: Data
    public let messages: Data

    /// Runs a program, with no input, in a process group of its own, and waits for it.
    ///
    /// - Parameters:
    ///   - words: The path of the program, and its arguments.
    ///   - folder: The working directory; that of the caller if nil.
    ///   - environment: The whole environment; that of the caller if nil.
    ///   - joinsOutputs: Whether both outputs are written to `output`, in their order.
    public init(
        _ words: [String], in folder: URL? = nil, environment: [String: String]? = nil, joinsOutputs: Bool = false
    ) throws {
        (exit, output, messages) = try withTemporaryDirectory { scratch in
            // Files, not pipes: nothing has to be read while the program runs.
            let output = scratch.path + "/output", messages = scratch.path + "/messages"
            var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
            if joinsOutputs {
                posix_spawn_file_actions_adddup2(&actions, 1, 2)
            } else {
                posix_spawn_file_actions_addopen(&actions, 2, messages, O_WRONLY | O_CREAT, 0o600)
            }
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
            posix_spawnattr_setpgroup(&attributes, 0)

            // Swift does not import the function that would set the working directory.
            let words = (folder.map { ["/usr/bin/env", "-C", $0.path] } ?? []) + words
            let variables = environment ?? ProcessInfo.processInfo.environment
            var pid: pid_t = 0
            let code = Self.withCStrings(words) { words in
                Self.withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                    posix_spawn(&pid, words[0]!, &actions, &attributes, words, variables)
                }
            }
            guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 {
                guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            }
            let signal = status & 0x7F
            return (
                signal == 0 ? (status >> 8) & 0xFF : signal, try Data(contentsOf: URL(fileURLWithPath: output)),
                joinsOutputs ? Data() : try Data(contentsOf: URL(fileURLWithPath: messages))
            )
        }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
    ) rethrows -> Result {
        let pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return try body(pointers)
    }
}
