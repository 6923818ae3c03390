public import Foundation

/// A program of the build that this test is part of: it stands beside the test bundle in the build
/// folder.
public func builtProgram(_ name: String) -> URL {
    var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    while folder.path != "/", !FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent(name).path) {
        folder.deleteLastPathComponent()
    }
    return folder.appendingPathComponent(name)
}
