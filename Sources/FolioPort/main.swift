import Foundation
import PortReport
import SourcePort

// Rewrites the Swift files whose paths are on standard input, each ended by a zero byte, and prints
// an array of `PortedSource` as JSON. `folio port` runs it: it is a program of its own because it
// needs the libraries of the compiler, which machines without Swift don't have.

/// Ends the program with a message.
func fail(_ code: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data("folio-port: \(message)\n".utf8))
    exit(code)
}

let paths = FileHandle.standardInput.readDataToEndOfFile().split(separator: 0).map {
    String(decoding: $0, as: UTF8.self)
}
var sources: [(path: String, text: String)] = []
var unreadable: [PortedSource] = []
let start = PortedSource.Place(line: 1, column: 1)
for path in paths {
    guard let data = FileManager.default.contents(atPath: path) else { fail(66, "\(path): can't be read") }
    if let text = String(validating: data, as: UTF8.self) {
        sources.append((path, text))
    } else {
        let note = PortedSource.Note(start, newPlace: start, "is no UTF-8 text, and stays as it is")
        unreadable.append(PortedSource(path: path, text: nil, changeCount: 0, notes: [note]))
    }
}
do {
    FileHandle.standardOutput.write(try JSONEncoder().encode(SourcePort.rewrite(sources) + unreadable))
} catch {
    fail(70, "\(error)")
}
