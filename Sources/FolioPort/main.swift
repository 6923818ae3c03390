import Foundation
import PortReport
import SourcePort

// Rewrites the Swift files of the `PortRequest` that is on standard input as JSON, and prints a
// `PortedTree`. `folio port` runs it: it is a program of its own because it needs the libraries of
// the compiler, which machines without Swift don't have.

/// Ends the program with a message.
func fail(_ code: Int32, _ message: String) -> Never {
    FileHandle.standardError.write(Data("folio-port: \(message)\n".utf8))
    exit(code)
}

let request: PortRequest
do {
    request = try JSONDecoder().decode(PortRequest.self, from: FileHandle.standardInput.readDataToEndOfFile())
} catch {
    fail(64, "standard input is no request: \(error)")
}
var sources: [(path: String, text: String)] = []
var unreadable: [PortedSource] = []
let start = PortedSource.Place(line: 1, column: 1)
for path in request.paths {
    guard let data = FileManager.default.contents(atPath: path) else { fail(66, "\(path): can't be read") }
    if let text = String(validating: data, as: UTF8.self) {
        sources.append((path, text))
    } else {
        let note = PortedSource.Note(start, newPlace: start, in: path, "is no UTF-8 text, and stays as it is")
        unreadable.append(PortedSource(path: path, text: nil, changeCount: 0, notes: [note]))
    }
}
do {
    var tree = SourcePort.rewrite(sources, classes: request.classes)
    tree.files += unreadable
    FileHandle.standardOutput.write(try JSONEncoder().encode(tree))
} catch {
    fail(70, "\(error)")
}
