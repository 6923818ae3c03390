import Foundation
import TestSupport
import Testing

/// Migrations over several versions, by mapping models in a folder, and what is said of those that
/// don't work.
struct MappingWayTests {
    /// The versions of a model: Car, which becomes Vehicle, gets a color, and becomes Machine.
    private func model(in folder: URL) throws -> String {
        let bundle = folder.appendingPathComponent("Cars.xcdatamodeld")
        for (name, entity, attributes) in [
            ("1", "Car", "plate maker"), ("2", "Vehicle", "plate maker"), ("3", "Vehicle", "plate maker color"),
            ("4", "Machine", "plate maker color"),
        ] {
            try write(version: name, entity, attributes, in: bundle)
        }
        let current =
            "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>4.xcdatamodel</string></dict></plist>"
        try Data(current.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
        return bundle.path
    }

    private func write(version name: String, _ entity: String, _ attributes: String, in bundle: URL) throws {
        let version = bundle.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        let elements = attributes.split(separator: " ").map { text -> String in
            let parts = text.split(separator: ":")
            return
                "<attribute name=\"\(parts[0])\" \(parts.count > 1 ? "" : "optional=\"YES\"") attributeType=\"\(parts.count > 2 ? parts[2] : "String")\"/>"
        }
        let text =
            "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\" userDefinedModelVersionIdentifier=\"\(name)\"><entity name=\"\(entity)\">\(elements.joined())</entity></model>"
        try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
    }

    /// A mapping model as Xcode writes it.
    @discardableResult
    private func mapping(
        _ name: String, from source: String, to destination: String, _ attributes: String..., policy: String? = nil,
        in folder: URL
    ) throws -> String {
        let file = folder.appendingPathComponent("\(name).xcmappingmodel")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        func attribute(_ name: String, _ text: String?) -> String {
            text.map { "<attribute name=\"\(name)\" type=\"string\">\($0)</attribute>" } ?? ""
        }
        let ids = attributes.indices.map { "z\(104 + $0)" }
        let members = zip(ids, attributes).map {
            "<object type=\"XDDEVATTRIBUTEMAPPING\" id=\"\($0)\">\(attribute("name", $1))</object>"
        }
        let text = """
            <database>
                <databaseInfo><version>134481920</version><UUID>6F0C5D2E-0000-4000-8000-000000000001</UUID><nextObjectID>105</nextObjectID></databaseInfo>
                <object type="XDDEVMAPPINGMODEL" id="z102"><relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship></object>
                <object type="XDDEVENTITYMAPPING" id="z103">
                    \(attribute("sourcename", source))\(attribute("destinationname", destination))\(attribute("migrationpolicyclassname", policy))
                    <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="\(ids.joined(separator: " "))"></relationship>
                </object>
                \(members.joined())
            </database>
            """
        try Data(text.utf8).write(to: file.appendingPathComponent("xcmapping.xml"))
        return file.path
    }

    /// A document of the first version with two cars, in a form.
    private func document(_ form: String, model: String, in folder: URL) throws -> String {
        let package = folder.appendingPathComponent("Cars.folio").path
        #expect(try FolioCommand.run("new", package, "--model", model + "#1").exit == 0)
        for plate in ["X 1", "X 2"] {
            #expect(try FolioCommand.run("insert", package, "Car", "plate=\(plate)", "maker=y").exit == 0)
        }
        let document = folder.appendingPathComponent("Doc.\(form)").path
        let words =
            ["sqlite", "xml", "binary"].contains(form)
            ? ["--store", form] : form == "folioz" ? ["--archive"] : ["--package"]
        #expect(try FolioCommand.run(["save-as", package, document] + words).exit == 0)
        return document
    }

    private func machines(_ document: String, _ model: String, _ columns: String = "plate") throws -> [[String]] {
        let found = try FolioCommand.run(
            ["fetch", document, "Machine", "--columns", columns, "--sort", "plate", "--format", "csv"]
                + (document.hasSuffix(".xml") ? ["--model", model] : []))
        return found.output.split(whereSeparator: \.isNewline).dropFirst().map {
            $0.split(separator: ",").dropFirst().map(String.init)
        }
    }

    @Test(arguments: ["folio", "folioz", "sqlite", "xml", "binary"])
    func aFolderOfMappingModelsLeadsOverTheVersionsInBetween(form: String) throws {
        try withTemporaryDirectory { folder in
            let model = try model(in: folder), document = try document(form, model: model, in: folder)
            let maps = folder.appendingPathComponent("Maps")
            let first = try mapping("A", from: "Car", to: "Vehicle", "plate", "maker", in: maps)
            let second = try mapping(
                "B", from: "Vehicle", to: "Machine", "plate", "maker", "color", policy: "Cars.MakerPolicy", in: maps)
            let words = ["migrate", document, "--model", model]
            let before = try FolioCommand.contents(of: folder)
            for options in [["--mapping", maps.path], ["--mapping", first, "--mapping", second]] {
                for dry in [[], ["--dry-run"]] {
                    let refused = try FolioCommand.run(words + options + dry)
                    #expect(refused.exit == 69 && refused.errors.first?.contains("MakerPolicy") == true)
                    #expect(refused.hints.first?.contains("--policy POLICY.METHOD=EXPRESSION") == true)
                }
            }
            let policy = ["--policy", #"MakerPolicy.color=uppercase($source.maker)"#]
            let dry = try FolioCommand.run(words + ["--mapping", maps.path, "--dry-run", "--json"] + policy)
            #expect(dry.exit == 0 && dry.object["stages"] as? Int == 2, "\(dry.messages)")
            #expect(dry.object["losesObjects"] as? Bool == false && (dry.object["lost"] as? [Any])?.isEmpty == true)
            #expect(try FolioCommand.contents(of: folder) == before)
            let done = try FolioCommand.run(words + ["--mapping", second, "--mapping", first, "--json"] + policy)
            #expect(done.exit == 0, "\(done.messages)")
            #expect(try machines(document, model, "plate,color") == [["X 1", "Y"], ["X 2", "Y"]])
            #expect(
                try FolioCommand.run(
                    ["verify", "--deep", document] + (form == "xml" ? ["--model", model] : [])
                ).exit == 0)
        }
    }

    @Test func whatOneMappingModelDoesNotReachIsSaid() throws {
        try withTemporaryDirectory { folder in
            let model = try model(in: folder), document = try document("sqlite", model: model, in: folder)
            let maps = folder.appendingPathComponent("Maps")
            let first = try mapping("A", from: "Car", to: "Vehicle", "plate", "maker", in: maps)
            let words = ["migrate", document, "--model", model]
            let refused = try FolioCommand.run(words + ["--mapping", first, "--json"])
            #expect(refused.exit == 78)
            #expect(refused.messages.contains(#""wouldLose":["Car"]"#), "\(refused.messages)")
            #expect(try FolioCommand.run(words + ["--policy", "Maker"]).exit == 64)
            #expect(try FolioCommand.run(words + ["--mapping", first, "--policy", "Maker"]).exit == 64)
            #expect(try FolioCommand.run(words + ["--mapping", folder.path]).exit == 65)
            try Data("no".utf8).write(to: maps.appendingPathComponent("C.cdm"))
            let broken = try FolioCommand.run(words + ["--mapping", maps.path])
            #expect(broken.exit == 65 && broken.errors.first?.contains("C.cdm") == true)
        }
    }

    @Test func obstaclesStandOnLinesOfTheirOwnAndAdviceIsForWhoMigrates() throws {
        try withTemporaryDirectory { folder in
            let bundle = folder.appendingPathComponent("Cars.xcdatamodeld")
            try write(version: "1", "Car", "plate maker", in: bundle)
            try write(version: "2", "Car", "plate:!:Date maker:!:Date", in: bundle)
            let model = bundle.path
            let documents = ["A", "B"].map { folder.appendingPathComponent("\($0).folio").path }
            for path in documents {
                #expect(try FolioCommand.run("new", path, "--model", model + "#1").exit == 0)
                #expect(try FolioCommand.run("insert", path, "Car", "plate=X").exit == 0)
            }
            let one = try FolioCommand.run("migrate", documents[0], "--model", model + "#2")
            #expect(one.exit == 78)
            let lines = one.messages.split(separator: "\n").map(String.init)
            #expect(lines.filter { $0.hasPrefix("  Car.") }.count == 2, "\(one.messages)")
            #expect(!one.messages.contains("give it a default") && one.hints.count == 1, "\(one.messages)")
            #expect(one.hints.first?.contains("--mapping") == true)
            let all = try FolioCommand.run(["migrate"] + documents + ["--model", model + "#2"])
            #expect(all.errors.count == 2 && all.hints.count == 1, "\(all.messages)")
        }
    }

    @Test(arguments: ["folioz", "sqlite", "xml", "binary"])
    func aMigrationThatIsDoneAgainKeepsTheOldStateOnce(form: String) throws {
        try withTemporaryDirectory { folder in
            let model = try model(in: folder), document = try document(form, model: model, in: folder)
            let kept = folder.appendingPathComponent("Doc.before-1.\(form)")
            let words = ["migrate", document, "--model", model + "#2", "--allow-loss"]
            let old = try Data(contentsOf: URL(fileURLWithPath: document))
            #expect(try FolioCommand.run(words).exit == 0)
            let first = try Data(contentsOf: kept)
            // As after a kill between the copy and the commit.
            try old.write(to: URL(fileURLWithPath: document))
            let again = try FolioCommand.run(words + ["--json"])
            #expect(again.exit == 0 && again.object["backup"] as? String == kept.path, "\(again.messages)")
            #expect(try Data(contentsOf: kept) == first)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.filter { $0.contains("before-") } == [kept.lastPathComponent], "\(names)")
            // Another state of that version is kept beside it.
            try old.write(to: URL(fileURLWithPath: document))
            if form != "xml" {
                #expect(try FolioCommand.run("insert", document, "Car", "plate=Z").exit == 0)
                #expect(try FolioCommand.run(words).exit == 0)
                #expect(try Data(contentsOf: kept) == first)
                #expect(FileManager.default.fileExists(atPath: folder.path + "/Doc.before-1-2.\(form)"))
            }
        }
    }
}
