/// What `set` and `delete` say when they are done: to a person how many objects, with `--json`
/// which.
enum EditReport {
    static func print(_ done: String, _ ids: [String], isDryRun: Bool, _ console: Console) {
        if console.isJSON {
            console.print(.object(["count": .int(ids.count), "dryRun": .bool(isDryRun), "objects": .strings(ids)]))
        } else {
            console.say("\(done) \(ids.count) object\(ids.count == 1 ? "" : "s")")
        }
    }
}
