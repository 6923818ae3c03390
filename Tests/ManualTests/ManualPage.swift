import Foundation
import TestSupport

/// A page of the manual: its lines, and the blocks of code among them.
///
/// What a test does with a block is said by its language and by comments of HTML, which a reader
/// does not see:
/// - `swift`: the blocks of a page are one program. A block without language right after one is
///   what it prints.
/// - `console`: lines that begin with `$ ` are commands, the others what they print. All blocks of
///   a page are run in one shell.
/// - `<!-- not run: REASON -->` before a block: it is for reading only.
/// - `<!-- swift` or `<!-- sh`, then code, then `-->`: code that is run and not shown.
/// - `<!-- program: PATH -->`: the program is not run by itself, but put there for the commands.
/// - `<!-- needs: PROGRAM -->`, `<!-- corpus -->`: the page needs a program that a machine may not
///   have, or the folder of real files.
struct ManualPage {
    struct Block {
        /// The first word after the fence, `hidden swift` or `hidden sh`.
        let language: String
        /// The lines between the fences.
        let range: Range<Int>
        /// Why the block is not run.
        let reason: String?
    }

    let file: URL
    let name: String
    let lines: [String]
    let blocks: [Block]
    let program: String?
    let needsCorpus: Bool
    let neededPrograms: [String]

    init(_ file: URL) throws {
        self.file = file
        name = file.deletingPathExtension().lastPathComponent
        lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        var blocks: [Block] = []
        var start: (language: String, line: Int, end: String)?
        var reason: String?, program: String?
        var needsCorpus = false, neededPrograms: [String] = []
        for (number, line) in lines.enumerated() {
            if let open = start {
                guard line == open.end else { continue }
                blocks.append(Block(language: open.language, range: open.line..<number, reason: reason))
                (start, reason) = (nil, nil)
            } else if line.hasPrefix("```") {
                start = (String(line.dropFirst(3)), number + 1, "```")
            } else if line == "<!-- swift" || line == "<!-- sh" {
                start = ("hidden \(line.dropFirst(5))", number + 1, "-->")
            } else if let match = line.wholeMatch(of: /<!-- not run: (.+) -->/) {
                reason = String(match.output.1)
            } else if let match = line.wholeMatch(of: /<!-- program: (.+) -->/) {
                program = String(match.output.1)
            } else if let match = line.wholeMatch(of: /<!-- needs: (\w+) -->/) {
                neededPrograms.append(String(match.output.1))
            } else if line == "<!-- corpus -->" {
                needsCorpus = true
            }
        }
        guard start == nil else { throw ManualFailure("\(file.lastPathComponent): a block has no end") }
        self.blocks = blocks
        self.program = program
        self.needsCorpus = needsCorpus
        self.neededPrograms = neededPrograms
    }

    /// Whether this machine has what the page needs.
    var canRun: Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        // Programs of pages are linked without a sanitizer.
        return !runsUnderSanitizer && !(needsCorpus && corpus == nil)
            && neededPrograms.allSatisfy { program in
                folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
            }
    }

    func text(_ block: Block) -> [String] { Array(lines[block.range]) }

    func hasBlocks(_ languages: String...) -> Bool {
        blocks.contains { languages.contains($0.language) && $0.reason == nil }
    }

    /// The block without language that stands right after another.
    func output(of index: Int) -> Block? {
        guard index + 1 < blocks.count, blocks[index + 1].language.isEmpty else { return nil }
        let between = lines[(blocks[index].range.upperBound + 1)..<(blocks[index + 1].range.lowerBound - 1)]
        return between.allSatisfy(\.isEmpty) ? blocks[index + 1] : nil
    }

    /// Writes the page anew, with other lines in some places.
    func write(replacing replacements: [(range: Range<Int>, lines: [String])]) throws {
        var lines = lines
        for replacement in replacements.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            lines.replaceSubrange(replacement.range, with: replacement.lines)
        }
        guard lines != self.lines else { return }
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
}
