import Synchronization

/// Where the program is, for machines on which /proc, which tells it, is not mounted.
enum ProgramPath {
    private static let name = Mutex("")

    /// The name or path that the process was started by; empty in other programs.
    static var startedBy: String {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }
}
