import Foundation

/// A sound package, made of the parts of hostile ones that are.
enum SoundPackage {
    static var store: [UInt8] {
        get throws {
            try Array(Data(contentsOf: HostileTable.folder.appendingPathComponent("outside/store/store.sqlite")))
        }
    }

    static func make(at package: URL, store: [UInt8]? = nil) throws {
        let linked = HostileTable.folder.appendingPathComponent("model-link.folio")
        for (part, content) in [
            ("mimetype", try Data(contentsOf: linked.appendingPathComponent("mimetype"))),
            ("manifest.json", try Data(contentsOf: linked.appendingPathComponent("manifest.json"))),
            (
                "model/Notes.xcdatamodel/contents",
                try Data(contentsOf: HostileTable.folder.appendingPathComponent("outside/Notes.xcdatamodel/contents"))
            ),
            ("store/store.sqlite", Data(try store ?? Self.store)),
        ] {
            let file = package.appendingPathComponent(part)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: file)
        }
    }
}
