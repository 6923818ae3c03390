import Foundation
import TestSupport
import Testing

/// A Python that has pygls; nil where there is none. `FOLIO_PYGLS` names one, such as that of a
/// virtual environment after `pip install pygls`.
private let pythonWithPygls: String? = {
    let python = ProcessInfo.processInfo.environment["FOLIO_PYGLS"] ?? "python3"
    let outcome = try? withTemporaryDirectory { try Subprocess.run([python, "-c", "import pygls.client"], in: $0) }
    return outcome?.exit == 0 ? python : nil
}()

/// A client that knows nothing of Folio, of a package that editors in Python are made with.
@Suite(.enabled(if: pythonWithPygls != nil)) struct PyglsTests {
    @Test func aClientOfAnotherProgramUsesADocument() throws {
        try withTemporaryDirectory { folder in
            let script = folder.appendingPathComponent("client.py")
            try """
            import asyncio
            import sys

            from pygls.client import JsonRPCClient
            from pygls.exceptions import JsonRpcException


            async def main(folio, path, model):
                client, told = JsonRPCClient(), asyncio.Queue()

                @client.feature("document/changed")
                def changed(parameters):
                    told.put_nowait(parameters)

                await client.start_io(folio, "serve", "--stdio")

                async def call(method, **parameters):
                    return await asyncio.wait_for(client.protocol.send_request_async(method, parameters), 60)

                result = await call("initialize", processId=None, capabilities={})
                assert result.serverInfo.name == "folio" and "object/fetch" in result.capabilities.methods
                document = (await call("document/new", path=path, model=model)).document
                people = [{"entity": "Person", "values": {"name": name}} for name in ("Roald", "Fridtjof")]
                ids = (await call("object/insert", document=document, objects=people, name="Add")).ids
                state = await asyncio.wait_for(told.get(), 60)
                assert state.document == document and state.undoName == "Add" and state.hasUnsavedChanges
                rows = await call("object/fetch", document=document, entity="Person", columns=["name"], sort="name")
                assert [row["name"] for row in rows] == ["Fridtjof", "Roald"], rows
                try:
                    await call("object/set", document=document, edits=[{"id": ids[0], "values": {"age": 3}}])
                    raise AssertionError("an unknown key was set")
                except JsonRpcException as error:
                    assert error.code == -32000 and error.data["code"] == "unknownKey", error
                try:
                    await call("object/nothing")
                    raise AssertionError("an unknown method was answered")
                except JsonRpcException as error:
                    assert error.code == -32601, error
                calls = [call("object/count", document=document, entity="Person") for _ in range(50)]
                assert all(answer.count == 2 for answer in await asyncio.gather(*calls))
                await call("document/save", document=document)
                assert await call("shutdown") is None
                client.protocol.notify("exit")
                assert await asyncio.wait_for(client._server.wait(), 60) == 0
                await client.stop()
                print("done")


            asyncio.run(main(*sys.argv[1:]))
            """.write(to: script, atomically: true, encoding: .utf8)
            var variables = ProcessInfo.processInfo.environment
            variables["XDG_STATE_HOME"] = folder.appendingPathComponent("state").path
            variables["SWIFT_BACKTRACE"] = "enable=no"
            let path = folder.appendingPathComponent("Doc.folio").path
            let outcome = try Subprocess.run(
                [try #require(pythonWithPygls), script.path, FolioCommand.binary.path, path, FolioCommand.model],
                in: folder,
                environment: variables)
            #expect(outcome.exit == 0 && outcome.output.hasSuffix("done\n"), "\(outcome.output)")
            #expect(try FolioCommand.run("fetch", path, "Person", "--count").output == "2\n")
        }
    }
}
