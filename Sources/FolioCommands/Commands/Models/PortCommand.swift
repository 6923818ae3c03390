import Folio
import Foundation
import PortReport

/// `folio port DIR`
enum PortCommand: Command {
    static let specification = CommandSpecification(
        "port", "rewrites Swift sources that use Core Data for the module CoreData", operands: "DIR [--dry-run]",
        count: 1...1,
        options: [OptionSpecification([dryRun], "change nothing, and show the difference, which patch -p1 applies")],
        notes: """
            Rewritten are @NSManaged, @objc and what goes with it, #keyPath, #selector of the methods that compare texts, va_lists of predicates, casts of requests, literals of \
            NSSet, classForCoder(), and types whose names Foundation has, too. Overrides in extensions move into their classes. The rest is listed by file and line. Only what has to \
            change is replaced; files that import UIKit, AppKit or SwiftUI stay as they are.

            DIR is a folder, with all Swift files and models in it but those in hidden folders, Pods, Carthage and DerivedData, or one Swift file. Which classes are managed objects is \
            known from all files together, so give the folder that has the model and its classes.

            An extension that overrides methods of a class that Xcode generates becomes that class, and the model says that its properties alone are generated (“Category/Extension”). \
            The build plugin, or codegen --for coredata, writes what Xcode generates.

            It takes folio-port, beside this command or in the PATH, and with it the toolchain that it was built by: swift build -c release --product folio-port.
            """,
        examples: ["folio port Sources --dry-run", "folio port Sources"])

    private static let dryRun = "--dry-run"

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let root = arguments.operands[0], isDryRun = arguments.has(dryRun)
        let files = try SourceFolder(root).files(), models = PortedModels(files.models)
        let tree = try PortProgram.located().run(
            PortRequest(paths: files.sources.map(\.path), classes: models.classes))
        let changedModels = models.declaring(tree.declaredClasses)
        let ported = tree.files.sorted { $0.path < $1.path } + changedModels.map(\.source)
        let names = Dictionary(
            files.sources.map { ($0.path, $0.name) } + changedModels.map { ($0.source.path, $0.name) },
            uniquingKeysWith: { first, _ in first })
        let changed = ported.filter { $0.text != nil }
        var differences: [String] = []
        for file in changed {
            guard let text = file.text else { continue }
            if isDryRun {
                let old = String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self)
                differences.append(UnifiedDifference(from: old, to: text).text(of: names[file.path] ?? file.path))
            } else {
                let output = try OutputFile(path: file.path, of: [], registry: console.interruption)
                output.sink.write(Data(text.utf8))
                try output.finish()
                console.hasWritten = true
            }
        }
        // The places are those in the files as the command leaves them.
        var left = ported.flatMap { file in
            file.notes.map { note in
                let path = isDryRun ? file.path : note.newPath
                return Left(
                    file: names[path] ?? path, place: isDryRun ? note.place : note.newPlace, message: note.message)
            }
        }
        left += models.unreadable.map {
            Left(file: $0.name, place: PortedSource.Place(line: 1, column: 1), message: $0.reason)
        }
        if console.isJSON {
            console.print(json(root, changed, left, differences, names, isDryRun: isDryRun))
        } else {
            for difference in differences { console.print(String(difference.dropLast())) }
            if !isDryRun { for file in changed { console.print("changed  \(Printable.line(file.path))") } }
            for item in left {
                let place = "\(Printable.line(item.file)):\(item.place.line):\(item.place.column)"
                let line = "\(place): \(Printable.line(item.message))"
                if isDryRun { console.say(line) } else { console.print(line) }
            }
            console.say(summary(changed, left.count, isDryRun: isDryRun))
        }
        return .done
    }

    /// A place that is left to people.
    private struct Left {
        let file: String
        let place: PortedSource.Place
        let message: String

        var json: JSONValue {
            .object([
                "file": .string(file), "line": .int(place.line), "column": .int(place.column),
                "message": .string(message),
            ])
        }
    }

    private static func summary(_ changed: [PortedSource], _ noteCount: Int, isDryRun: Bool) -> String {
        func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        let places = count(changed.reduce(0) { $0 + $1.changeCount }, "place")
        return "\(isDryRun ? "would change" : "changed") \(places) in \(count(changed.count, "file")); "
            + (noteCount == 0 ? "nothing is left to do" : "\(count(noteCount, "place")) left to you")
    }

    private static func json(
        _ root: String, _ changed: [PortedSource], _ left: [Left], _ differences: [String],
        _ names: [String: String], isDryRun: Bool
    ) -> JSONValue {
        var fields: [String: JSONValue] = [
            "dryRun": .bool(isDryRun), "path": .string(root),
            "changed": .array(
                changed.map {
                    .object(["file": .string(names[$0.path] ?? $0.path), "places": .int($0.changeCount)])
                }),
            "left": .array(left.map(\.json)),
        ]
        if isDryRun { fields["difference"] = .string(differences.joined()) }
        return .object(fields)
    }
}
