import Foundation
import TestSupport
import Testing

/// Names that no file system has are errors of the client, and no mistake of the server.
struct ServeLongNameTests {
    @Test(arguments: [
        String(repeating: "A", count: 300), String(repeating: String(repeating: "A", count: 200) + "/", count: 40),
    ])
    func namesThatAreTooLong(name: String) throws {
        try withTemporaryDirectory { folder in
            let path = try FolioCommand.copyOfDocument(in: folder), client = try ServeClient(in: folder)
            let document = try #require(try client.object("document/open", ["path": path])["document"] as? String)
            for (method, parameters) in [
                ("diff", ["old": name, "new": path]), ("diff", ["old": path, "new": name]),
                ("diff", ["old": name + "@1", "new": path]), ("document/open", ["path": name]),
                ("document/open", ["path": path, "mode": "read", "model": name]),
                ("document/new", ["path": name, "model": path]),
                ("document/new", ["path": folder.path + "/New.folio", "model": name]),
                ("document/saveAs", ["document": document, "path": name]),
                ("document/recover", ["path": name, "action": "keep"]),
                ("merge", ["document": document, "path": name]),
                ("merge", ["document": document, "path": path, "base": name]),
            ] {
                let failure = try #require(try client.failure(method, parameters), "\(method)")
                #expect([64, 65, 66, 73].contains(failure.data["exit"] as? Int), "\(method) \(failure)")
            }
            #expect(try client.end() == 0)
        }
    }
}
