import Foundation
import TestSupport
import Testing

/// `folio migrate` on documents of every form.
struct MigrateTests {
    private let models = FolioCommand.samples.appendingPathComponent("Expeditions.xcdatamodeld").path

    /// The names of all persons: what every version knows.
    private func names(_ document: String) throws -> [String] {
        let outcome = try FolioCommand.run(
            "fetch", document, "Person", "--columns", "name", "--sort", "name", "--format", "json")
        return (outcome.json as? [[String: Any]])?.compactMap { $0["name"] as? String } ?? []
    }

    @Test(arguments: [["--package"], ["--archive"], ["--store", "sqlite"]])
    func aDocumentIsMigratedWhereItIsAndItsOldStateKept(form: [String]) throws {
        try withTemporaryDirectory { folder in
            let document = folder.appendingPathComponent("Doc.document").path
            _ = try FolioCommand.run(["save-as", FolioCommand.document, document] + form)
            let before = try names(document)
            #expect(!before.isEmpty)
            let preview = try FolioCommand.run("migrate", document, "--model", models, "--dry-run", "--json")
            #expect(preview.exit == 0 && preview.object["needed"] as? Bool == true)
            let outcome = try FolioCommand.run("migrate", document, "--model", models, "--json")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(outcome.object["steps"] as? [String] == preview.object["steps"] as? [String])
            #expect(try names(document) == before)
            #expect(try FolioCommand.run("fetch", document, "Summit", "--count").exit == 0)
            #expect(try FolioCommand.run("verify", document).exit == 0)
            let backup = try #require(outcome.object["backup"] as? String)
            let isPackage = form == ["--package"]
            #expect(backup.hasSuffix(isPackage ? "Doc.document@1" : "Doc.before-Expeditions.document"))
            #expect(try names(backup) == before)
            #expect(try FolioCommand.run("insert", document, "Person", "name=Ada").exit == 0)
            let again = try FolioCommand.run("migrate", document, "--model", models, "--json")
            #expect(again.object["needed"] as? Bool == false)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                !$0.hasSuffix(".lock")
            }.sorted()
            #expect(left == (isPackage ? [] : ["Doc.before-Expeditions.document"]) + ["Doc.document"])
        }
    }

    @Test func aMigratedCopyLeavesTheDocumentAlone() throws {
        try withTemporaryDirectory { folder in
            let target = folder.appendingPathComponent("New.folio").path
            let before = try FolioCommand.run("export", FolioCommand.document).output
            #expect(
                try FolioCommand.run(
                    "migrate", FolioCommand.document, "--model", models + "#Expeditions 2", "-o", target
                ).exit == 0)
            #expect(try FolioCommand.run("export", FolioCommand.document).output == before)
            #expect(try names(target) == names(FolioCommand.document))
            #expect(try FolioCommand.run("migrate", FolioCommand.document, "--model", models, "-o", target).exit == 73)
        }
    }

    @Test func whatCanNotBeInferredIsRefusedAndNothingChanges() throws {
        try withTemporaryDirectory { folder in
            let document = folder.appendingPathComponent("Doc.folio").path,
                model = folder.appendingPathComponent("Other.xcdatamodel")
            #expect(try FolioCommand.run("save-as", FolioCommand.document, document).exit == 0)
            let before = try FolioCommand.run("export", document).output
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            let text =
                "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\"><entity name=\"Person\"><attribute name=\"name\" optional=\"YES\" attributeType=\"Date\"/></entity></model>"
            try Data(text.utf8).write(to: model.appendingPathComponent("contents"))
            let outcome = try FolioCommand.run("migrate", document, "--model", model.path)
            #expect(outcome.exit == 78)
            #expect(outcome.messages.contains("\n  Person.name changes its type from String to Date"))
            #expect(try FolioCommand.run("export", document).output == before)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".lock") }
                    .sorted() == ["Doc.folio", "Other.xcdatamodel"])
            #expect(try FolioCommand.run("migrate", document).exit == 64)
        }
    }
}

extension MigrateTests {
    @Test func aDryRunSaysAllStepsAndWhatTheyTake() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run("migrate", document, "--model", models, "--dry-run")
            #expect(outcome.exit == 0)
            #expect(outcome.output.isEmpty && outcome.messages.split(separator: "\n").count < 10)
            #expect(
                outcome.messages.contains("would add ") && outcome.messages.contains("it takes some ")
                    && outcome.messages.contains("MiB on the disk"))
            let steps = try FolioCommand.run("migrate", document, "--model", models, "--dry-run", "--verbose")
            #expect(steps.output.split(separator: "\n").count > 3 && steps.messages == outcome.messages)
            let json = try FolioCommand.run("migrate", document, "--model", models, "--dry-run", "--json").object
            let estimate = try #require(json["estimate"] as? [String: Any])
            #expect(
                (estimate["rows"] as? Int ?? 0) > 0 && (estimate["bytes"] as? Int ?? 0) > 0
                    && estimate["seconds"] is Int)
            #expect(json["inPlace"] as? Bool == true)
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}

extension MigrateTests {
    // MARK: Losses

    @Test(arguments: ["package", "archive", "sqlite", "xml"]) func objectsAreLostOnlyWhereThatIsAllowed(form: String)
        throws
    {
        try withTemporaryDirectory { folder in
            let old = try model("Car", "plate maker", in: folder, "1"),
                other = try model("Ship", "name", in: folder, "2")
            let document = folder.appendingPathComponent("Doc.document").path
            let made = ["package": [], "archive": ["--archive"]][form] ?? ["--store", form]
            #expect(try FolioCommand.run(["new", document, "--model", old] + made).exit == 0)
            for plate in ["X 1", "X 2"] {
                #expect(try FolioCommand.run("insert", document, "Car", "plate=\(plate)", "--model", old).exit == 0)
            }
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: document))
            let source = ["--model", other]
            let dry = try FolioCommand.run(["migrate", document] + source + ["--dry-run"])
            guard form != "xml" else {
                // A store that carries no model is not read by one that is not its own.
                #expect(dry.exit == 78)
                return
            }
            #expect(
                dry.exit == 78 && dry.messages.contains("no place for Car (2 objects)")
                    && dry.messages.contains("--allow-loss"), "\(dry.messages)")
            let refused = try FolioCommand.run(["migrate", document] + source)
            #expect(
                refused.exit == 78 && refused.messages.contains("no place for Car (2 objects)")
                    && refused.messages.contains("hint: say --allow-loss"), "\(refused.messages)")
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: document)) == before)
            let json = try FolioCommand.run(["migrate", document] + source + ["--allow-loss", "--json"])
            #expect(json.exit == 0 && json.object["losesObjects"] as? Bool == true)
            let lost = try #require(json.object["lost"] as? [[String: Any]])
            #expect(
                lost.count == 1 && lost[0]["entity"] as? String == "Car" && lost[0]["count"] as? Int == 2
                    && lost[0]["property"] is NSNull)
            #expect(try FolioCommand.run("fetch", document, "Ship", "--count").output == "0\n")
        }
    }

    @Test func whatIsAddedChangedAndLostIsSaidInAFewLines() throws {
        try withTemporaryDirectory { folder in
            let old = try model("Car", "plate maker color", in: folder, "1"),
                new = try model("Car", "plate owner", in: folder, "2")
            let document = folder.appendingPathComponent("Cars.folio").path
            #expect(try FolioCommand.run("new", document, "--model", old).exit == 0)
            for plate in ["X 1", "X 2", "X 3"] {
                #expect(
                    try FolioCommand.run(
                        ["insert", document, "Car", "plate=\(plate)"] + (plate == "X 3" ? [] : ["maker=Y"])
                    ).exit == 0)
            }
            let dry = try FolioCommand.run("migrate", document, "--model", new, "--dry-run")
            #expect(
                dry.messages.contains("would add Car.owner")
                    && dry.messages.contains("would lose Car.maker (2 values), Car.color (no values)"),
                "\(dry.messages)")
            let outcome = try FolioCommand.run("migrate", document, "--model", new)
            #expect(outcome.exit == 0 && outcome.output.isEmpty, "\(outcome.output)")
            #expect(
                outcome.messages.split(separator: "\n").map(String.init).prefix(2) == [
                    "adds Car.owner", "loses Car.maker (2 values), Car.color (no values)",
                ], "\(outcome.messages)")
        }
    }
}

extension MigrateTests {
    // MARK: Mapping models

    private func model(_ entity: String, _ attributes: String, and other: String? = nil, in folder: URL, _ name: String)
        throws -> String
    {
        let model = folder.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        func element(_ entity: String, _ attributes: String) -> String {
            let elements = attributes.split(separator: " ").map {
                "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
            }
            return "<entity name=\"\(entity)\">\(elements.joined())</entity>"
        }
        let entities = element(entity, attributes) + (other.map { element($0, "name") } ?? "")
        let text =
            "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\" userDefinedModelVersionIdentifier=\"\(name)\">\(entities)</model>"
        try Data(text.utf8).write(to: model.appendingPathComponent("contents"))
        return model.path
    }

    /// A mapping model as Xcode writes it, from `Car` to `Vehicle`.
    private func mapping(filter: String?, policy: String? = nil, to destination: String = "Vehicle", in folder: URL)
        throws -> String
    {
        let file = folder.appendingPathComponent("Cars.xcmappingmodel")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        func attribute(_ name: String, _ text: String?) -> String {
            text.map { "<attribute name=\"\(name)\" type=\"string\">\($0)</attribute>" } ?? ""
        }
        let text = """
            <?xml version="1.0" standalone="no"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
            <database>
                <databaseInfo><version>134481920</version><UUID>6F0C5D2E-0000-4000-8000-000000000001</UUID><nextObjectID>105</nextObjectID>
                <metadata><plist version="1.0"><dict></dict></plist></metadata></databaseInfo>
                <object type="XDDEVMAPPINGMODEL" id="z102">
                    <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
                </object>
                <object type="XDDEVENTITYMAPPING" id="z103">
                    \(attribute("sourcename", "Car"))\(attribute("destinationname", destination))\(attribute("mappingtypename", "Undefined"))
                    \(attribute("sourcefilterpredicatestring", filter))\(attribute("migrationpolicyclassname", policy))
                    <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z104"></relationship>
                </object>
                <object type="XDDEVATTRIBUTEMAPPING" id="z104">\(attribute("name", "plate"))</object>
            </database>
            """
        try Data(text.utf8).write(to: file.appendingPathComponent("xcmapping.xml"))
        return file.path
    }

    @Test(arguments: [nil, "plate != \"X 2\""], ["--package", "--archive", "--store"])
    func aMappingModelSaysWhatBecomesOfObjects(filter: String?, form: String) throws {
        try withTemporaryDirectory { folder in
            let old = try model("Car", "plate maker", in: folder, "1"),
                new = try model("Vehicle", "plate", in: folder, "2")
            let package = folder.appendingPathComponent("Cars.folio").path,
                document = folder.appendingPathComponent("Doc.document").path
            #expect(try FolioCommand.run("new", package, "--model", old).exit == 0)
            for plate in ["X 1", "X 2", "X 3"] {
                #expect(try FolioCommand.run("insert", package, "Car", "plate=\(plate)", "maker=Y").exit == 0)
            }
            #expect(
                try FolioCommand.run(["save-as", package, document, form] + (form == "--store" ? ["sqlite"] : [])).exit
                    == 0)
            let mapping = try mapping(filter: filter, in: folder)
            #expect(try FolioCommand.run("migrate", document, "--model", new, "--mapping", old).exit == 65)
            let preview = try FolioCommand.run(
                "migrate", document, "--model", new, "--mapping", mapping, "--dry-run", "--json"
            ).object
            #expect(preview["inPlace"] as? Bool == (filter == nil))
            let outcome = try FolioCommand.run("migrate", document, "--model", new, "--mapping", mapping, "--json")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            let found =
                try FolioCommand.run(
                    "fetch", document, "Vehicle", "--columns", "plate", "--sort", "plate", "--format", "json"
                ).json as? [[String: Any]]
            #expect(
                found?.compactMap { $0["plate"] as? String }
                    == (filter == nil ? ["X 1", "X 2", "X 3"] : ["X 1", "X 3"]))
            #expect(try FolioCommand.run("verify", document).exit == 0)
            let backup = try #require(outcome.object["backup"] as? String)
            #expect(try FolioCommand.run("fetch", backup, "Car", "--count").output == "3\n")
        }
    }
}

extension MigrateTests {
    /// In place, and object by object.
    @Test(arguments: [nil, "plate != \"X 2\""], ["--package", "--archive", "--store"])
    func aMappingModelLosesNothingUnsaid(filter: String?, form: String) throws {
        try withTemporaryDirectory { folder in
            let old = try model("Car", "plate maker", and: "Ship", in: folder, "1"),
                new = try model("Vehicle", "plate", in: folder, "2")
            let package = folder.appendingPathComponent("Cars.folio").path,
                document = folder.appendingPathComponent("Doc.document").path
            #expect(try FolioCommand.run("new", package, "--model", old).exit == 0)
            for plate in ["X 1", "X 2", "X 3"] {
                #expect(
                    try FolioCommand.run(
                        ["insert", package, "Car", "plate=\(plate)"] + (plate == "X 1" ? [] : ["maker=Y"])
                    ).exit == 0)
            }
            #expect(try FolioCommand.run("insert", package, "Ship", "name=Z").exit == 0)
            #expect(
                try FolioCommand.run(["save-as", package, document, form] + (form == "--store" ? ["sqlite"] : [])).exit
                    == 0)
            let words = ["migrate", document, "--model", new, "--mapping", try mapping(filter: filter, in: folder)]
            var losses = ["Ship (1 object)", "Car.maker (2 values)"]
            if filter != nil { losses.insert("Car (1 object)", at: 0) }
            let dry = try FolioCommand.run(words + ["--dry-run"])
            #expect(
                dry.exit == 78 && losses.filter { $0.contains("object") }.allSatisfy(dry.messages.contains)
                    && dry.messages.contains("--allow-loss"), "\(dry.messages)")
            let before = try FolioCommand.contents(of: folder)
            let refused = try FolioCommand.run(words)
            #expect(refused.exit == 78 && refused.messages.contains("Ship (1 object)"), "\(refused.messages)")
            #expect(try FolioCommand.contents(of: folder) == before)
            let done = try FolioCommand.run(words + ["--allow-loss"])
            #expect(
                done.exit == 0 && done.messages.contains("loses \(losses.joined(separator: ", "))"), "\(done.messages)")
            #expect(
                try FolioCommand.run("fetch", document, "Vehicle", "--count").output == (filter == nil ? "3\n" : "2\n"))
        }
    }

    @Test func aMappingModelThatCanNotBeCarriedOutIsRefused() throws {
        try withTemporaryDirectory { folder in
            let old = try model("Car", "plate maker", in: folder, "1"),
                new = try model("Vehicle", "plate", in: folder, "2")
            let document = folder.appendingPathComponent("Cars.folio")
            #expect(try FolioCommand.run("new", document.path, "--model", old).exit == 0)
            #expect(try FolioCommand.run("insert", document.path, "Car", "plate=X").exit == 0)
            let before = try FolioCommand.contents(of: document)
            let policy = try FolioCommand.run(
                "migrate", document.path, "--model", new, "--mapping",
                try mapping(filter: nil, policy: "Cars.MakerPolicy", in: folder))
            #expect(policy.exit == 69)
            #expect(policy.errors.first?.contains("MakerPolicy") == true)
            let other = try FolioCommand.run(
                "migrate", document.path, "--model", new, "--mapping", try mapping(filter: nil, to: "Ship", in: folder))
            #expect(other.exit == 78)
            #expect(other.errors.first?.contains("Ship is not in the new version") == true)
            #expect(
                try FolioCommand.run(
                    "migrate", document.path, "--model", new, "--mapping", folder.appendingPathComponent("No.cdm").path
                ).exit == 66)
            #expect(try FolioCommand.contents(of: document) == before)
        }
    }
}

extension MigrateTests {
    // MARK: Many documents

    @Test(arguments: ["1", "3"]) func manyDocumentsAreMigratedAndOneThatFailsKeepsNoneOfTheOthers(jobs: String) throws {
        try withTemporaryDirectory { folder in
            let names = ["A", "B", "C", "D", "E"].map { folder.appendingPathComponent("\($0).folio").path }
            for name in names where !name.hasSuffix("C.folio") {
                try FileManager.default.copyContents(
                    of: URL(fileURLWithPath: FolioCommand.document), to: URL(fileURLWithPath: name))
            }
            let outcome = try FolioCommand.run(["migrate"] + names + ["--model", models, "--jobs", jobs, "--json"])
            #expect(outcome.exit == 66)
            let results = try #require(outcome.json as? [[String: Any]])
            #expect(results.map { $0["path"] as? String } == names)
            #expect(results.map { $0["error"] != nil } == [false, false, true, false, false])
            #expect(results.map { $0["needed"] as? Bool } == [true, true, nil, true, true])
            let again = try FolioCommand.run(
                ["migrate"] + names.filter { !$0.hasSuffix("C.folio") } + ["--model", models])
            #expect(again.exit == 0)
            #expect(
                again.output.split(separator: "\n").count == 4
                    && again.output.contains("E.folio: is of this version already"))
            #expect(try FolioCommand.run(["migrate"] + names + ["--model", models, "-o", names[2]]).exit == 64)
            #expect(try FolioCommand.run(["migrate", names[0], "--model", models, "--jobs", "0"]).exit == 64)
        }
    }

    @Test(arguments: [true, false]) func ofManyDocumentsEachIsToldOfAsOneIs(isDryRun: Bool) throws {
        try withTemporaryDirectory { folder in
            let names = ["One", "A", "B"].map { folder.path + "/\($0).folio" }
            for name in names {
                try FileManager.default.copyContents(
                    of: URL(fileURLWithPath: FolioCommand.document), to: URL(fileURLWithPath: name))
            }
            let words = ["--model", models, "--verbose"] + (isDryRun ? ["--dry-run"] : [])
            let one = try FolioCommand.run(["migrate", names[0]] + words)
            let many = try FolioCommand.run(["migrate", names[1], names[2]] + words)
            #expect(one.exit == 0 && many.exit == 0)
            let
                summary = one.messages.split(separator: "\n").filter {
                    !$0.hasPrefix("it takes") && !$0.hasPrefix("the old state")
                }, steps = one.output.split(separator: "\n")
            #expect(summary.contains { $0.hasPrefix(isDryRun ? "would add" : "adds") } && steps.count > 3)
            #expect(
                many.messages.split(separator: "\n").map(String.init)
                    == names[1...].flatMap { name in summary.map { "\(name): \($0)" } })
            for name in names[1...] { for step in steps { #expect(many.output.contains("\(name): \(step)\n")) } }
        }
    }

    @Test func aDocumentThatIsNewerIsRefused() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("migrate", document, "--model", models).exit == 0)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run("migrate", document, "--model", FolioCommand.model)
            #expect(outcome.exit == 76)
            #expect(
                outcome.errors.first?.contains("“Expeditions 3”, which is newer than “Expeditions”") == true,
                "\(outcome.messages)")
            #expect(outcome.hints.first?.contains("Expeditions.folio@") == true)
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}
