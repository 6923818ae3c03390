import Foundation
import TestSupport
import Testing

struct HouseTests {
    @Test func theManifestListsEveryModuleThatThereIs() throws {
        let modules = try House.modules()
        let listed = Set(modules.map(\.name))
        for folder in ["Sources", "Tests"] {
            let url = House.root.appendingPathComponent(folder)
            let found = try FileManager.default.contentsOfDirectory(atPath: url.path).filter {
                !$0.hasPrefix(".") && !["TestSupport", "Plugins", "FormatReader"].contains($0)
            }
            #expect(Set(found).subtracting(listed).isEmpty)
        }
        #expect(modules.count > 20)
    }

    @Test func modulesImportOnlyWhatTheManifestAllowsThem() throws {
        let modules = try House.modules()
        let names = Set(modules.map(\.name)).union(["TestSupport"])
        var fileCount = 0
        for module in modules {
            for file in module.files {
                fileCount += 1
                let forbidden = Set(try House.imports(of: file)).intersection(names).subtracting(module.imports)
                    .subtracting([module.name])
                #expect(
                    forbidden.isEmpty, "\(House.name(of: file)) imports \(forbidden.sorted().joined(separator: ", "))")
            }
        }
        #expect(fileCount > 50)
    }

    @Test func theTopLevelHoldsNothingButTheHouse() throws {
        let allowed: Set = ["Package.swift", "Sources", "Tests", "DocumentSamples", "README.md", "CHANGELOG.md"]
        let found = try House.topLevel().filter { !$0.hasPrefix(".") }
        #expect(found.isSuperset(of: ["Package.swift", "Sources"]))
        #expect(found.subtracting(allowed).isEmpty)
    }

    @Test func noSourceHasConditionsForThePlatformOrForcesATry() throws {
        for module in try House.modules() {
            for file in module.files where module.name != "HouseTests" {
                for (number, line) in try House.lines(of: file).enumerated() {
                    let code = line.drop { $0 == " " }
                    if code.hasPrefix("//") { continue }
                    #expect(!code.hasPrefix("#if"), "\(House.name(of: file)):\(number + 1)")
                    #expect(!code.contains("!") || !code.contains(/\btry!/), "\(House.name(of: file)):\(number + 1)")
                    #expect(!code.hasPrefix("@testable"), "\(House.name(of: file)):\(number + 1)")
                }
            }
        }
    }

    @Test func noFileIsLongerThan600Lines() throws {
        for module in try House.modules() {
            for file in module.files {
                let count = try House.lines(of: file).count
                #expect(count <= 600, "\(House.name(of: file)) has \(count) lines")
            }
        }
    }

    /// Files that name each other's types can only be understood together.
    @Test func noCircleHasMoreThanTenFiles() throws {
        var count = 0
        for module in try House.modules() where !module.name.hasSuffix("Tests") {
            for circle in try FileGraph(module).circles() {
                count += 1
                #expect(circle.count <= 10, "\(circle.count) files: \(circle.sorted().joined(separator: ", "))")
            }
        }
        #expect(count > 10)
    }

    /// A type with its extensions in the module, comments not counted; but the translator, which
    /// has a function for each part of the predicate language.
    @Test func noTypeHasMoreThan900LinesOfCode() throws {
        let block = /^(?:@\w+ )*(?:\w+ )*(?:class|struct|enum|actor|protocol|extension) (?<name>\w+)/
        for module in try House.modules() where !module.name.hasSuffix("Tests") {
            var counts: [Substring: Int] = [:]
            for file in module.files {
                var open: Substring?
                for line in try House.lines(of: file) {
                    if let first = line.utf8.first, first > UInt8(ascii: "/"), first != UInt8(ascii: "}"), open == nil,
                        line.hasSuffix("{"), let match = line.firstMatch(of: block)
                    {
                        open = match.name
                    }
                    if let type = open, !line.drop(while: { $0 == " " }).hasPrefix("//") {
                        counts[type, default: 0] += 1
                    }
                    if line == "}" { open = nil }
                }
            }
            for (name, count) in counts where name != "PredicateTranslator" {
                #expect(count <= 900, "\(name) of \(module.name) has \(count) lines")
            }
        }
    }

    @Test func noFolderHasMoreThan25Files() throws {
        for module in try House.modules() where !module.name.hasSuffix("Tests") {
            for (folder, files) in Dictionary(grouping: module.files, by: { $0.deletingLastPathComponent() }) {
                #expect(files.count <= 25, "\(House.name(of: folder)) has \(files.count) files")
            }
        }
    }

}

extension HouseTests {
    /// The macro of each test is expanded with the text of the type or extension around it, so the
    /// time to compile a block grows with the product of its tests and its length.
    @Test func longSuitesAreDividedIntoExtensions() throws {
        for module in try House.modules() where module.name.hasSuffix("Tests") {
            for file in module.files {
                var start = 0, tests = 0, bytes = 0
                for (number, line) in try House.lines(of: file).enumerated() {
                    bytes += line.utf8.count + 1
                    if line.hasPrefix("    @Test") { tests += 1 }
                    guard line == "}" else { continue }
                    #expect(
                        tests < 2 || tests * bytes < 70_000,
                        "\(House.name(of: file)):\(start + 1): \(tests) tests in \(bytes) bytes")
                    (start, tests, bytes) = (number + 1, 0, 0)
                }
            }
        }
    }

    /// The compiler inlines members of a package type into other modules only where the type is
    /// `@usableFromInline`. It ignores `@inlinable` elsewhere without a warning.
    @Test func packageTypesWithInlinableMembersAreUsableFromInline() throws {
        var inlinable = 0, types = 0
        for module in try House.modules() where !module.name.hasSuffix("Tests") {
            var declarations: [String: String] = [:], holders: [String: String] = [:]
            for file in module.files {
                var type = ""
                for line in try House.lines(of: file) {
                    if line.hasSuffix("{"), !line.hasPrefix(" ") {
                        if let match = line.firstMatch(of: /\b(struct|class|enum) (?<name>\w+)/) {
                            type = String(match.name)
                            declarations[type] = String(line)
                            types += 1
                        } else if let match = line.firstMatch(of: /\bextension (?<name>\w+)/) {
                            type = String(match.name)
                        }
                    }
                    guard line.hasPrefix("    @inlinable") else { continue }
                    inlinable += 1
                    holders[type] = House.name(of: file)
                }
            }
            for (type, file) in holders {
                guard let declaration = declarations[type], declaration.contains("package ") else { continue }
                #expect(declaration.contains("@usableFromInline"), "\(file): \(type)")
            }
        }
        #expect(inlinable > 20 && types > 500)
    }

    /// Held by the toolchain's own formatter, with the rules of `.swift-format`.
    @Test(.enabled(if: runsSweeps)) func sourcesAreFormatted() throws {
        let lint = Process(), output = privatePipe()
        lint.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        lint.arguments = [
            "swift", "format", "lint", "--strict", "--parallel", "--recursive", "Sources", "Tests", "Package.swift",
        ]
        lint.currentDirectoryURL = House.root
        lint.standardError = output
        try lint.run()
        let findings = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        lint.waitUntilExit()
        #expect(lint.terminationStatus == 0, "swift format --in-place mends most of it:\n\(findings.prefix(4000))")
    }

    /// The formatter leaves comments as they are.
    @Test func commentsEndAtColumn100() throws {
        for module in try House.modules() {
            for file in module.files {
                var isInFence = false
                for (index, line) in try House.lines(of: file).enumerated() {
                    let text = line.drop { $0 == " " }
                    guard text.hasPrefix("//") else { continue }
                    if text.hasPrefix("/// ```") { isInFence.toggle() }
                    // What can't be broken: code and tables.
                    let body = text.drop { $0 == "/" }
                    if isInFence || body.hasPrefix(" |") || body.hasPrefix("     ") || body.hasPrefix(" (") { continue }
                    #expect(
                        line.count <= 100 || !body.dropFirst().contains(" "), "\(House.name(of: file)):\(index + 1)")
                }
            }
        }
    }
}

extension HouseTests {
    /// The newest release of the changelog, the command and the Python package have one version.
    @Test func versionsAgree() throws {
        func version(_ file: String, _ pattern: some RegexComponent<(Substring, version: Substring)>) throws
            -> Substring?
        {
            try String(contentsOf: House.root.appendingPathComponent(file), encoding: .utf8).firstMatch(of: pattern)?
                .output.version
        }
        let released = try #require(try version("CHANGELOG.md", /\n## (?<version>\d+\.\d+\.\d+)\n/))
        let command = try version("Sources/Interchange/Release.swift", /version = "(?<version>[0-9.]+)"/)
        let package = try version("Sources/FolioC/python/pyproject.toml", /version = "(?<version>[0-9.]+)"/)
        #expect(command == released && package == released)
    }
}
