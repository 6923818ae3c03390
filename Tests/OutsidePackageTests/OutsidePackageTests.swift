import Foundation
import TestSupport
import Testing

/// A second package, outside the repository, builds all of Folio anew: that takes minutes, so this
/// runs where it is asked for (`.ci/outside-package`).
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FOLIO_OUTSIDE_PACKAGE"] != nil))
struct OutsidePackageTests {
    @Test func aPackageThatNamesFolioByURLAndVersionUsesMacrosAndPlugin() throws {
        try withTemporaryDirectory { scratch in
            let package = try OutsidePackage(in: scratch)
            let first = try Subprocess.succeed("swift", "test", in: package.folder)
            #expect(first.contains("Test run with 8 tests in 2 suites passed"), "\(first.suffix(4000))")
            #expect(!first.contains("unhandled"), "\(first.prefix(4000))")
            #expect(
                try String(contentsOf: package.folder.appendingPathComponent("Package.resolved"), encoding: .utf8)
                    .contains(#""version" : "1.2.0""#))

            // Nothing changed: nothing is generated. What differs between a build for tests and
            // another has to settle first.
            try Subprocess.succeed("swift", "build", in: package.folder)
            let file = try package.generatedFile()
            let written = try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
            let second = try Subprocess.succeed("swift", "build", in: package.folder)
            #expect(!second.contains("Classes of Expeditions") && !second.contains("Compiling Almanac"))
            #expect(try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate == written)

            // A change that the classes don't show.
            try package.editModel("<model ", to: "<model  ")
            let third = try Subprocess.succeed("swift", "build", in: package.folder)
            #expect(third.contains("Classes of Expeditions"), "\(third)")
            #expect(try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate == written)

            try package.editModel(#"<attribute name="born""#, to: #"<attribute name="birth""#)
            let fourth = try Subprocess.succeed("swift", "build", in: package.folder)
            #expect(fourth.contains("Classes of Expeditions"), "\(fourth)")
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("public var birth: Date?") && !text.contains("public var born:"))

            try package.editModel("<entity ", to: "<entitty ")
            let fifth = try Subprocess.run(["swift", "build"], in: package.folder)
            #expect(fifth.exit != 0 && fifth.output.contains("Expeditions.xcdatamodeld: error: "), "\(fifth.output)")
        }
    }
}
