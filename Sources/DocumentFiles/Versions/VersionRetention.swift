public import Foundation

/// Which of a document's versions are to be kept when it is pruned. Pinned ones are kept in any
/// case.
public enum VersionRetention: Sendable, Hashable {
    /// What is kept without being asked: all of an hour, one an hour for a day, one a day for a
    /// month, one a week after that.
    case thinned
    /// So many, the newest.
    case newest(Int)
    /// Those that were saved at that time or later.
    case since(Date)
    /// As many of the newest as take so many bytes on the disk together.
    case bytes(Int64)

    /// Those of the versions, oldest first, that go.
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
