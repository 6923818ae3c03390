package import Foundation
import ModelFiles
package import Schema
import Synchronization

/// The versions of models that a process knows: for stores that don't carry the model that they
/// were written with.
package enum KnownModels {
    private static let used = Mutex<[ManagedObjectModel]>([])
    private static let mostUsed = 32

    /// Notes a model that a store was opened with.
    package static func note(_ model: ManagedObjectModel) {
        used.withLock { used in
            if used.last === model { return }
            used.removeAll { $0 === model }
            used.append(model)
            if used.count > mostUsed { used.removeFirst() }
        }
    }

    /// The version with some version hashes: of the models that stores of this process were opened
    /// with, the last; else of the model files in the bundles. Nil if there is none.
    package static func model(fitting hashes: [String: Data], configuration: String? = nil) -> ManagedObjectModel? {
        guard !hashes.isEmpty else { return nil }
        let own = used.withLock { used in
            used.last { $0.isCompatible(withVersionHashes: hashes, configuration: configuration) }
        }
        if let own { return own }
        for folder in bundleFolders {
            let files =
                (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            for file in files.sorted(by: { $0.lastPathComponent < $1.lastPathComponent })
            where ["momd", "mom", "xcdatamodeld", "xcdatamodel"].contains(file.pathExtension) {
                if let found = try? ModelFile(contentsOf: file).model(matching: hashes)?.model { return found }
            }
        }
        return nil
    }

    /// The folders of the bundles' resources, that of the program first.
    package static var bundleFolders: [URL] {
        var seen: Set<String> = []
        return ([Bundle.main] + Bundle.allBundles).map { $0.resourceURL ?? $0.bundleURL }.filter {
            seen.insert($0.standardizedFileURL.path).inserted
        }
    }
}
