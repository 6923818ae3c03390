import Foundation
import Testing

@Suite struct HouseTests {
    @Test func theManifestListsEveryRoomThatThereIs() throws {
        let rooms = try House.rooms()
        let listed = Set(rooms.map(\.name))
        for folder in ["Sources", "Tests"] {
            let url = House.root.appendingPathComponent(folder)
            let found = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { !$0.hasPrefix(".") && $0 != "TestSupport" && $0 != "Plugins" }
            #expect(Set(found).subtracting(listed).isEmpty)
        }
        #expect(rooms.count > 20)
    }

    @Test func roomsImportOnlyWhatTheManifestAllowsThem() throws {
        let rooms = try House.rooms()
        let names = Set(rooms.map(\.name)).union(["TestSupport"])
        var fileCount = 0
        for room in rooms {
            for file in room.files {
                fileCount += 1
                let forbidden = Set(try House.imports(of: file)).intersection(names).subtracting(room.imports).subtracting([room.name])
                #expect(forbidden.isEmpty, "\(House.name(of: file)) imports \(forbidden.sorted().joined(separator: ", "))")
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
        for room in try House.rooms() {
            for file in room.files where room.name != "HouseTests" {
                for (number, line) in try House.lines(of: file).enumerated() {
                    let code = line.drop { $0 == " " }
                    if code.hasPrefix("//") { continue }
                    #expect(!code.hasPrefix("#if"), "\(House.name(of: file)):\(number + 1)")
                    #expect(!code.contains(/\btry!/), "\(House.name(of: file)):\(number + 1)")
                    #expect(!code.hasPrefix("@testable"), "\(House.name(of: file)):\(number + 1)")
                }
            }
        }
    }

    @Test func noFileIsLongerThan600Lines() throws {
        for room in try House.rooms() {
            for file in room.files {
                let count = try House.lines(of: file).count
                #expect(count <= 600, "\(House.name(of: file)) has \(count) lines")
            }
        }
    }
}
