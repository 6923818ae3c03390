import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import SQLiteFile
import SQLiteKit
import Schema
import TestSupport
import Testing

/// Prints what documents of several sizes cost; takes minutes and gigabytes, so only when it is
/// asked for: `FOLIO_FIGURES=1,10,500,1000 swift test --filter FigureTests`, in megabytes.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["FOLIO_FIGURES"] != nil)) struct FigureTests {
    private static let sizes = (ProcessInfo.processInfo.environment["FOLIO_FIGURES"] ?? "").split(separator: ",")
        .compactMap { Int($0) }
    private static let text = String(repeating: "long ", count: 4_000)

    private func fill(_ url: URL, megabytes: Int) async throws {
        let document = try await PersistentDocument.create(at: url, model: Library.model())
        let author = try document.context.insert("Author")
        author["name"] = "Eliot"
        let books = max(1, megabytes * 48)
        for start in stride(from: 0, to: books, by: 2_000) {
            for number in start..<min(books, start + 2_000) {
                try Library.insertBook("\(number) " + Self.text, document)
            }
            try await document.save()
            document.context.refreshAllObjects()
        }
        try await document.close()
    }

    private func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
    }

    private func median(_ values: [Double]) -> String { String(format: "%.2f ms", values.sorted()[values.count / 2]) }

    /// Bytes that this process has handed to the file system.
    private func written() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/io", encoding: .utf8).split(separator: "\n")
        return lines.first { $0.hasPrefix("wchar:") }.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }

    @Test func autosavingAndOpening() async throws {
        try await withFolder { folder in
            for size in Self.sizes {
                let package = folder.appendingPathComponent("\(size).folio"),
                    archive = folder.appendingPathComponent("\(size).folioz")
                try await fill(package, megabytes: size)
                try await PersistentDocument.pack(package, to: archive)
                for url in [package, archive] {
                    var opening: [Double] = [], autosaving: [Double] = [], bytes: [Int] = []
                    for mode in [PersistentDocument.Mode.reading, .editing] {
                        var times: [Double] = []
                        for _ in 0..<5 {
                            let begin = ContinuousClock.now
                            let document = try await PersistentDocument.open(url, mode: mode)
                            var request = FetchRequest<ManagedObject>(entityName: "Author")
                            request.fetchLimit = 1
                            #expect(try document.context.fetch(request).first?["name"] as? String == "Eliot")
                            times.append(milliseconds(begin.duration(to: .now)))
                            try await document.close()
                        }
                        print("FIGURE open to the first object, \(mode), \(url.lastPathComponent): \(median(times))")
                        opening = times
                    }
                    #expect(!opening.isEmpty)
                    let document = try await PersistentDocument.open(url)
                    let author = try #require(
                        try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
                    for number in 0..<12 {
                        author["name"] = "name \(number)"
                        let before = try written(), begin = ContinuousClock.now
                        try await document.autosave()
                        // The first ones make the journal and warm up.
                        if number >= 3 {
                            autosaving.append(milliseconds(begin.duration(to: .now)))
                            bytes.append(try written() - before)
                        }
                    }
                    print(
                        "FIGURE autosave of one object, \(url.lastPathComponent): \(median(autosaving)), \(bytes.sorted()[bytes.count / 2]) bytes"
                    )
                    try await document.close(.discard)
                }
                try Disk.removeTree(package.path)
                try Disk.removeTree(archive.path)
            }
        }
    }

    @Test func aHundredVersions() async throws {
        try await withFolder { folder in
            for size in Self.sizes where size <= 100 {
                let url = folder.appendingPathComponent("A.folio"), store = url.path + "/store/store.sqlite"
                try await fill(url, megabytes: size)
                let document = try await PersistentDocument.open(url)
                try document.removeVersions(try document.versions())
                let author = try #require(
                    try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
                let first = try #require(document.manifest?.generation)
                var sums: [Int: String] = [first: try sum(store)]
                for number in 1...100 {
                    author["name"] = "name \(number)"
                    try Library.insertBook("new \(number)", document)
                    try await document.save()
                    sums[first + number] = try sum(store)
                }
                let versions = try document.versions()
                try await document.close()
                #expect(versions.count == 100)
                var times: [Double] = []
                for version in versions {
                    let target = folder.path + "/restored", begin = ContinuousClock.now
                    let connection = try Connection.openForReading(store)
                    try connection.withFiles {
                        try VersionStore(folder: url.path + "/versions").restore(version.number, from: $0, to: target)
                    }
                    try connection.close()
                    times.append(milliseconds(begin.duration(to: .now)))
                    #expect(try sum(target) == sums[version.generation], "generation \(version.generation)")
                    try Disk.removeFile(target)
                }
                let bytes = versions.reduce(0) { $0 + $1.bytes }
                let storeSize = try Disk.status(of: store)?.size ?? 0, begin = ContinuousClock.now
                try await PersistentDocument.restore(url, to: try #require(versions.first).generation)
                print(
                    "FIGURE 100 versions of \(storeSize) bytes: \(bytes) bytes in all, a version written out \(median(times)) (oldest \(String(format: "%.0f", times[0])) ms), the oldest restored in place \(String(format: "%.0f", milliseconds(begin.duration(to: .now)))) ms"
                )
                try Disk.removeTree(url.path)
            }
        }
    }

    private func sum(_ path: String) throws -> String {
        let process = Process(), pipe = privatePipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
        process.arguments = [path]
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output.prefix(64), as: UTF8.self)
    }
}
