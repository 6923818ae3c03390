/// Knows the temporary files of a process that are not finished, to remove them where the process
/// ends early.
package protocol UnfinishedFiles: Sendable {
    func addLeftover(_ path: String)
    func removeLeftover(_ path: String)
}
