import Foundation
import TestSupport
import Testing

/// The reference is complete: what it lists is what there is.
struct ReferenceTests {
    @Test func commandsAreTheOnesOfTheHelp() throws {
        let overview = try CommandHelp.run("help", as: CommandHelp.Overview.self)
        #expect(overview.commands.count > 20)
        let part = try GeneratedPart(of: Manual.page("Commands"))
        #expect(try part.holds(CommandHelp.commandLines(overview)), "FOLIO_WRITE_MANUAL=1 writes the page anew")
        let text = part.lines.joined(separator: "\n")
        for command in overview.commands {
            #expect(text.contains("## folio \(command.name)\n"), "\(command.name)")
            for name in command.options.flatMap(\.names) { #expect(text.contains("`\(name)`"), "\(name)") }
        }
    }

    @Test func predicatesAreTheOnesOfTheHelp() throws {
        let predicates = try CommandHelp.run("help", "predicates", as: CommandHelp.Predicates.self)
        let part = try GeneratedPart(of: Manual.page("Predicates"))
        #expect(try part.holds(CommandHelp.predicateLines(predicates)), "FOLIO_WRITE_MANUAL=1 writes the page anew")
        #expect(predicates.sections.count >= 6)
    }

    /// Each type has a section, and each code of it a row.
    @Test(.enabled(if: runsSweeps)) func everyCodeOfEveryPublicErrorHasItsEntry() throws {
        let page = try Manual.page("Errors")
        var codeCount = 0
        for (type, codes) in try SourceText.errorCodes() {
            guard let start = page.lines.firstIndex(of: "## \(type)") else {
                Issue.record("\(type) has no section")
                continue
            }
            let section = page.lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
            let listed = section.compactMap { $0.firstMatch(of: /^\| `(\w+)` \|/).map { String($0.output.1) } }
            #expect(
                Set(listed) == codes && listed.count == codes.count, "\(type): \(codes.symmetricDifference(listed))")
            codeCount += codes.count
        }
        #expect(codeCount > 120)
        let sections = page.lines.compactMap { $0.wholeMatch(of: /## (\w+Error)/).map { String($0.output.1) } }
        #expect(Set(sections).subtracting(try SourceText.errorCodes().keys).isEmpty)
    }

    /// What documentation says that a function throws, the page of errors knows.
    @Test(.enabled(if: runsSweeps)) func everyThrownTypeIsOnThePageOfErrors() throws {
        let text = try Manual.page("Errors").lines.joined(separator: "\n")
        let thrown = try SourceText.thrownTypes()
        #expect(thrown.count > 5)
        for type in thrown { #expect(text.contains("\(type)"), "\(type)") }
        let codes = try SourceText.thrownCodes()
        #expect(codes.count > 20)
        for code in codes { #expect(text.contains("\n| `\(code)` |"), "\(code)") }
    }

    @Test func everyExitCodeIsExplained() throws {
        let overview = try CommandHelp.text("help").split(whereSeparator: \.isNewline).joined(separator: " ")
        let codes = try #require(overview.firstMatch(of: /Exit codes: (.*)\./)).output.1
        let numbers = codes.matches(of: #/(?:^|, )(\d+) /#).map { String($0.output.1) }
        #expect(numbers.count > 12)
        let page = try Manual.page("Scripting").lines.joined(separator: "\n")
        for number in numbers { #expect(page.contains("\n| \(number) | "), "\(number)") }
    }

    @Test func theJSONOfEveryCommandIsShown() throws {
        let page = try Manual.page("JSONShapes").lines.joined(separator: "\n")
        for command in try CommandHelp.run("help", as: CommandHelp.Overview.self).commands {
            #expect(page.contains("folio \(command.name) "), "\(command.name)")
        }
    }
}

extension ReferenceTests {
    @Test(.enabled(if: runsSweeps)) func everyVariableOfTheEnvironmentIsListed() throws {
        let pages = try ["Environment", "Contributing"].map { try Manual.page($0).lines.joined(separator: "\n") }
        let used = try SourceText.variables()
        #expect(used.count > 25)
        for name in used { #expect(pages.contains { $0.contains("`\(name)`") }, "\(name) is on no page") }
        for page in pages {
            for match in page.matches(of: /`(FOLIO_[A-Z_]+)`/) {
                #expect(used.contains(String(match.output.1)), "nothing reads \(match.output.1)")
            }
        }
    }

    @Test func everyOptionOfAStoreIsListed() throws {
        let text = try Manual.page("Environment").lines.joined(separator: "\n")
        let options = try SourceText.storeOptions()
        #expect(options.count > 10)
        for name in options { #expect(text.contains("`\(name)`"), "\(name)") }
    }

    @Test func everyModuleIsInTheArchitecture() throws {
        let text = try Manual.page("Architecture").lines.joined(separator: "\n")
        let manifest = try String(contentsOf: Manual.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let table = try #require(manifest.firstMatch(of: /(?s)let modules:.*?\n\]/)).output
        let modules = table.matches(of: /\(\s*"(\w+)"\s*,\s*\./).map { String($0.output.1) }
        #expect(modules.count > 25)
        for module in modules { #expect(text.contains("`\(module)`"), "\(module)") }
    }

    /// What `.ci/docs` finds too, without building the site.
    @Test func everyLinkLeadsToAPage() throws {
        let pages = try Manual.pages(), names = Set(pages.map(\.name))
        var linked: Set<String> = []
        for page in pages {
            let text = page.lines.joined(separator: "\n")
            for match in text.matches(of: /<doc:(\w+)>/) {
                linked.insert(String(match.output.1))
                #expect(names.contains(String(match.output.1)), "\(page.name): \(match.output.1)")
            }
            guard page.name == "README" else { continue }
            for match in text.matches(of: /\]\((Sources[^)]+)\)/) {
                let file = Manual.root.appendingPathComponent(String(match.output.1))
                #expect(FileManager.default.fileExists(atPath: file.path), "\(match.output.1)")
            }
        }
        #expect(names.subtracting(linked) == ["README", "Folio"], "pages that no link leads to")
    }
}
