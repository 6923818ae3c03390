import Foundation
import TestSupport

/// The pages of the manual: the README and the catalogue.
enum Manual {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let catalogue = root.appendingPathComponent("Sources/Folio/Folio.docc")

    /// Whether this run writes what programs and commands print into the pages, instead of
    /// comparing it with what stands there.
    static let isWriting = ProcessInfo.processInfo.environment["FOLIO_WRITE_MANUAL"] != nil

    /// All pages, by their paths from the root.
    static func pages() throws -> [ManualPage] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: catalogue.path).filter { $0.hasSuffix(".md") }
        let files = [root.appendingPathComponent("README.md")] + names.sorted().map(catalogue.appendingPathComponent)
        return try files.map(ManualPage.init)
    }

    static func page(_ name: String) throws -> ManualPage {
        guard let page = try pages().first(where: { $0.name == name }) else {
            throw ManualFailure("the manual has no page \(name)")
        }
        return page
    }

    /// The names of the pages that a test runs over.
    static func names(where isWanted: (ManualPage) -> Bool) -> [String] {
        // A test of that name fails, where an empty list would pass.
        do { return try pages().filter(isWanted).map(\.name) } catch { return ["pages that can't be read"] }
    }
}

struct ManualFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
