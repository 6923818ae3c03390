import Coding

/// A method of the server: its name, its parameters, and what it does.
package struct ServerMethod: Sendable {
    typealias Body = @Sendable (isolated Server, Parameters) async throws -> JSONValue

    package let name: String
    let parameters: [String]
    let body: Body

    private init(_ name: String, _ parameters: [String], _ body: @escaping Body) {
        self.name = name
        self.parameters = parameters
        self.body = body
    }

    private static let query = ["entity", "where", "arguments", "sort", "limit", "offset"]

    package static let all: [ServerMethod] = [
        ServerMethod("document/new", ["path", "model", "form", "replace"]) { try await $0.new($1) },
        ServerMethod(
            "document/open", ["path", "mode", "recovery", "model", "migration", "version", "policy"]
        ) { try await $0.open($1) },
        ServerMethod("document/recover", ["path", "action"]) { try await $0.recover($1) },
        ServerMethod("document/close", ["document", "unsaved"]) { try await $0.close($1) },
        ServerMethod("document/info", ["document"]) { try $0.info($1) },
        ServerMethod("document/save", ["document", "progressToken"]) { try await $0.save($1) },
        ServerMethod("document/saveAs", ["document", "path", "form", "replace", "progressToken"]) {
            try await $0.saveAs($1)
        },
        ServerMethod("document/autosave", ["document"]) { try await $0.autosave($1) },
        ServerMethod("document/revert", ["document"]) { try await $0.revert($1) },
        ServerMethod("document/versions", ["document"]) { try $0.versions($1) },
        ServerMethod("document/restore", ["document", "version"]) { try await $0.restore($1) },
        ServerMethod("object/get", ["document", "ids"]) { try $0.getObjects($1) },
        ServerMethod(
            "object/fetch", ["document"] + query + ["columns", "distinct", "groupBy", "having"]
        ) { try $0.fetchObjects($1) },
        ServerMethod("object/count", ["document", "entity", "where", "arguments"]) { try $0.countObjects($1) },
        ServerMethod("object/insert", ["document", "objects", "name"]) { try $0.insertObjects($1) },
        ServerMethod("object/set", ["document", "edits", "name"]) { try $0.setObjects($1) },
        ServerMethod("object/delete", ["document", "ids", "name"]) { try $0.deleteObjects($1) },
        ServerMethod("object/move", ["document", "id", "key", "member", "index", "name"]) { try $0.moveObject($1) },
        ServerMethod("undo", ["document"]) { try $0.undo($1) },
        ServerMethod("redo", ["document"]) { try $0.redo($1) },
        ServerMethod("undo/begin", ["document", "name"]) { try $0.beginGroup($1) },
        ServerMethod("undo/end", ["document"]) { try $0.endGroup($1) },
        ServerMethod("result/watch", ["document"] + query + ["columns"]) { try $0.watch($1) },
        ServerMethod("result/rows", ["watch", "first", "count"]) { try $0.rows($1) },
        ServerMethod("result/unwatch", ["watch"]) { try $0.unwatch($1) },
        ServerMethod("conflict/resolve", ["document", "resolution", "path"]) { try await $0.resolve($1) },
        ServerMethod("model/describe", ["document"]) { try $0.describe($1) },
        ServerMethod("predicate/check", ["document", "entity", "predicate", "arguments"]) { try $0.checkPredicate($1) },
        ServerMethod("predicate/complete", ["document", "entity", "predicate", "offset"]) {
            try $0.completePredicate($1)
        },
        ServerMethod("merge", ["document", "path", "base", "decide", "decisions", "undecided"]) {
            try await $0.merge($1)
        },
        ServerMethod("merge/conflicts", ["document"]) { try await $0.conflicts($1) },
        ServerMethod("merge/resolve", ["document", "conflict", "choice", "value"]) { try await $0.settle($1) },
        ServerMethod("diff", ["old", "new"]) { try await $0.diff($1) },
    ]

    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
