import Foundation

/// Finds model files.
enum ModelFinder {
    private static let kinds: Set = ["momd", "mom", "xcdatamodeld"]

    /// The model files of bundles, sorted by name.
    static func models(in bundles: [Bundle]) -> [URL] {
        var found: [URL] = []
        for bundle in bundles {
            for kind in kinds {
                found += (bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? []).map { $0 as URL }
            }
        }
        let own = bundles.map { $0.resourceURL ?? $0.bundleURL }
        found += own.flatMap { contents(of: $0) }.filter { kinds.contains($0.pathExtension) }
        if found.isEmpty {
            found = folders(of: bundles).flatMap { contents(of: $0) }.filter { kinds.contains($0.pathExtension) }
        }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.standardizedFileURL.path).inserted }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    /// The folders of the resources of bundles, and then those that the package manager puts beside
    /// a program for its targets.
    static func folders(of bundles: [Bundle]) -> [URL] {
        let own = bundles.map { $0.resourceURL ?? $0.bundleURL }
        return own + own.flatMap { contents(of: $0) }.filter { $0.pathExtension == "resources" }
    }

    private static func contents(of folder: URL) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (found ?? []).sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
