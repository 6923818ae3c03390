import Foundation
import TestSupport
import Testing

@Suite("folio codegen")
struct CodegenTests {
    private let model = FolioCommand.samples.appendingPathComponent("Expeditions.xcdatamodeld").path

    @Test func writesWhatChangedAndKeepsWhatIsTheUsers() throws {
        try withTemporaryDirectory { folder in
            let target = folder.appendingPathComponent("Generated").path
            let first = try FolioCommand.run("codegen", model, "-o", target)
            #expect(first.exit == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: target)
            #expect(
                names.contains("Person+Class.swift") && names.contains("Person+Properties.swift")
                    && names.contains("ExpeditionsModel.swift"))
            try Data("// mine".utf8).write(to: URL(fileURLWithPath: target + "/Person+Class.swift"))
            try Data("// old".utf8).write(to: URL(fileURLWithPath: target + "/Person+Properties.swift"))
            let again = try FolioCommand.run("codegen", model, "-o", target)
            #expect(again.output.contains("kept       \(target)/Person+Class.swift"))
            #expect(again.output.contains("written    \(target)/Person+Properties.swift"))
            #expect(again.output.contains("unchanged  \(target)/Place+Properties.swift"))
            let kept = try String(contentsOfFile: target + "/Person+Class.swift", encoding: .utf8)
            #expect(kept == "// mine")
        }
    }

    @Test func dryRunWritesNothing() throws {
        try withTemporaryDirectory { folder in
            let target = folder.appendingPathComponent("Generated").path
            let outcome = try FolioCommand.run("codegen", model, "-o", target, "--dry-run")
            #expect(outcome.exit == 0 && outcome.output.contains("to write "))
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }

    @Test func codableIsOnRequest() throws {
        try withTemporaryDirectory { folder in
            for (option, expected) in [([], false), (["--codable"], true)] {
                let target = folder.appendingPathComponent("Generated\(expected)").path
                #expect(try FolioCommand.run(["codegen", model, "-o", target] + option).exit == 0)
                let text = try String(contentsOfFile: target + "/Person+Properties.swift", encoding: .utf8)
                #expect(text.contains("extension Person: CodableObject {}") == expected)
            }
        }
    }

    @Test func classesForCoreDataAreThoseOfXcode() throws {
        try withTemporaryDirectory { folder in
            let target = folder.appendingPathComponent("Generated").path
            #expect(try FolioCommand.run("codegen", model, "-o", target, "--for", "coredata").exit == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: target)
            #expect(names.contains("Person+CoreDataClass.swift") && !names.contains("ExpeditionsModel.swift"))
            let text = try String(contentsOfFile: target + "/Person+CoreDataProperties.swift", encoding: .utf8)
            #expect(text.contains("public import CoreData\n") && text.contains("NSFetchRequest<Person>"))
            let codable = try FolioCommand.run("codegen", model, "-o", target, "--for", "coredata", "--codable")
            #expect(codable.exit == 64)
        }
    }

    @Test func wrongArgumentsAreUsageErrors() throws {
        let missing = try FolioCommand.run("codegen", model),
            level = try FolioCommand.run("codegen", model, "-o", "x", "--access", "secret")
        #expect(missing.exit == 64 && level.exit == 64)
        let file = try FolioCommand.run("codegen", "missing.xcdatamodeld", "-o", "x")
        #expect(file.exit == 66)
    }
}
