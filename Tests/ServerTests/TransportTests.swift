import Coding
import Folio
import Foundation
import Interchange
import Server
import TestSupport
import Testing

struct TransportTests {
    private static func request(_ id: Int, _ method: String, _ parameters: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
    }

    @Test func theServerAnswersOverAnyTransport() async throws {
        try await withFolder { folder in
            let model = try ManagedObjectModel(entities: [
                EntityDefinition("Note", attributes: [.init("text", .string)])
            ])
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("Notes.folio"), model: model)
            try await document.close()
            let transport = MemoryTransport([
                Self.request(1, "initialize"),
                Self.request(
                    2, "object/insert",
                    #"{"document":"d1","objects":[{"entity":"Note","values":{"text":"a"}}]}"#),
                Self.request(3, "object/count", #"{"document":"d1","entity":"Note"}"#),
                Self.request(4, "document/close", #"{"document":"d1","unsaved":"save"}"#),
                Self.request(5, "shutdown"), #"{"jsonrpc":"2.0","method":"exit"}"#,
            ])
            let server = Server(transport, opening: document.url.path)
            let exit = await server.run()
            #expect(exit == .done)
            let answers = Dictionary(
                transport.sent.compactMap { message in message["id"]?.int(Int.self).map { ($0, message) } },
                uniquingKeysWith: { $1 })
            #expect(answers.count == 5)
            #expect(answers[1]?["result"]?["opened"]?["document"] == .string("d1"))
            #expect(answers[3]?["result"]?["count"] == .number("1"))
            #expect(answers.values.allSatisfy { $0["error"] == nil })
            let methods = transport.sent.compactMap { $0["method"]?.string }
            #expect(methods.contains("document/changed"))
        }
    }

    @Test func anEndWithoutExitClosesNothingByItself() async throws {
        let transport = MemoryTransport([Self.request(1, "initialize"), "{"])
        let server = Server(transport)
        #expect(await server.run() == .done)
        await server.closeAll()
        #expect(transport.sent.last?["error"]?["code"] == .number("-32700"))
        #expect(await server.unkeptWork.isEmpty)
    }
}
