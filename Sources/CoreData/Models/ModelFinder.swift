import Foundation

/// Finds model files.
enum ModelFinder {
    /// The model files of bundles, sorted by name.
    static func models(in bundles: [Bundle]) -> [URL] {
        var found: [URL] = []
        for bundle in bundles {
            for kind in ["momd", "mom", "xcdatamodeld"] {
                found += (bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? []).map { $0 as URL }
            }
            found +=
                (try? FileManager.default.contentsOfDirectory(
                    at: bundle.resourceURL ?? bundle.bundleURL, includingPropertiesForKeys: nil))?
                .filter { ["momd", "mom", "xcdatamodeld"].contains($0.pathExtension) } ?? []
        }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.standardizedFileURL.path).inserted }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
