import Foundation

/// Which files of a module name types that other files of it declare.
struct FileGraph {
    private static let keywords: Set<Substring> = ["class", "struct", "enum", "actor", "protocol", "typealias"]
    /// By file, the files that it leads to.
    private var edges: [[Int]] = []
    private let files: [URL]

    init(_ module: House.Module) throws {
        files = module.files.sorted { $0.path < $1.path }
        var owners: [Substring: Int?] = [:], words: [Set<Substring>] = []
        for (file, url) in files.enumerated() {
            var names: Set<Substring> = []
            for line in try House.lines(of: url) {
                let found = Self.words(of: line)
                let isPrivate = found.contains("private") || found.contains("fileprivate")
                for (index, word) in found.enumerated() where word.first?.isUppercase == true {
                    names.insert(word)
                    guard index > 0, Self.keywords.contains(found[index - 1]), !isPrivate else { continue }
                    // A name that two files declare is nobody's.
                    owners[word] = owners[word].map { $0 == file ? file : nil } ?? file
                }
            }
            words.append(names)
        }
        edges = words.enumerated().map { file, names in
            Set(names.compactMap { owners[$0] ?? nil }).subtracting([file]).sorted()
        }
    }

    /// The words of a line outside comments and texts. Texts of several lines count as code.
    private static func words(of line: Substring) -> [Substring] {
        var words: [Substring] = [], start: Substring.Index?, isText = false, last = UInt8(ascii: " ")
        let bytes = line.utf8
        for index in bytes.indices {
            let byte = bytes[index]
            let isWord =
                !isText
                && (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte == UInt8(ascii: "_")
                    || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
            if isWord {
                start = start ?? index
            } else if let first = start {
                words.append(line[first..<index])
                start = nil
            }
            if byte == UInt8(ascii: "\""), !isText || last != UInt8(ascii: "\\") { isText.toggle() }
            if !isText, byte == UInt8(ascii: "/"), last == UInt8(ascii: "/") { return words }
            last = byte
        }
        if let start { words.append(line[start...]) }
        return words
    }

    /// The largest groups of files in which each leads to every other, by their names.
    func circles() -> [[String]] {
        var order = Array(repeating: 0, count: files.count), low = order, count = 0
        var path: [Int] = [], isOnPath = Array(repeating: false, count: files.count), circles: [[String]] = []
        func visit(_ file: Int) {
            count += 1
            (order[file], low[file]) = (count, count)
            path.append(file)
            isOnPath[file] = true
            for next in edges[file] {
                if order[next] == 0 {
                    visit(next)
                    low[file] = min(low[file], low[next])
                } else if isOnPath[next] {
                    low[file] = min(low[file], order[next])
                }
            }
            guard low[file] == order[file], let place = path.lastIndex(of: file) else { return }
            for member in path[place...] { isOnPath[member] = false }
            if path.count - place > 1 { circles.append(path[place...].map { House.name(of: files[$0]) }) }
            path.removeSubrange(place...)
        }
        for file in files.indices where order[file] == 0 { visit(file) }
        return circles
    }
}
