import Foundation
import TestSupport
import Testing

/// What the pages show is what happens: programs are compiled and run, commands are run, and what
/// both print is what stands there.
///
/// With `FOLIO_WRITE_MANUAL` in the environment it is written there instead.
struct PageTests {
    @Test(
        arguments: Manual.names {
            $0.hasBlocks("swift", "console") && $0.canRun && (runsSweeps || Manual.isWriting || $0.name == "README")
        })
    func whatAPageShowsIsWhatHappens(_ name: String) throws {
        let page = try Manual.page(name)
        try withTemporaryDirectory { scratch in
            let sandbox = try ManualSandbox(in: scratch)
            var replacements: [(range: Range<Int>, lines: [String])] = []
            if page.hasBlocks("swift") { replacements += try check(PageProgram(page), of: page, in: sandbox) }
            let transcript = Transcript(page)
            if !transcript.steps.isEmpty {
                for (step, printed) in zip(transcript.steps, try transcript.run(in: sandbox)) {
                    guard let range = step.output else {
                        #expect(printed.isEmpty, "\(name), hidden:\n\(printed.joined(separator: "\n"))")
                        continue
                    }
                    replacements += compare(printed, range, of: page)
                }
            }
            if Manual.isWriting { try page.write(replacing: replacements) }
        }
    }

    private func check(_ program: PageProgram, of page: ManualPage, in sandbox: ManualSandbox) throws -> [(
        range: Range<Int>, lines: [String]
    )] {
        let file = page.program.map { sandbox.folder.appendingPathComponent($0) } ?? sandbox.file("program")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        if let messages = try program.compile(to: file, in: sandbox, withMarks: page.program == nil) {
            throw ManualFailure("\(page.name) does not compile:\n\(messages.suffix(6000))")
        }
        guard page.program == nil else { return [] }
        let outputs = try program.run(file, in: sandbox)
        if let failure = outputs[-1] {
            throw ManualFailure("the program of \(page.name) fails:\n\(failure.joined(separator: "\n"))")
        }
        #expect(Set(outputs.keys) == Set(program.indices), "\(page.name): not every block ran to its end")
        return outputs.flatMap { index, printed -> [(range: Range<Int>, lines: [String])] in
            guard let block = page.output(of: index) else {
                #expect(printed.isEmpty, "\(page.name):\(page.blocks[index].range.lowerBound) prints \(printed)")
                return []
            }
            return compare(printed, block.range, of: page)
        }
    }

    private func compare(_ printed: [String], _ range: Range<Int>, of page: ManualPage) -> [(
        range: Range<Int>, lines: [String]
    )] {
        let shown = Array(page.lines[range])
        if Manual.isWriting { return [(range, PrintedText.merged(printed, shown))] }
        let difference = PrintedText.difference(printed, shown)
        #expect(
            difference == nil,
            "\(page.name), line \(range.lowerBound + 1 + (difference ?? 0)); it prints:\n\(printed.joined(separator: "\n"))"
        )
        return []
    }
}
