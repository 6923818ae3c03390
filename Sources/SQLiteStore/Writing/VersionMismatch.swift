/// A row to be written is missing, or has another version than the one that was read.
struct VersionMismatch: Error {}
