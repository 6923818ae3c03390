/// The output of `set` and `delete`: the number of objects or, with `--json`, their URIs.
enum EditReport {
    static func print(_ done: String, _ ids: [String], isDryRun: Bool, _ console: Console) {
        if console.isJSON {
            console.print(.object(["count": .int(ids.count), "dryRun": .bool(isDryRun), "objects": .strings(ids)]))
        } else {
            console.say("\(done) \(ids.count) object\(ids.count == 1 ? "" : "s")")
        }
    }
}
