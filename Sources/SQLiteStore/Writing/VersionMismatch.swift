/// A row to be written is not there, or not in the version that was read.
struct VersionMismatch: Error {}
