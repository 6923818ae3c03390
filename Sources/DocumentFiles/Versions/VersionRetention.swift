public import Foundation

/// The versions to keep when the versions of a document are pruned. Pinned versions are always
/// kept.
public enum VersionRetention: Sendable, Hashable {
    /// The versions that are kept by default: all of the last hour, one an hour for a day, one a
    /// day for a month, and one a week after that.
    case thinned
    /// This many of the newest versions.
    case newest(Int)
    /// The versions that were saved at this time or later.
    case since(Date)
    /// As many of the newest versions as fit into this number of bytes on disk.
    case bytes(Int64)

    /// The versions to remove, from a list with the oldest first.
    package func superfluous(_ versions: [DocumentVersion], now: Date = .now) -> [DocumentVersion] {
        switch self {
        case .thinned:
            let numbers = Thinning.standard.superfluous(versions, now: now)
            return versions.filter { numbers.contains($0.number) }
        case .newest(let count): return versions.dropLast(max(0, count)).filter { !$0.isPinned }
        case .since(let date): return versions.filter { $0.saved < date && !$0.isPinned }
        case .bytes(let bytes):
            var total = versions.reduce(0) { $0 + $1.bytes }
            return versions.filter { version in
                guard total > bytes, !version.isPinned else { return false }
                total -= version.bytes
                return true
            }
        }
    }
}
