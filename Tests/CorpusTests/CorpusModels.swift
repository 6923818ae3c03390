import Foundation
import ModelFiles
import TestSupport

/// The models of the corpus: every directory or file that holds one and lies in no other that does.
enum CorpusModels {
    static let urls: [URL] = {
        guard let corpus, let names = FileManager.default.enumerator(atPath: corpus.path) else { return [] }
        var found: [URL] = []
        for case let name as String in names {
            let kind = (name as NSString).pathExtension
            guard ["xcdatamodeld", "xcdatamodel", "momd", "mom"].contains(kind) else { continue }
            if ["xcdatamodeld", "xcdatamodel", "momd"].contains(kind) { names.skipDescendants() }
            let url = corpus.appendingPathComponent(name)
            // One repository holds a directory of versions without any.
            if kind == "xcdatamodeld", (try? FileManager.default.subpathsOfDirectory(atPath: url.path))?.count == 1 {
                continue
            }
            found.append(url)
        }
        return found.sorted { $0.path < $1.path }
    }()

    /// Every version of every model, with words for messages.
    static func versions() throws -> [(name: String, file: ModelFile, version: String)] {
        try urls.flatMap { url in
            let file = try ModelFile(contentsOf: url)
            return file.versionNames.map { ("\(url.lastPathComponent)#\($0)", file, $0) }
        }
    }
}
